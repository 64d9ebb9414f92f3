package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

// What the user says arrives whole, whatever it holds, and is kept so that the
// session goes on with it.
func TestChatPrompts(t *testing.T) {
	t.Parallel()
	block := func(s string) string { return "look\n\n<stdin>\n" + s + "\n</stdin>" }
	tests := []struct {
		name, stdin string
		args        []string
		want        string // what the session holds
		exit        int
		err         string
	}{
		{"a prompt", "", []string{"-p", "hello"}, "hello", exitOK, ""},
		{"a MiB on stdin", strings.Repeat("0123456789abcde\n", 1<<16), []string{"-p", "-"}, strings.Repeat("0123456789abcde\n", 1<<16), exitOK, ""},
		{"as much as is allowed", strings.Repeat("x", maxStdin), nil, strings.Repeat("x", maxStdin), exitOK, ""},
		{"a byte more", strings.Repeat("x", maxStdin+1), nil, "", exitUsage, "stdin has more than 4 MiB"},
		{"a byte more beside a prompt", strings.Repeat("x", maxStdin+1), []string{"-p", "look", "-"}, "", exitUsage, "save it in the workspace and name the file"},
		{"no text at all", "", []string{"-p", "look", "-"}, "look", exitOK, ""},
		{"bytes that are no UTF-8", "a\xff\xfe\xc3b", nil, "a�b", exitOK, ""},
		{"the same beside a prompt", "a\xffb\n", []string{"-p", "look", "-"}, block("a�b"), exitOK, ""},
		{"the same as a prompt", "", []string{"-p", "a\xffb"}, "a�b", exitOK, ""},
		{"NUL and controls", "a\x00b\x1b[31m\r\n", nil, "a\x00b\x1b[31m\r\n", exitOK, ""},
		{"separators of other kinds", "a\u2028b\u0085c", nil, "a\u2028b\u0085c", exitOK, ""},
		{"a mark before UTF-8", "\ufeffhello", nil, "hello", exitOK, ""},
		{"nothing but the mark", "\ufeff", nil, "", exitUsage, "the prompt on stdin is empty"},
		{"only blanks", " \n\t", nil, "", exitUsage, "the prompt on stdin is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFiles(t, dir, map[string]string{"one.yaml": "version: 1\nsteps: [{reply: {text: hi}}]\n", "two.yaml": "version: 1\nsteps: [{when: {messages: 4}, reply: {text: on}}]\n"})
			chat := []string{"chat", "--model"}
			out, errOut, exit := runWith(t, dir, tt.stdin, append(append(chat, "scripted:one.yaml"), tt.args...)...)
			if exit != tt.exit || !strings.Contains(errOut, tt.err) {
				t.Fatalf("exit code %d, want %d: %s%s", exit, tt.exit, out, errOut)
			}
			files, _ := filepath.Glob(filepath.Join(dir, ".home/state/workspaces/*/sessions/*.jsonl"))
			if tt.exit != exitOK {
				if len(files) != 0 || len(out) != 0 {
					t.Errorf("a run that was refused left %v and printed %q", files, out)
				}
				return
			}
			if got := said(t, files[0]); got != tt.want {
				t.Errorf("the session holds %.100q of %d bytes, want %.100q of %d", got, len(got), tt.want, len(tt.want))
			}
			if out, errOut, exit := runWith(t, dir, "", append(chat, "scripted:two.yaml", "--continue", "-p", "more")...); exit != exitOK || string(out) != "on\n" {
				t.Errorf("then: exit code %d, %s%s", exit, out, errOut)
			}
		})
	}
}

// said is the first thing that the user said in a session.
func said(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	records, _, err := session.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if u, ok := r.Body.(session.User); ok {
			return u.Text
		}
	}
	t.Fatal("the user said nothing")
	return ""
}
