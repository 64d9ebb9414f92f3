package skill

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestInterpreter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"env", "#!/usr/bin/env python3\nx", "python3"},
		{"split", "#!/usr/bin/env -S node --test\n", "node --test"},
		{"uv", "#!/usr/bin/env -S uv run --script\nx", "python3"},
		{"UPPER.PY", "x", "python3"},
		{"long.sh", "#!/" + strings.Repeat("x", 300) + "\n", "sh"},
		{"abs.py", "#!/home/me/bin/python3.12 -u\r\n", "python3.12 -u"},
		{"plain.py", "x", "python3"},
		{"a.sh", "", "sh"},
		{"m.mjs", "x", "node"},
		{"vars", "#!/usr/bin/env A=b node", "node"},
		{"empty.py", "#!\n", "python3"},
		{"envonly.sh", "#!/usr/bin/env\n", "sh"},
	} {
		fsys := fstest.MapFS{tt.name: {Data: []byte(tt.text)}}
		if got, err := Interpreter(fsys, tt.name); err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("%s: got %q, %v, want %s", tt.name, got, err, tt.want)
		}
	}
	fsys := fstest.MapFS{"none": {Data: []byte("x")}}
	for _, name := range []string{"none", "missing"} {
		if _, err := Interpreter(fsys, name); err == nil {
			t.Errorf("%s: something runs it", name)
		}
	}
}
