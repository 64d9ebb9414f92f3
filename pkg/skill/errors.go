package skill

import "fmt"

// RefusedError reports a request that cannot be carried out as it is: another
// call with other values may succeed.
type RefusedError struct {
	// Field is the argument that is wrong: name, description, body, dir; "" when
	// it is none alone.
	Field string
	// Message says what was given and what is wanted.
	Message string
}

func (e *RefusedError) Error() string { return e.Message }

func refuse(field, format string, args ...any) error {
	return &RefusedError{Field: field, Message: fmt.Sprintf(format, args...)}
}

// NameError reports a skill whose name no folder can have everywhere, so that it
// cannot be packed, or taken over.
type NameError struct {
	// Name is the skill's own.
	Name string
	// Fault says what is wrong with it.
	Fault string
}

func (e *NameError) Error() string { return fmt.Sprintf("the name %q %s", e.Name, e.Fault) }

// ExistsError reports something in the way that only force replaces.
type ExistsError struct {
	// Path is what exists.
	Path string
}

func (e *ExistsError) Error() string { return fmt.Sprintf("%s exists already", e.Path) }
