package toolpkg

import (
	"regexp"
	"strings"
)

var (
	packagePattern  = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	functionPattern = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,63}$`)
)

// ValidName tells whether a folder's name can be the name of a tool package.
func ValidName(name string) bool { return packagePattern.MatchString(name) }

// FunctionName is the name under which models see a command: - and . become _.
// ok is false when the result is no name that every provider takes.
func FunctionName(command string) (name string, ok bool) {
	name = strings.NewReplacer("-", "_", ".", "_").Replace(command)
	return name, functionPattern.MatchString(name)
}

// sameName compares what a person typed with a command, in either spelling.
func sameName(typed, command string) bool {
	name, _ := FunctionName(typed)
	function, _ := FunctionName(command)
	return name == function
}
