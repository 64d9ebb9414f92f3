package frontmatter

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/agentctl/agentctl/internal/diag"
)

// Decode reads a SKILL.md leniently. file is its name for diagnostics.
//
// The document's Diagnostics tell what was repaired or left out; a file that
// means nothing certain is not loaded, and the error is a [*SkipError].
// A document that is returned has a description. It may lack a name: the folder
// stands in for it, and a diagnostic says so.
func Decode(file string, data []byte) (*Document, error) {
	src, bad := split(file, data)
	if bad != nil {
		return nil, skip(src, *bad, "")
	}
	d := newDocument(src)
	if bad = d.load(); bad == nil {
		bad = d.check()
	}
	if bad != nil {
		return nil, skip(src, *bad, d.Text("name"))
	}
	d.inspect()
	d.Diagnostics, d.Findings = src.repairs, src.findings
	diag.Sort(d.Diagnostics)
	diag.Sort(d.Findings)
	return d, nil
}

func skip(src *source, bad diag.Diagnostic, name string) *SkipError {
	return &SkipError{Name: name, Diagnostics: append([]diag.Diagnostic{bad}, src.repairs...)}
}

// check looks at what a skill must have, and warns of what was not understood.
func (d *Document) check() *diag.Diagnostic {
	if bad := d.checkDuplicates(); bad != nil {
		return bad
	}
	if bad := d.checkDescription(); bad != nil {
		return bad
	}
	d.checkName()
	d.checkSpelling()
	for _, key := range booleanKeys {
		if _, ok := d.Bool(key, false); !ok {
			line, _ := d.Position(key)
			d.src.repair(line, "not-boolean", "%s is %q, which is neither true nor false: the default is used", key, d.Text(key))
		}
	}
	return nil
}

// checkDuplicates keeps the first of two equal keys. Two names or descriptions
// that differ leave nothing to choose.
func (d *Document) checkDuplicates() *diag.Diagnostic {
	first := make(map[string]*entry, len(d.entries))
	for i := range d.entries {
		e := &d.entries[i]
		id := e.key
		if key := hyphens(e.key); canonicalKeys[key] != "" {
			id = key
		}
		kept := first[id]
		if kept == nil {
			first[id] = e
			continue
		}
		line := d.fileLine(e.start)
		if (id == "name" || id == "description") && !sameText(kept, e) {
			return d.src.errorAt(line, "conflicting-key", "%s was given on line %d already, with another value: keep one of them", e.key, d.fileLine(kept.start))
		}
		e.later = true
		d.src.repair(line, "duplicate-key", "%s was given on line %d already: the first one counts, remove this one", e.key, d.fileLine(kept.start))
	}
	return nil
}

func sameText(a, b *entry) bool {
	if a.node == nil || b.node == nil || kindOf(a.node) != kindOf(b.node) {
		return false
	}
	return squeeze(childText(a.node)) == squeeze(childText(b.node))
}

func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }

func (d *Document) checkDescription() *diag.Diagnostic {
	e := d.get("description")
	if e == nil {
		return d.src.errorAt(d.src.opener, "no-description", "no description: add a line description: that says what the skill does and when to use it")
	}
	line := d.fileLine(e.start)
	switch kind := kindOf(e.node); {
	case kind == List:
		return d.src.errorAt(line, "description-not-text", "the description is a list to YAML: write one sentence, in quotes if it begins with [ or -")
	case kind == Map:
		return d.src.errorAt(line, "description-not-text", `the description is a map to YAML: write one sentence, in quotes if it begins with { or has ": " in it`)
	case squeeze(d.Text("description")) != "":
		return nil
	case e.node.Anchor != "" || e.node.Style&yaml.TaggedStyle != 0:
		return d.src.errorAt(line, "no-description", "the description is empty: YAML takes a word that begins with ! or & for a tag or an anchor, so put the text in quotes")
	case !d.odd && commentAt(d.valueText(e)) >= 0:
		return d.src.errorAt(line, "no-description", "the description is empty: YAML takes all from # on for a comment, so put the text in quotes")
	}
	return d.src.errorAt(line, "no-description", "the description is empty: say what the skill does and when to use it")
}

func (d *Document) checkName() {
	e := d.get("name")
	switch {
	case e == nil:
		d.src.repair(d.src.opener, "no-name", "no name: the folder's name stands in, add a line name:")
	case kindOf(e.node) == Empty || kindOf(e.node) == Scalar && squeeze(e.node.Value) == "":
		d.src.repair(d.fileLine(e.start), "no-name", "the name is empty: the folder's name stands in")
	case kindOf(e.node) != Scalar:
		d.src.repair(d.fileLine(e.start), "name-not-text", "the name is a list or map to YAML, so the folder's name stands in: write the name in quotes")
	}
}

// checkSpelling warns of keys that are read although capitals or a near miss
// would hide them from other clients.
func (d *Document) checkSpelling() {
	for _, key := range slices.Concat(standardKeys, ownKeys) {
		e := d.get(key)
		if e == nil || sameKey(e.key, key) {
			continue
		}
		line := d.fileLine(e.start)
		if strings.EqualFold(hyphens(e.key), hyphens(key)) {
			d.src.repair(line, "key-case", "%s is read as %s: other clients do not, write it in lower case", e.key, key)
			continue
		}
		d.src.finding(line, e.column, diag.Info, "key-spelling", "%s is read as %s: write %s", e.key, key, key)
	}
}
