package skill

import (
	"slices"

	"github.com/agentctl/agentctl/internal/diag"
)

// The profiles of the linter: whose rules a skill is held to.
const (
	ProfileAgentctl = "agentctl"
	ProfileSpec     = "spec"        // the reference validator of the standard
	ProfileClaude   = "claude-code" // Claude Code
	ProfileUpload   = "upload"      // what claude.ai and its API take as an upload
)

// Profiles returns the names of the profiles, the default first.
func Profiles() []string {
	return []string{ProfileAgentctl, ProfileSpec, ProfileClaude, ProfileUpload}
}

// Rule is one thing that the linter looks for. Its ID never changes its meaning.
type Rule struct {
	ID string
	// Severity is the one of profile agentctl; "" means that the rule is off.
	Severity diag.Severity
	// Profiles are the severities of other profiles where they differ.
	Profiles map[string]diag.Severity
	// Text says what is wrong and why it matters.
	Text string
}

// Short names for the tables below.
const (
	off      = diag.Severity("")
	sevError = diag.Error
	sevWarn  = diag.Warning
	sevInfo  = diag.Info
)

// both raises a rule to an error for the two profiles with a validator.
func both() map[string]diag.Severity {
	return map[string]diag.Severity{ProfileSpec: sevError, ProfileUpload: sevError}
}

func only(profile string, s diag.Severity) map[string]diag.Severity {
	return map[string]diag.Severity{profile: s}
}

// Rules returns every rule, sorted by ID: those of the reader, whose findings
// come with a list as well where they are about a repair, and those of the linter.
func Rules() []Rule {
	all := slices.Concat(readerRules(), nameRules(), textRules(), bodyRules(), fileRules())
	slices.SortFunc(all, func(a, b Rule) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return all
}

func readerRules() []Rule {
	const p = "frontmatter."
	repair := func(id, text string) Rule { return Rule{p + id, sevWarn, both(), text} }
	skip := func(id, text string) Rule { return Rule{p + id, sevError, nil, text} }
	return []Rule{
		skip("bad-utf8", "The file is not UTF-8. It does not load."),
		skip("conflict-marker", "A merge conflict was left in the front matter. It does not load."),
		skip("conflicting-key", "name or description is there twice with different values. It does not load."),
		skip("control-character", "YAML forbids a control character that is in the front matter. It does not load."),
		skip("description-not-text", "The description is a list or map to YAML. It does not load."),
		skip("missing", "The file does not begin with a front matter. It does not load."),
		skip("no-blank-after-colon", "A key has no blank after its colon, so YAML sees no key. It does not load."),
		skip("no-description", "There is no description. It does not load: a model could not know when to use it."),
		skip("not-a-mapping", "The front matter is not made of keys. It does not load."),
		skip("not-closed", "The front matter has no closing line of three dashes. It does not load."),
		skip("not-yaml", "The front matter is not YAML and no repair is certain. It does not load."),
		skip("nul-byte", "The file holds a NUL byte. It does not load."),
		skip("open-quote", "A quote is not closed. It does not load."),
		skip("runs-on", "A broken entry runs on in the next lines, so it is unclear where it ends. It does not load."),
		skip("too-large", "The file has more than 1 MiB. It does not load."),
		skip("too-long", "The front matter has more than 64 KiB. It does not load."),
		skip("unclear-description", "The description is no YAML and its lines can be read in several ways. It does not load."),
		repair("joined-lines", "The description is no YAML; its lines were joined. Quote it."),
		repair("key-case", "A key is spelled with capitals, which other clients do not read."),
		repair("leading-lines", "Something stands before the first line of three dashes. Other clients do not see the skill."),
		repair("left-out", "An entry is no YAML and was left out."),
		repair("name-not-text", "The name is a list or map to YAML; the folder's name stands in."),
		repair("no-name", "There is no name; the folder's name stands in."),
		repair("read-verbatim", "An entry is no YAML and was read as it is written. Quote it."),
		repair("surrogate-escape", "A quoted value has JSON escapes that YAML does not have."),
		{p + "duplicate-key", sevWarn, both(), "A key is there twice; the first one counts."},
		{p + "glued-closer", sevWarn, only(ProfileUpload, sevError), "Text follows the closing dashes on their line."},
		{p + "not-boolean", sevWarn, nil, "A key wants true or false; its default is used."},
		{p + "anchor-dropped", sevWarn, nil, "YAML takes the first word for an anchor and drops it. Quote the value."},
		{p + "comment-cut", sevWarn, nil, "YAML takes the text after ` #` for a comment and drops it. Quote the value."},
		{p + "dots-closer", sevWarn, both(), "The front matter is closed by three dots, which most clients do not know."},
		{p + "key-spelling", sevInfo, nil, "A key is read although its spelling is not the usual one."},
		{p + "tag-dropped", sevWarn, nil, "YAML takes the first word for a tag and drops it. Quote the value."},
		{p + "unquoted-value", sevInfo, nil, "A number, date or truth value that readers with types change. Quote it."},
		{"skill.unreadable", sevError, nil, "The file cannot be read, is no regular file, or is a link out of its folder. It does not load."},
	}
}

func nameRules() []Rule {
	return []Rule{
		{"name.character", sevError, nil, "The name holds a control, bidirectional, zero-width or path character, which can deceive or leave a folder."},
		{"name.empty", sevError, nil, "The name is there and empty."},
		{"name.folder", sevWarn, map[string]diag.Severity{ProfileSpec: sevError, ProfileUpload: sevError, ProfileClaude: sevInfo}, "Name and folder differ, so nobody knows which one is the skill's name."},
		{"name.not-ascii", sevInfo, nil, "The name has letters outside a–z. That is legal, but not every client takes it."},
		{"name.not-kebab", sevWarn, both(), "The name is not made of lower-case letters, digits and single hyphens."},
		{"name.reserved", off, only(ProfileClaude, sevWarn), "The folder name is reserved in Claude Code."},
		{"name.too-long", sevError, nil, "The name has more than 64 characters."},
	}
}

func textRules() []Rule {
	return []Rule{
		{"allowed-tools.brackets", sevWarn, nil, "The brackets in allowed-tools do not match, so it is unclear where an entry ends."},
		{"allowed-tools.unknown", sevInfo, nil, "allowed-tools names a tool that is neither built in nor prebuilt here."},
		{"compatibility.too-long", sevWarn, both(), "compatibility has more than 500 characters."},
		{"description.claude-cap", off, only(ProfileClaude, sevWarn), "Claude Code cuts description and when_to_use at 1,536 characters together."},
		{"description.invisible", sevWarn, nil, "The description holds characters that hide or reorder text."},
		{"description.markup", sevInfo, only(ProfileUpload, sevError), "The description holds an angle bracket; some clients put it into an index unescaped."},
		{"description.no-when", sevInfo, nil, "The description does not say when to use the skill, which is what a model decides by."},
		{"description.tag", sevWarn, only(ProfileUpload, sevError), "The description holds a closing tag, which can break out of an index that is not escaped."},
		{"description.too-long", sevWarn, both(), "The description has more than 1,024 characters."},
		{"key.unknown", sevInfo, both(), "agentctl does not know the key and leaves it alone."},
		{"metadata.value", sevInfo, nil, "The standard wants strings in metadata; some clients drop the skill otherwise."},
	}
}

func bodyRules() []Rule {
	return []Rule{
		{"body.code-block", sevInfo, nil, "A program of more than 30 lines stands in the text. Put it into scripts/, where it is run and not copied."},
		{"body.empty", sevWarn, nil, "There is no text below the front matter."},
		{"body.inline-shell", sevInfo, nil, "Claude Code runs !`…` before a model reads the skill; agentctl and most others never do."},
		{"body.invisible", sevWarn, nil, "The body holds characters that hide or reorder text."},
		{"body.lines", sevInfo, nil, "The body has more than 500 lines. Move details to references/."},
		{"body.secret", sevWarn, nil, "A string looks like a password, token or private key. Read it from the environment."},
		{"body.todo", sevInfo, nil, "A TODO was left in the body."},
		{"body.tokens", sevInfo, nil, "The body has more than about 5,000 tokens. Move details to references/."},
		{"body.too-long", sevWarn, nil, "The body has more than 50,000 characters: a model gets it in pieces, and save refuses it."},
		{"body.unfilled", sevInfo, nil, "A section holds nothing but the comment of a template. Write it, or delete the heading."},
		{"link.absolute", sevWarn, nil, "A path of one person's machine; others do not have it."},
		{"link.missing", sevWarn, nil, "A relative link or path leads to a file that the skill does not hold."},
		{"link.outside", sevWarn, nil, "A relative link leaves the skill's folder and breaks when the skill is moved."},
	}
}

func fileRules() []Rule {
	return []Rule{
		{"file.bom", sevInfo, both(), "The file begins with a byte order mark."},
		{"file.crlf", sevInfo, only(ProfileUpload, sevError), "Lines end in CR LF."},
		{"file.exec", sevInfo, nil, "A file is executable without a #! line; it is not clear what runs it."},
		{"file.export", sevWarn, nil, "The folder cannot be exported as it is: a name or size that archives do not carry."},
		{"file.name-case", sevWarn, only(ProfileUpload, sevError), "The manifest is not spelled SKILL.md; most clients do not find it."},
		{"file.nested-skill", sevInfo, only(ProfileUpload, sevError), "A SKILL.md lies below the skill. It is a file of this skill, never a skill of its own."},
		{"file.no-shebang", sevInfo, nil, "A program in scripts/ has no #! line, so its extension alone says what runs it."},
		{"file.secret", sevWarn, nil, "A file holds a string that looks like a password, token or private key."},
		{"file.shebang-crlf", sevWarn, nil, "The #! line ends in CR, so the system does not find the interpreter."},
		{"file.symlink", sevError, nil, "A symbolic link: it is refused on export and import, and can show files from elsewhere."},
		{"tools-yaml.entry", sevError, nil, "An entry of tools.yaml is wrong."},
		{"tools-yaml.unreadable", sevError, nil, "tools.yaml cannot be read."},
	}
}

// severities are the severities of all rules in one profile.
func severities(profile string) map[string]diag.Severity {
	out := map[string]diag.Severity{}
	for _, r := range Rules() {
		out[r.ID] = r.Severity
		if s, ok := r.Profiles[profile]; ok {
			out[r.ID] = s
		}
	}
	return out
}
