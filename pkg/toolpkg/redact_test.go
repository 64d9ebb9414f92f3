package toolpkg

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestRedactor(t *testing.T) {
	t.Parallel()
	secrets := []secret{{"A", "hunter2"}, {"B", "hunter2-long"}, {"SHORT", "abc"}, {"EMPTY", ""}}
	tests := []struct {
		name, want string
		in         []string
	}{
		{"whole", "x [redacted:A] y", []string{"x hunter2 y"}},
		{"in pieces", "x [redacted:A] y", []string{"x hun", "te", "r2 y"}},
		{"the longer one", "[redacted:B]!", []string{"hunter2", "-long!"}},
		{"several", "[redacted:A][redacted:A]", []string{"hunter2hunter2"}},
		{"a beginning at the end", "x hunte", []string{"x ", "hunte"}},
		{"too short to hide", "abc", []string{"abc"}},
		{"byte by byte", "a[redacted:A]b", strings.Split("ahunter2b", "")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var sb strings.Builder
			r := newRedactor(&sb, secrets)
			for _, p := range tt.in {
				if n, err := r.Write([]byte(p)); err != nil || n != len(p) {
					t.Fatalf("wrote %d, %v", n, err)
				}
			}
			if err := r.Close(); err != nil || sb.String() != tt.want {
				t.Errorf("got %q, %v, want %q", sb.String(), err, tt.want)
			}
		})
	}
}

// pemKey stands for a secret of several lines, and one with what encoders escape.
const (
	pemKey = "-----BEGIN KEY-----\nMIIEvQ/ABC+def==\nshort\n-----END KEY-----\n"
	oddKey = "p\"a<b>\\c/d\té€😀&"
)

func TestRedactorKnowsSpellings(t *testing.T) {
	t.Parallel()
	secrets := []secret{{"PEM", pemKey}, {"ODD", oddKey}, {"TRAILING", "tok-1\n"}}
	encode := func(v any, html bool) string {
		var sb strings.Builder
		enc := json.NewEncoder(&sb)
		enc.SetEscapeHTML(html)
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(sb.String(), "\n")
	}
	for name, tt := range map[string]struct{ in, want string }{
		"raw":                {"a " + pemKey + oddKey, "a [redacted:PEM][redacted:ODD]"},
		"Go":                 {encode(map[string]string{"auth": pemKey}, true), `{"auth":"[redacted:PEM]"}`},
		"Go, odd":            {encode([]string{oddKey}, true), `["[redacted:ODD]"]`},
		"Go without HTML":    {encode([]string{oddKey}, false), `["[redacted:ODD]"]`},
		"JSON in JSON":       {encode(encode([]string{pemKey, oddKey}, true), true), `"[\"[redacted:PEM]\",\"[redacted:ODD]\"]"`},
		"Python":             {`"p\"a<b>\\c/d\t\u00e9\u20ac\ud83d\ude00&"`, `"[redacted:ODD]"`},
		"PHP":                {`"p\"a<b>\\c\/d\t\u00e9\u20ac\ud83d\ude00&"`, `"[redacted:ODD]"`},
		"a slash in a line":  {`"MIIEvQ\/ABC+def=="`, `"[redacted:PEM]"`},
		"one line":           {"line 2: MIIEvQ/ABC+def==.", "line 2: [redacted:PEM]."},
		"lines with CR":      {strings.ReplaceAll(pemKey, "\n", "\r\n"), "[redacted:PEM]\r\n[redacted:PEM]\r\nshort\r\n[redacted:PEM]\r\n"},
		"without its ending": {"tok-1,", "[redacted:TRAILING],"},
		"a start of it":      {"-----BEGIN KEY", "-----BEGIN KEY"},
	} {
		for _, size := range []int{1, 3, 7, len(tt.in)} {
			var sb strings.Builder
			r := newRedactor(&sb, secrets)
			for piece := range slices.Chunk([]byte(tt.in), size) {
				if _, err := r.Write(piece); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Close(); err != nil || sb.String() != tt.want {
				t.Errorf("%s in pieces of %d: got %q, %v, want %q", name, size, sb.String(), err, tt.want)
			}
		}
	}
}

func TestOutputReportsTheUsersStreamOnly(t *testing.T) {
	t.Parallel()
	closed := errors.New("closed")
	o := newOutput(spillFile{}, writerFunc(func([]byte) (int, error) { return 0, closed }), []secret{{"A", "hunter2"}})
	if _, err := o.Write([]byte("text")); !errors.Is(err, closed) {
		t.Errorf("got %v", err)
	}
	// A file that cannot be written does not end the run.
	o = newOutput(spillFile{hostFiles{err: os.ErrPermission}, "file"}, nil, nil)
	if _, err := o.Write(make([]byte, KeepHead+KeepTail+1)); err != nil {
		t.Errorf("got %v", err)
	}
	if text, err := o.close(); err == nil || text.File != "" {
		t.Errorf("got %q, %v", text.File, err)
	}
}

func FuzzRedactor(f *testing.F) {
	f.Add("x hunter2 y hunt hunter2-long", 3)
	f.Add("hunterhunter2", 1)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if size <= 0 || size > 64 {
			return
		}
		var sb strings.Builder
		r := newRedactor(&sb, []secret{{"A", "hunter2"}, {"B", "hunter2-long"}})
		for i := 0; i < len(text); i += size {
			if _, err := r.Write([]byte(text[i:min(i+size, len(text))])); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(sb.String(), "hunter2") {
			t.Errorf("%q in pieces of %d leaks: %q", text, size, sb.String())
		}
	})
}
