package schema

import "reflect"

type Args struct {
	Deep bool `json:"deep"`
}

// rootNamedTwice is a type called Args that holds another one of that name.
func rootNamedTwice() reflect.Type {
	type below = Args
	type Args struct {
		Below below `json:"below"`
	}
	return reflect.TypeFor[Args]()
}
