package cli

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentctl/agentctl/internal/termtext"
)

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, source string
		width        int
		want         string
	}{
		{"nothing", " \n", 40, ""},
		{"words wrap", "one two three four", 9, "one two\nthree\nfour"},
		{"a line end is a blank", "one\ntwo", 40, "one two"},
		{"hard breaks", "one  \ntwo\\\nthree", 40, "one\ntwo\nthree"},
		{"an address stays whole", "see https://example.com/a.b+c/d for more", 30, "see\nhttps://example.com/a.b+c/d\nfor more"},
		{"a tight list", "- one two three\n- four\n  - five six seven", 11, "• one two\n  three\n• four\n  • five\n    six\n    seven"},
		{"paragraphs of an item", "1. one\n\n   two\n2. three", 40, "1. one\n\n   two\n\n2. three"},
		{"numbers", "9. a\n10. b", 40, " 9. a\n10. b"},
		{"code in an item", "1. run\n\n   ```sh\n   make  all\n   ```", 40, "1. run\n\n     make  all"},
		{"tasks", "- [ ] open\n- [x] done", 40, "[ ] open\n[✓] done"},
		{"an empty item", "- \n- a", 40, "•\n• a"},
		{"a quote", "> one two\n> three\n>\n> - four", 10, "│ one two\n│ three\n│\n│ • four"},
		{"code keeps its blanks", "```\nif  x {\n\ty, and a long one\n```", 16, "  if  x {\n      y, and a l\nong one"},
		{"a heading", "# Top\ntext", 40, "Top\n\ntext"},
		{"a table", "|a|b|\n|-|-:|\n|x|1|", 20, " a │ b\n───┼───\n x │ 1"},
		{"wide characters", "中文字符 内容", 9, "中文字符\n内容"},
		{"no room", "> - word", 1, "│ • w\n│   o\n│   r\n│   d"},
		{"tags are text", "a List<T> and **<b>**, a<br>b &lt;c>", 40, "a List<T> and <b>, a\nb <c>"},
		{"a block of tags", "<details>\n<summary>more</summary>\n</details>\n\n<!-- note\n-->\nend", 40, "<details>\n<summary>more</summary>\n</details>\n\n<!-- note\n-->\n\nend"},
		{"a wide table", "|a|b|\n|-|-|\n|some words|more of them|", 20, " a      │ b\n────────┼─────────\n some   │ more of\n words  │ them"},
		{"tags in a table", "|a|\n|-|\n|x<br>y|", 20, " a\n────────\n x<br>y"},
		{"markup that is none", "a * b < c & d_e_f &amp; \\*", 40, "a * b < c & d_e_f & *"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := ansi.Strip(newMarkdown(true).render(tt.source, tt.width)); got != tt.want {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

// Without colour, marks stand for it, and no escape sequence comes out.
func TestMarkdownPlain(t *testing.T) {
	t.Parallel()
	got := newMarkdown(false).render("# Top\n\n**bold** *it* `code`\n\n```go\nfunc x() {}\n```", 40)
	if want := "# Top\n\n**bold** *it* `code`\n\n  func x() {}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// On a light and on a dark background alike: only colours of the terminal's own
// palette, none of them black, white or grey.
func TestMarkdownColours(t *testing.T) {
	t.Parallel()
	source := "# Top\n\n## Next\n\n[a link](http://x.y) `code` ![pic](p.png)\n\n---\n\n" +
		"```go\n// comment\npackage x\n\nvar s = \"text\\n\" + 1 // \x00\ntype T struct{ A int `json:\"a\"` }\n```\n\n```diff\n-old\n+new\n```\n\n|a|\n|-|\n|`b`|"
	got := newMarkdown(true).render(source, 60)
	if !strings.Contains(got, "\x1b[35m") {
		t.Fatalf("no colour in %q", got)
	}
	for _, sgr := range regexp.MustCompile(`\x1b\[([0-9;]*)m`).FindAllStringSubmatch(got, -1) {
		for code := range strings.SplitSeq(sgr[1], ";") {
			if !strings.Contains(" 0 1 3 4 31 32 35 36 39 49 ", " "+code+" ") {
				t.Errorf("SGR %s", sgr[1])
			}
		}
	}
}

func BenchmarkMarkdown(b *testing.B) {
	source := strings.Repeat("# Head\n\nSome **words** and `code` in a row.\n\n- one\n- two\n\n```go\nx := 1\n```\n\n", 100)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		newMarkdown(true).render(source, 80)
	}
}

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// Whatever a model writes, something comes out, no word of plain text is lost, and
// nothing that a terminal would act upon is in it but our own colours.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"- a\n\n  > b\n  - [x] c\n\n    ```\n    d", "|a|b|\n|-|-|\n|<br>|`|`|", "<a\n<!-- \n\n1) x\n2) *y **z*", "[a]: b\n[a] ![c](d)  \n# e #\n---", "```",
		"&#27;[2J `&#27;]0;x&#7;` &#x9b;1m &#8238; &#27[ &amp;#27;[ &amp;amp;#27;", "# &#27;[2J\n[&#27;](&#27;) ![&#7;](&#7;) <http://&#27;>", "    &#27;&amp;#27;\n\n|&#27;|`&#7;`|\n|-|-|\n|&amp;#7;|&#13;|",
		"\x1b[31m\x9b2J\u202e <b title='&#27;'> <!-- &#27; -->",
	} {
		f.Add(seed, 20)
		f.Add(seed, 6)
	}
	f.Fuzz(func(t *testing.T, source string, width int) {
		width = max(min(width, 200), -1)
		for _, color := range []bool{true, false} {
			got := newMarkdown(color).render(source+"\n\nlastword\n", max(width, 8))
			if color {
				got = sgr.ReplaceAllString(got, "")
			}
			if termtext.Block(got) != got {
				t.Errorf("%q gives %q, which has control characters", source, got)
			}
			// A word that is too long for its line goes on in the next.
			if !strings.Contains(strings.Join(strings.FieldsFunc(got, func(r rune) bool { return r == '│' || unicode.IsSpace(r) }), ""), "lastword") {
				t.Errorf("%q in %d cells gives %q", source, width, got)
			}
			newMarkdown(color).render(source, width)
		}
	})
}

// What no person writes is shown as it is, before a renderer whose time grows with
// the square of it holds up the terminal.
func TestMarkdownOfHugeBlocks(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"run":       strings.Repeat("*a* ", longRun/4) + "*a*",
		"paragraph": strings.Repeat("*a* ", longText/4) + "*a*",
		"heading":   "# " + strings.Repeat("*a* ", longText/4) + "*a*",
		"in a list": "- " + strings.Repeat("*a* ", longText/4) + "*a*",
	} {
		if got := newMarkdown(true).render(source, 80); strings.Contains(got, "\x1b") || strings.Count(got, "*a*") != strings.Count(source, "*a*") {
			t.Errorf("%s: %.200q", name, got)
		}
	}
	code := strings.Repeat("x := \"text\"\n", longCode/12+1)
	if got := newMarkdown(true).render("```go\n"+code+"```\n", 80); got != strings.TrimRight(code, "\n") {
		t.Errorf("code: %.200q", got)
	}
	if got := newMarkdown(true).render("```go\n"+code[:longCode/2]+"```\n\n*a*", 80); strings.Count(got, "\x1b") < 1000 {
		t.Errorf("what is not huge has its colours: %.200q", got)
	}
}
