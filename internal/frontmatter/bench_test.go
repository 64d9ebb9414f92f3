package frontmatter

import (
	"strings"
	"testing"
)

// BenchmarkDecode: one skill as most are, one that needs a repair, and the worst
// that fits into the limits.
func BenchmarkDecode(b *testing.B) {
	body := strings.Repeat("A line of prose in the body of the skill.\n", 150)
	files := []struct{ name, in string }{
		{"clean", "---\nname: csv-summary\ndescription: Summarises the columns of a CSV file. Use when a user asks what is in a table.\nlicense: MIT\nmetadata:\n  version: \"1.0\"\n---\n" + body},
		{"repaired", "---\nname: csv-summary\ndescription: Use when: a user asks what is in a table.\nlicense: MIT\nmetadata:\n  version: \"1.0\"\n---\n" + body},
		{"many broken keys", skill("name: a\ndescription: d\n" + strings.Repeat("x: {\n", MaxFrontMatter/6))},
		{"many keys", skill("name: a\ndescription: d\n" + strings.Repeat("x: y\n", MaxFrontMatter/6))},
		{"nested brackets", skill("name: a\ndescription: d\nx: " + strings.Repeat("[", MaxFrontMatter-100) + "\n")},
		{"one long line", skill("name: a\ndescription: " + strings.Repeat("a: ", MaxFrontMatter/4) + "\n")},
	}
	for _, f := range files {
		b.Run(f.name, func(b *testing.B) {
			data := []byte(f.in)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Decode("SKILL.md", data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
