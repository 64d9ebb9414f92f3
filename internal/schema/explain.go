package schema

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/agentctl/agentctl/internal/suggest"
)

// explainer turns the validator's tree into short sentences. doc is the schema,
// for the names that an unknown property may have meant; it may be nil.
type explainer struct{ doc map[string]any }

// problems collects the leaves of the tree.
func (x *explainer) problems(e *jsonschema.ValidationError) []Problem {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		return x.union(e)
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			return []Problem{problem(e, "fits more than one of the allowed forms; make it fit exactly one")}
		}
		return x.union(e)
	case *kind.Required:
		return each(e, k.Missing, func(name string) string { return "missing required " + name })
	case *kind.AdditionalProperties:
		known := sortedKeys(asObject(x.at(e.SchemaURL)["properties"]))
		return each(e, k.Properties, func(name string) string { return unknownProperty(name, known) })
	case *kind.Contains:
		return []Problem{problem(e, "holds no item of the form that it must contain")}
	case *kind.PropertyNames:
		return []Problem{problem(e, fmt.Sprintf("property name %q is not allowed", k.Property))}
	}
	if len(e.Causes) == 0 {
		return []Problem{problem(e, sentence(e.ErrorKind))}
	}
	var out []Problem
	for _, cause := range e.Causes {
		out = append(out, x.problems(cause)...)
	}
	return out
}

// union explains a value that fits no branch: by the branch of its type that was
// meant, else by the types that would do.
func (x *explainer) union(e *jsonschema.ValidationError) []Problem {
	var wants []string
	var got string
	var typed []*jsonschema.ValidationError
	for _, branch := range e.Causes {
		if t := typeFault(branch, len(e.InstanceLocation)); t != nil {
			wants, got = append(wants, t.Want...), t.Got
			continue
		}
		typed = append(typed, branch)
	}
	switch {
	case len(typed) > 0:
		return x.meant(typed, len(e.InstanceLocation))
	case len(wants) == 0:
		return []Problem{problem(e, "fits none of the allowed forms")}
	}
	slices.Sort(wants)
	return []Problem{problem(e, expected(slices.Compact(wants), got))}
}

// meant explains by one of several branches: the one whose mark the value has, such
// as "kind": "dog". When it has none of them, the marks are all that matters.
func (x *explainer) meant(branches []*jsonschema.ValidationError, depth int) []Problem {
	var best []Problem
	var marks []*jsonschema.ValidationError
	for _, branch := range branches {
		mark := markFault(branch, depth)
		if mark != nil {
			marks = append(marks, mark)
		}
		if p := x.problems(branch); mark == nil && (best == nil || len(p) < len(best)) {
			best = p
		}
	}
	switch {
	case best != nil:
		return best
	case len(branches) > 1 && sameMark(marks):
		return []Problem{problem(marks[0], enumSentence(allMarks(marks)))}
	}
	return x.problems(branches[0])
}

// markFault finds a value that is none of those a branch names: the value at the
// given depth itself, or one right below it.
func markFault(e *jsonschema.ValidationError, depth int) *jsonschema.ValidationError {
	switch e.ErrorKind.(type) {
	case *kind.Const, *kind.Enum:
		if n := len(e.InstanceLocation); n == depth || n == depth+1 {
			return e
		}
	}
	for _, cause := range e.Causes {
		if mark := markFault(cause, depth); mark != nil {
			return mark
		}
	}
	return nil
}

func sameMark(marks []*jsonschema.ValidationError) bool {
	return !slices.ContainsFunc(marks, func(e *jsonschema.ValidationError) bool {
		return !slices.Equal(e.InstanceLocation, marks[0].InstanceLocation)
	})
}

// allMarks are the values that any of the branches takes there.
func allMarks(marks []*jsonschema.ValidationError) *kind.Enum {
	all := &kind.Enum{}
	for _, mark := range marks {
		switch k := mark.ErrorKind.(type) {
		case *kind.Const:
			all.Got, all.Want = k.Got, append(all.Want, k.Want)
		case *kind.Enum:
			all.Got, all.Want = k.Got, append(all.Want, k.Want...)
		}
	}
	return all
}

// typeFault finds a type mismatch of the value at the given depth itself.
func typeFault(e *jsonschema.ValidationError, depth int) *kind.Type {
	if k, ok := e.ErrorKind.(*kind.Type); ok && len(e.InstanceLocation) == depth {
		return k
	}
	for _, cause := range e.Causes {
		if k := typeFault(cause, depth); k != nil {
			return k
		}
	}
	return nil
}

// at resolves the location of a keyword's schema to that part of the document.
func (x *explainer) at(url string) map[string]any {
	_, pointer, _ := strings.Cut(url, "#")
	v, _ := lookup(x.doc, pointer)
	return asObject(v)
}

func each(e *jsonschema.ValidationError, names []string, say func(string) string) []Problem {
	out := make([]Problem, len(names))
	for i, name := range names {
		out[i] = problem(e, say(name))
		if len(e.InstanceLocation) == 0 {
			out[i].Field = name
		}
	}
	return out
}

func problem(e *jsonschema.ValidationError, text string) Problem {
	p := Problem{Path: pathOf(e.InstanceLocation), Message: text}
	if len(e.InstanceLocation) > 0 {
		p.Field = e.InstanceLocation[0]
	}
	return p
}

// pathOf writes a location as people read it: filters[1].op.
func pathOf(tokens []string) string {
	var sb strings.Builder
	for _, t := range tokens {
		if _, err := strconv.Atoi(t); err == nil {
			sb.WriteString("[" + t + "]")
			continue
		}
		if sb.Len() > 0 {
			sb.WriteByte('.')
		}
		sb.WriteString(t)
	}
	if sb.Len() == 0 {
		return "(root)"
	}
	return sb.String()
}

func sentence(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return expected(k.Want, k.Got)
	case *kind.Enum:
		return enumSentence(k)
	case *kind.Const:
		return fmt.Sprintf("must be %s, got %s", show(k.Want), show(k.Got))
	case *kind.Minimum:
		return fmt.Sprintf("must be at least %s, got %s", number(k.Want), number(k.Got))
	case *kind.Maximum:
		return fmt.Sprintf("must be at most %s, got %s", number(k.Want), number(k.Got))
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("must be more than %s, got %s", number(k.Want), number(k.Got))
	case *kind.ExclusiveMaximum:
		return fmt.Sprintf("must be less than %s, got %s", number(k.Want), number(k.Got))
	case *kind.MultipleOf:
		return fmt.Sprintf("must be a multiple of %s, got %s", number(k.Want), number(k.Got))
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %s, got %d", count(k.Want, "character"), k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %s, got %d", count(k.Want, "character"), k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %s, got %d", count(k.Want, "item"), k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %s, got %d", count(k.Want, "item"), k.Got)
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %s, got %d", count(k.Want, "property"), k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %s, got %d", count(k.Want, "property"), k.Got)
	case *kind.UniqueItems:
		return fmt.Sprintf("items %d and %d are the same; each may occur once", k.Duplicates[0], k.Duplicates[1])
	case *kind.Pattern:
		return fmt.Sprintf("must match the pattern %s, got %s", k.Want, show(k.Got))
	case *kind.DependentRequired:
		return fmt.Sprintf("with %s it also needs %s", k.Prop, strings.Join(k.Missing, ", "))
	case *kind.FalseSchema:
		return "no value is allowed here"
	case *kind.Not:
		return "this value is excluded"
	}
	return k.LocalizedString(message.NewPrinter(language.English))
}

func expected(want []string, got string) string {
	return fmt.Sprintf("expected %s, got %s", strings.Join(want, " or "), got)
}

func enumSentence(k *kind.Enum) string {
	allowed, names := make([]string, len(k.Want)), []string{}
	for i, w := range k.Want {
		allowed[i] = show(w)
		if s, ok := w.(string); ok {
			names = append(names, s)
		}
	}
	text := fmt.Sprintf("must be one of %s, got %s", strings.Join(allowed, ", "), show(k.Got))
	if got, ok := k.Got.(string); ok {
		text += didYouMean(got, names)
	}
	return text
}

func unknownProperty(name string, known []string) string {
	text := fmt.Sprintf("unknown property %q", name)
	if hint := didYouMean(name, known); hint != "" {
		return text + hint
	}
	if len(known) == 0 {
		return text + " (it takes none)"
	}
	return text + " (known: " + strings.Join(known, ", ") + ")"
}

func didYouMean(word string, candidates []string) string {
	near := suggest.Nearest(word, candidates, 1)
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", near[0])
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if s, ok := strings.CutSuffix(noun, "y"); ok {
		noun = s + "ie"
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func number(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// maxShown keeps a model's wrong value from filling the message about it.
const maxShown = 80

// show writes a value as JSON, cut to [maxShown] characters.
func show(v any) string {
	text, err := Encode(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if r := []rune(string(text)); len(r) > maxShown {
		return string(r[:maxShown]) + "…"
	}
	return string(text)
}
