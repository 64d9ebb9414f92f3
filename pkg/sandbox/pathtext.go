package sandbox

import "github.com/agentctl/agentctl/pkg/sandbox/internal/rawtext"

// PathText is a path that JSON gives back byte for byte. JSON itself knows only
// UTF-8, and a path may be any bytes: one that is not UTF-8 is kept as a Go string
// literal, every other as it is.
type PathText string

// MarshalText implements [encoding.TextMarshaler].
func (p PathText) MarshalText() ([]byte, error) { return []byte(rawtext.Quote(string(p))), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (p *PathText) UnmarshalText(text []byte) error {
	*p = PathText(rawtext.Unquote(string(text)))
	return nil
}
