package stage

import (
	"encoding/json"

	"github.com/agentctl/agentctl/pkg/sandbox/internal/rawtext"
)

// Encode is the text that a stage reads. Arguments, variables and paths are
// bytes, which JSON alone would not keep.
func Encode(c Config) ([]byte, error) { return json.Marshal(c.mapped(rawtext.Quote)) }

// Decode reads what Encode wrote.
func Decode(data []byte) (*Config, error) {
	var c Config
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	c = c.mapped(rawtext.Unquote)
	return &c, nil
}

// mapped returns a copy with f applied to every string.
func (c Config) mapped(f func(string) string) Config {
	c.Args, c.Env, c.Dir = rawtext.Each(c.Args, f), rawtext.Each(c.Env, f), f(c.Dir)
	c.Mounts = append([]Mount(nil), c.Mounts...)
	for i, m := range c.Mounts {
		c.Mounts[i].Source, c.Mounts[i].Target = f(m.Source), f(m.Target)
	}
	if c.Landlock != nil {
		l := *c.Landlock
		l.Rules = append([]Rule(nil), l.Rules...)
		for i, r := range l.Rules {
			l.Rules[i].Path = f(r.Path)
		}
		c.Landlock = &l
	}
	return c
}
