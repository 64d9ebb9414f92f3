package toolpkg

import (
	"errors"
	"os"
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
