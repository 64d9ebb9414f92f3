// Package probe is the program that tries what a sandbox must deny. It is the
// running program itself, started again inside a sandbox with a marker, so that
// doctor, auto and the acceptance suite need no other program.
//
// An act is one try. It reports what came of it; whether that is good is for the
// caller to say.
package probe

import (
	"encoding/json"

	"github.com/agentctl/agentctl/pkg/sandbox/internal/rawtext"
)

// Marker is the first argument that turns a start of the program into a probe.
const Marker = "\x01agentctl-sandbox-probe"

// Act is one try: a name of the list below and its arguments.
type Act struct {
	Name string
	Args []string `json:",omitempty"`
}

// actJSON has the fields of an act and none of its methods.
type actJSON Act

// MarshalJSON keeps arguments that are not UTF-8, such as paths: an act on another
// path would prove nothing.
func (a Act) MarshalJSON() ([]byte, error) {
	return json.Marshal(actJSON{a.Name, rawtext.Each(a.Args, rawtext.Quote)})
}

// UnmarshalJSON reads what [Act.MarshalJSON] wrote.
func (a *Act) UnmarshalJSON(data []byte) error {
	err := json.Unmarshal(data, (*actJSON)(a))
	a.Args = rawtext.Each(a.Args, rawtext.Unquote)
	return err
}

// Outcome says what came of an act.
type Outcome struct {
	Act Act
	// Denied tells whether the act was refused; Got is the error, or what the act
	// could see or do.
	Denied bool
	Got    string
}

// Args returns the arguments that make exe perform the acts, in this order. It
// prints one Outcome a line as JSON.
func Args(exe string, acts ...Act) ([]string, error) { return encode(exe, acts) }

// Parse reads what a probe printed.
func Parse(stdout []byte) ([]Outcome, error) { return decode(stdout) }
