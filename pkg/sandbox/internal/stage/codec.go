package stage

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Encode is the text that a stage reads. Arguments, variables and paths are
// bytes, which JSON alone would not keep.
func Encode(c Config) ([]byte, error) { return json.Marshal(c.mapped(escape)) }

// Decode reads what Encode wrote.
func Decode(data []byte) (*Config, error) {
	var c Config
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	c = c.mapped(unescape)
	return &c, nil
}

// mapped returns a copy with f applied to every string.
func (c Config) mapped(f func(string) string) Config {
	c.Args, c.Env, c.Dir = mapAll(c.Args, f), mapAll(c.Env, f), f(c.Dir)
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

func mapAll(in []string, f func(string) string) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = f(s)
	}
	return out
}

// escape spells every byte outside ASCII, and the percent sign, as % and two
// digits.
func escape(s string) string {
	const digits = "0123456789abcdef"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c == '%' || c >= 0x80 {
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
