package frontmatter

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/agentctl/agentctl/internal/diag"
)

// quotedKeys are keys whose value is text: one that looks like a number, a date
// or a boolean is changed by readers with types.
var quotedKeys = []string{"name", "version", "license", "compatibility", "argument-hint"}

// inspect notes what YAML did silently: it is the file's meaning, but hardly
// its author's.
func (d *Document) inspect() {
	for i := range d.entries {
		e := &d.entries[i]
		if e.node == nil || e.later || e.fixed {
			continue
		}
		d.inspectProperties(e)
		if slices.Contains(textKeys, Canonical(e.key)) {
			d.inspectComment(e)
		}
		if slices.Contains(quotedKeys, Canonical(e.key)) {
			d.inspectType(e.key, e.node, d.fileLine(e.start), e.column)
		}
		if e.key == "metadata" && e.node.Kind == yaml.MappingNode {
			for j, c := range d.Children("metadata") {
				d.inspectType(c.Key, e.node.Content[2*j+1], c.Line, c.Column)
			}
		}
	}
}

// inspectProperties finds a first word that YAML took for a tag or an anchor.
// Tags of YAML itself, such as !!str, are meant.
func (d *Document) inspectProperties(e *entry) {
	line, column := d.fileLine(e.start), e.column
	tag := ""
	if !d.odd && strings.HasPrefix(strings.TrimLeft(d.valueText(e), " \t"), "! ") {
		tag = "!" // which leaves no trace in the node
	} else if e.node.Style&yaml.TaggedStyle != 0 && !strings.HasPrefix(e.node.Tag, "!!") {
		tag = e.node.Tag
	}
	if tag != "" {
		d.src.finding(line, column, diag.Warning, "tag-dropped", "YAML takes %s for a tag and drops it from %s: put the value in quotes", tag, e.key)
	}
	if e.node.Anchor != "" {
		d.src.finding(line, column, diag.Warning, "anchor-dropped", "YAML takes &%s for an anchor and drops it from %s: put the value in quotes", e.node.Anchor, e.key)
	}
}

// inspectComment finds text behind " #" in an unquoted value.
func (d *Document) inspectComment(e *entry) {
	if e.node.Kind != yaml.ScalarNode || e.node.Style&^yaml.TaggedStyle != 0 || d.odd {
		return
	}
	lines := strings.Split(d.valueText(e), "\n")
	last := lines[len(lines)-1]
	at := commentAt(last)
	if at < 0 {
		return
	}
	line := d.fileLine(e.start + len(lines) - 1)
	f := d.src.diagnostic(line, 0, diag.Warning, "comment-cut",
		"YAML takes %q for a comment and drops it from %s: put the value in quotes", strings.TrimSpace(last[at:]), e.key)
	if len(lines) == 1 {
		f.Fix = e.token + ": " + Quote(strings.TrimSpace(last))
	}
	d.src.findings = append(d.src.findings, f)
}

// inspectType finds values that only quotes keep as they are.
func (d *Document) inspectType(key string, n *yaml.Node, line, column int) {
	if n.Kind != yaml.ScalarNode || n.Style != 0 {
		return
	}
	is := map[string]string{"!!int": "a number", "!!float": "a number", "!!timestamp": "a date", "!!bool": "true or false"}[n.Tag]
	if is == "" && typedWords[strings.ToLower(n.Value)] {
		is = "true or false"
	}
	if is == "" {
		return
	}
	f := d.src.diagnostic(line, column, diag.Info, "unquoted-value", "%s is %s to other readers (%s): put it in quotes", key, is, n.Value)
	f.Fix = key + ": " + Quote(n.Value)
	d.src.findings = append(d.src.findings, f)
}
