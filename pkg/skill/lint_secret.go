package skill

import (
	"bytes"
	"io"
	"regexp"
	"strings"
)

// secretKinds are the forms of credentials that cannot be mistaken: what issues
// them gives them a mark. marks are what a text must hold for pattern to be tried.
var secretKinds = []struct {
	what    string
	marks   []string
	pattern *regexp.Regexp
}{
	{"a private key", []string{"PRIVATE KEY-----"}, regexp.MustCompile(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----`)},
	{"an AWS key", []string{"AKIA", "ASIA"}, regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{"a GitHub token", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60,})`)},
	{"a GitLab token", []string{"glpat-"}, regexp.MustCompile(`\bglpat-[\w-]{20,}`)},
	{"an API key", []string{"sk-", "sk_live_"}, regexp.MustCompile(`\b(?:sk-(?:ant-|proj-|svcacct-)?[A-Za-z0-9][\w-]{18,}[0-9][\w-]*|sk_live_[A-Za-z0-9]{20,})`)},
	{"a Slack token", []string{"xox"}, regexp.MustCompile(`\bxox[abeprs]-[0-9A-Za-z-]{20,}`)},
	{"a Google API key", []string{"AIza"}, regexp.MustCompile(`\bAIza[\w-]{35}`)},
	{"a Hugging Face token", []string{"hf_"}, regexp.MustCompile(`\bhf_[A-Za-z]{34}\b`)},
	{"an npm token", []string{"npm_"}, regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}\b`)},
	{
		"a password or key",
		[]string{"assw", "ASSW", "ecret", "ECRET", "api", "Api", "API", "oken", "OKEN"},
		regexp.MustCompile(`(?i)\b(?:password|passwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token)["']?\s*[:=]\s*["']([^\s"'$<>{}]{12,})["']`),
	},
}

// placeholder are the words by which an example says that it is none.
var placeholder = regexp.MustCompile(`(?i)example|your|xxx|placeholder|change.?me|dummy|fake|redacted|\*\*\*|\.\.\.|…`)

// secrets reports strings that look like credentials. They are never repeated
// whole: what a linter prints ends in logs.
func (c *check) secrets(file string, line int, text, rule string) {
	for _, k := range secretKinds {
		if !containsAny(text, k.marks) {
			continue
		}
		for _, m := range k.pattern.FindAllStringSubmatchIndex(text, -1) {
			at, end := m[len(m)-2], m[len(m)-1]
			if found := text[at:end]; !placeholder.MatchString(found) && (len(m) == 2 || mixed(found)) {
				c.in(file, line, column(text, at), rule, "%s… looks like %s: take it out, make it invalid, and read it from the environment", found[:4], k.what)
			}
		}
	}
}

func containsAny(text string, marks []string) bool {
	for _, m := range marks {
		if strings.Contains(text, m) {
			return true
		}
	}
	return false
}

// mixed tells whether a string is more than words: letters with digits.
func mixed(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
}

// fileSecrets looks through a whole text file.
func (c *check) fileSecrets(path string, head []byte, rest io.Reader) error {
	data, err := io.ReadAll(io.MultiReader(bytes.NewReader(head), rest))
	if err != nil || binary(data) {
		return err
	}
	n := 1
	for text := range bytes.Lines(data) {
		c.secrets(path, n, strings.TrimRight(string(text), "\r\n"), "file.secret")
		n++
	}
	return nil
}
