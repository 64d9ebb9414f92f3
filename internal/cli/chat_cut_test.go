package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

const (
	bareApp  = "---\nname: bare\ndescription: No tools.\ntools: []\nskill-sources: []\n---\nBe brief.\n"
	smallApp = "---\nname: small\ndescription: Two tools.\ntools: [list_files, ask_user]\nskill-sources: []\n---\nBe brief.\n"

	bareScript = "version: 1\nsteps: [{reply: {text: 'Grüße, <b> done', usage: {in: 1, out: 2}}}]\n"
	richScript = `version: 1
steps:
  - reply: {thinking: hm, text: I look., chunk: 4, tool_calls: [{name: list_files, args: {}}, {name: list_files, args: {path: apps}}], usage: {in: 9, out: 3}}
  - reply: {text: "<tool_call>{\"name\":\"list_files\",\"arguments\":{\"path\":\"a-ä\"}}</tool_call>"}
  - reply: {text: "Grüße, <b>&amp; \u2028 done"}
`
)

// Wherever a kill cuts a session off, the real chat goes on with it: of a small
// one at every byte but within the long first line, of which nothing is left
// wherever it is cut; of a rich one around each end of a line and here and there.
func TestChatContinuesAfterAnyCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		app, script string
		stride      int
	}{{"bare", bareScript, 1}, {"small", richScript, 101}} {
		t.Run(tt.app, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFiles(t, dir, map[string]string{
				"apps/small/APP.md": smallApp, "apps/bare/APP.md": bareApp, "first.yaml": tt.script,
				"next.yaml": "version: 1\nsteps: [{when: {user: 'again'}, reply: {text: on}}]\n",
			})
			chat := []string{"chat", "--trust-workspace", "--app", tt.app}
			if out, errOut, exit := runHere(t, dir, append(chat, "--model", "scripted:first.yaml", "-p", "go")...); exit != exitOK {
				t.Fatalf("exit code %d, %s%s", exit, out, errOut)
			}
			files, err := filepath.Glob(filepath.Join(dir, ".home/state/workspaces/*/sessions/*.jsonl"))
			if err != nil || len(files) != 1 {
				t.Fatalf("sessions %v, error %v", files, err)
			}
			whole, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			first := bytes.IndexByte(whole, '\n')
			for cut := range whole {
				stride := tt.stride
				if cut < first {
					stride = 101
				}
				if cut%stride != 0 && !bytes.ContainsRune(whole[max(cut-2, 0):min(cut+2, len(whole))], '\n') {
					continue
				}
				if err := os.WriteFile(files[0], whole[:cut], 0o600); err != nil {
					t.Fatal(err)
				}
				out, errOut, exit := runHere(t, dir, append(chat, "--continue", "--model", "scripted:next.yaml", "-p", "again")...)
				if exit != exitOK || string(out) != "on\n" {
					t.Fatalf("cut at %d of %d: exit code %d, %s%s", cut, len(whole), exit, out, errOut)
				}
				goesOn(t, files[0], whole[:cut])
			}
		})
	}
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// goesOn checks that a session holds the whole lines from before the cut, and a
// run after them.
func goesOn(t *testing.T, file string, before []byte) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	kept := before[:bytes.LastIndexByte(before, '\n')+1]
	records, good, err := session.Read(bytes.NewReader(data))
	if err != nil || int(good) != len(data) || !bytes.HasPrefix(data, kept) {
		t.Fatalf("cut at %d: %d of %d bytes are good, error %v", len(before), good, len(data), err)
	}
	for i, r := range records {
		if r.Seq != i+1 {
			t.Fatalf("cut at %d: record %d has seq %d", len(before), i+1, r.Seq)
		}
	}
	added := records[bytes.Count(kept, []byte("\n")):]
	if first, last := added[0].Type, added[len(added)-1].Type; first != session.TypeInit || last != session.TypeResult {
		t.Fatalf("cut at %d: the run begins with %s and ends with %s", len(before), first, last)
	}
	if strings.Count(string(data), `"stop":"answer"`) == 0 {
		t.Fatalf("cut at %d: no answer", len(before))
	}
}
