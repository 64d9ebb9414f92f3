package builtin_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var offset = regexp.MustCompile(`\[lines \d+-\d+; more follow: call read_file\(path="f", offset=(\d+)\)\]\n$`)

// FuzzReadFile holds that following the notes of read_file gives the whole file.
func FuzzReadFile(f *testing.F) {
	f.Add([]byte("a\nb\n"), 1)
	f.Add([]byte("no end"), 0)
	f.Add([]byte("\n\n\xff\n"), 2)
	f.Add([]byte(strings.Repeat("ä", 200)+"\r\n"), 1)
	f.Add([]byte{}, 3)
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		if bytes.IndexByte(data, 0) >= 0 || len(data) > 4000 {
			return
		}
		limit = 1 + limit&7
		env := newEnv(t, nil)
		if err := os.WriteFile(filepath.Join(env.Workspace, "f"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for next := 1; next > 0; {
			out := run(t, env, "read_file", args{"path": "f", "offset": next, "limit": limit})
			if out.Failed {
				t.Fatal(out.Text)
			}
			text := out.Text
			m := offset.FindStringSubmatchIndex(text)
			if next = 0; m != nil {
				next, _ = strconv.Atoi(text[m[2]:m[3]])
				text = text[:m[0]]
			}
			got.WriteString(text)
		}
		want := "(the file is empty)"
		if len(data) > 0 {
			var lines strings.Builder
			for line := range strings.Lines(string(data)) {
				lines.WriteString(strings.ToValidUTF8(line, "\uFFFD"))
			}
			want = lines.String()
		}
		if got.String() != want {
			t.Fatalf("got  %q\nwant %q", got.String(), want)
		}
	})
}
