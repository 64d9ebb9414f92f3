package cli

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"

	glamour "github.com/charmbracelet/glamour/ansi"
	"github.com/charmbracelet/glamour/styles"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	sourcetext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/agentctl/agentctl/internal/termtext"
)

// markdown renders Markdown for a terminal. Blocks that hold others (lists,
// quotes) are laid out here and the others by glamour: it runs the paragraphs of
// a list item together, indents no second line, breaks words of code and drops
// hard breaks. There are no margins, which would not survive a narrow terminal.
type markdown struct{ style glamour.StyleConfig }

// newMarkdown chooses the style: with colours of the terminal's own palette, which
// can be read on any background, so that no query is sent to the terminal.
func newMarkdown(color bool) markdown {
	if color {
		return markdown{paletteStyle()}
	}
	style := styles.NoTTYStyleConfig
	none := uint(0)
	style.Document.Margin = &none
	style.Document.BlockPrefix, style.Document.BlockSuffix = "", ""
	style.Code.Prefix, style.Code.Suffix = "`", "`"
	return markdown{style}
}

// maxLine keeps lines short enough to be read on a wide terminal.
const maxLine = 100

// render returns lines without raw control characters but its own colours, of at most width cells without an end, as far as words and
// tables allow.
func (m markdown) render(source string, width int) string {
	width = max(min(width, maxLine), 1)
	source = termtext.Block(source)
	if longestRun(source) > longRun {
		return ansi.Wrap(strings.TrimRight(source, "\n"), width, "")
	}
	src := []byte(disarm(source))
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	return m.blocks(md.Parser().Parse(sourcetext.NewReader(src)), src, width, "\n\n")
}

// The time that goldmark and glamour take grows with the square of a block, so what
// is larger, in bytes, is shown as it is written. People do not write such blocks.
const (
	longRun  = 32 << 10 // of lines without a blank one
	longText = 8 << 10  // of one paragraph or heading
	longCode = 32 << 10 // of one code block
)

// longestRun is the length of the longest run of lines that may be one block. What
// stands in a fence is not looked at by the parser.
func longestRun(source string) (longest int) {
	run, fence := 0, ""
	for line := range strings.Lines(source) {
		text := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(text, fence) {
				fence = ""
			}
			continue
		case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
			fence, run = text[:3], 0
		case text == "":
			run = 0
		}
		run += len(line)
		longest = max(longest, run)
	}
	return longest
}

// length of the source of a block.
func length(n ast.Node) (bytes int) {
	for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
		bytes += line.Len()
	}
	return bytes
}

// disarm writes an entity as text where it stands for a character that does not
// reach a terminal raw: glamour puts characters for entities, also in code.
func disarm(source string) string {
	return entity.ReplaceAllStringFunc(source, func(e string) string {
		if char := html.UnescapeString(e); termtext.Block(char) != char || strings.ContainsAny(char, "\n\t") {
			return "&amp;" + e[1:]
		}
		return e
	})
}

var entity = regexp.MustCompile(`&#?[0-9A-Za-z]+;?`)

// blocks renders the children of a node and puts gap between them.
func (m markdown) blocks(parent ast.Node, src []byte, width int, gap string) string {
	var parts []string
	for n := parent.FirstChild(); n != nil; n = parent.FirstChild() {
		parent.RemoveChild(parent, n)
		if part := m.block(n, src, width); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, gap)
}

func (m markdown) block(n ast.Node, src []byte, width int) string {
	switch n := n.(type) {
	case *ast.List:
		return m.list(n, src, width)
	case *ast.Blockquote:
		return hanging(m.blocks(n, src, width-2, "\n\n"), "│ ", "│ ")
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		if length(n) > longCode {
			return ansi.Hardwrap(strings.TrimRight(string(n.Lines().Value(src)), "\n"), max(width, 1), true)
		}
		code := strings.ReplaceAll(m.leaf(n, src, roomy(n, src)), "\t", "    ")
		return ansi.Hardwrap(code, max(width, 1), true)
	case *ast.Paragraph, *ast.TextBlock:
		if length(n) > longText {
			return ansi.Wrap(strings.TrimRight(string(n.Lines().Value(src)), "\n"), max(width, 1), "")
		}
		return m.paragraph(n, src, width)
	case *extast.Table:
		return m.leaf(n, src, min(width, tableWidth(n, src)))
	case *ast.HTMLBlock:
		tags := n.Lines().Value(src)
		if n.HasClosure() {
			tags = append(tags, n.ClosureLine.Value(src)...)
		}
		return ansi.Wrap(strings.TrimRight(string(tags), "\n"), width, "")
	}
	if n.Type() == ast.TypeBlock && length(n) > longText {
		return ansi.Wrap(string(n.Lines().Value(src)), max(width, 1), "")
	}
	return m.leaf(n, src, width)
}

// list puts each item behind its mark, and its further lines below its first.
func (m markdown) list(l *ast.List, src []byte, width int) string {
	last := l.Start + l.ChildCount() - 1
	var items []string
	for i, n := l.Start, l.FirstChild(); n != nil; i, n = i+1, n.NextSibling() {
		mark := "• "
		if l.IsOrdered() {
			mark = fmt.Sprintf("%*d. ", len(fmt.Sprint(last)), i)
		}
		if box := checkBox(n); box != nil {
			mark = map[bool]string{true: "[✓] ", false: "[ ] "}[box.IsChecked]
			box.Parent().RemoveChild(box.Parent(), box)
		}
		indent := strings.Repeat(" ", ansi.StringWidth(mark))
		items = append(items, hanging(m.blocks(n, src, width-len(indent), gapOf(l)), mark, indent))
	}
	return strings.Join(items, gapOf(l))
}

// gapOf is what stands between the blocks of a list.
func gapOf(l *ast.List) string {
	if l.IsTight {
		return "\n"
	}
	return "\n\n"
}

func checkBox(item ast.Node) *extast.TaskCheckBox {
	if item.FirstChild() == nil {
		return nil
	}
	box, _ := item.FirstChild().FirstChild().(*extast.TaskCheckBox)
	return box
}

// hanging puts first before the first line and rest before the others. Blanks at
// the end of a line go.
func hanging(block, first, rest string) string {
	var lines []string
	mark := first
	for l := range strings.SplitSeq(block, "\n") {
		lines = append(lines, strings.TrimRight(mark+l, " "))
		mark = rest
	}
	return strings.Join(lines, "\n")
}

// paragraph wraps at blanks, so that an address stays whole where it fits, and
// keeps hard breaks.
func (m markdown) paragraph(n ast.Node, src []byte, width int) string {
	var lines []string
	line := ast.NewParagraph()
	end := func() {
		lines = append(lines, ansi.Wrap(m.leaf(line, src, roomy(line, src)), max(width, 1), ""))
		line = ast.NewParagraph()
	}
	for c := n.FirstChild(); c != nil; c = n.FirstChild() {
		n.RemoveChild(n, c)
		switch c := c.(type) {
		case *ast.Text:
			hard := c.HardLineBreak()
			c.SetHardLineBreak(false)
			if line.AppendChild(line, c); hard {
				end()
			}
		case *ast.RawHTML:
			if lineBreak.Match(c.Segments.Value(src)) {
				end()
				continue
			}
			line.AppendChild(line, c)
		default:
			line.AppendChild(line, c)
		}
	}
	end()
	return strings.Join(lines, "\n")
}

// roomy is a width in which glamour does not wrap text, so that only we do. It
// fills lines up to it, so it must not be larger than the text needs.
func roomy(n ast.Node, src []byte) int {
	room := 0
	if n.Type() == ast.TypeBlock {
		for _, line := range n.Lines().Sliced(0, n.Lines().Len()) { // of code
			room = max(room, line.Len())
		}
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			room += c.Segment.Len()
		case *ast.AutoLink:
			room += len(c.URL(src))
		case *ast.Link:
			room += len(c.Destination)
		case *ast.Image:
			room += len(c.Destination)
		case *ast.RawHTML:
			room += len(c.Segments.Value(src))
		}
		room += roomy(c, src)
	}
	return room + 10 // for what marks it
}

// tableWidth is what a table needs: glamour would stretch it to the whole width.
func tableWidth(table ast.Node, src []byte) int {
	var columns []int
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		i := 0
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			if i == len(columns) {
				columns = append(columns, 0)
			}
			columns[i] = max(columns[i], cellWidth(cell, src))
			i++
		}
	}
	width := 0
	for _, c := range columns {
		width += c + 3 // a blank on either side, and the line
	}
	return width
}

// cellWidth is the width of a text with what marks its parts.
func cellWidth(n ast.Node, src []byte) int {
	width := 0
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			width += ansi.StringWidth(string(c.Segment.Value(src)))
		case *ast.RawHTML:
			width += len(c.Segments.Value(src))
		case *ast.AutoLink:
			width += len(c.URL(src))
		default:
			width += cellWidth(c, src) + 4
		}
	}
	return width
}

var lineBreak = regexp.MustCompile(`(?i)^<br\s*/?>$`)

// showTags makes tags text: glamour drops them, and with them the T of "List<T>".
func showTags(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		tag, ok := c.(*ast.RawHTML)
		if !ok {
			showTags(c)
			continue
		}
		for i := range tag.Segments.Len() {
			n.InsertBefore(n, tag, ast.NewTextSegment(tag.Segments.At(i)))
		}
		c = tag.PreviousSibling()
		n.RemoveChild(n, tag)
	}
}

// leaf renders one block by glamour.
func (m markdown) leaf(n ast.Node, src []byte, width int) string {
	showTags(n)
	doc := ast.NewDocument()
	doc.AppendChild(doc, n)
	r := renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(glamour.NewRenderer(glamour.Options{
		WordWrap: max(width, 1), Styles: m.style, ChromaFormatter: "terminal16",
	}), 1)))
	var b bytes.Buffer
	if err := r.Render(&b, src, doc); err != nil {
		return string(n.Lines().Value(src))
	}
	return strings.Trim(padding.ReplaceAllString(b.String(), "$1"), "\n")
}

// paletteStyle uses the sixteen colours that people choose to go with their
// background, and of these none that is close to black or white.
func paletteStyle() glamour.StyleConfig {
	yes, code := true, uint(2)
	magenta, cyan, check := "5", "6", "[✓] "
	rule := "--------"
	heading := glamour.StyleBlock{StylePrimitive: glamour.StylePrimitive{Color: &magenta, Bold: &yes}}
	first := heading
	first.Underline = &yes
	hex := func(color string) glamour.StylePrimitive { return glamour.StylePrimitive{Color: &color} }
	keyword, literal, number := hex("#7f007f"), hex("#007f00"), hex("#007f7f") // nearest of the sixteen
	return glamour.StyleConfig{
		Heading: heading, H1: first,
		Strikethrough:  glamour.StylePrimitive{CrossedOut: &yes},
		Emph:           glamour.StylePrimitive{Italic: &yes},
		Strong:         glamour.StylePrimitive{Bold: &yes},
		HorizontalRule: glamour.StylePrimitive{Format: rule},
		Task:           glamour.StyleTask{Ticked: check, Unticked: "[ ] "},
		Link:           glamour.StylePrimitive{Underline: &yes},
		LinkText:       glamour.StylePrimitive{Bold: &yes},
		Image:          glamour.StylePrimitive{Underline: &yes},
		ImageText:      glamour.StylePrimitive{Format: "Image: {{.text}} →"},
		Code:           glamour.StyleBlock{StylePrimitive: glamour.StylePrimitive{Color: &cyan}},
		CodeBlock: glamour.StyleCodeBlock{
			StyleBlock: glamour.StyleBlock{Margin: &code},
			Chroma: &glamour.Chroma{
				Comment: glamour.StylePrimitive{Italic: &yes},
				Keyword: keyword, KeywordReserved: keyword, KeywordNamespace: keyword, KeywordType: keyword,
				NameTag: keyword, LiteralString: literal, LiteralNumber: number,
				GenericInserted: literal, GenericDeleted: hex("#7f0000"),
			},
		},
	}
}
