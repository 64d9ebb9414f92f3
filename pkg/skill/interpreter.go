package skill

import (
	"bufio"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// interpreters are those for files without a #! line, by extension.
var interpreters = map[string]string{
	".py": "python3", ".sh": "sh", ".bash": "bash", ".js": "node", ".mjs": "node", ".cjs": "node", ".rb": "ruby", ".pl": "perl",
}

// Interpreter returns the program and its options that run a script: by its #!
// line, else by its extension, never by the x bit, which archives and clones
// lose. The path in a #! line does not count, only the program's name.
func Interpreter(fsys fs.FS, script string) ([]string, error) {
	f, err := fsys.Open(script)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	line, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n') // a longer line is none that runs
	if rest, ok := strings.CutPrefix(string(line), "#!"); ok {
		if argv := shebang(rest); len(argv) > 0 {
			return argv, nil
		}
	}
	if program, ok := interpreters[path.Ext(script)]; ok {
		return []string{program}, nil
	}
	return nil, fmt.Errorf("script %q has neither a #! line nor an extension that says what runs it", script)
}

// shebang is the command of a #! line: "/usr/bin/env -S uv run" means uv run.
func shebang(line string) []string {
	argv := strings.Fields(line)
	if len(argv) == 0 {
		return nil
	}
	argv[0] = path.Base(argv[0])
	if argv[0] != "env" {
		return argv
	}
	argv = argv[1:]
	for len(argv) > 0 && (strings.HasPrefix(argv[0], "-") || strings.Contains(argv[0], "=")) {
		argv = argv[1:]
	}
	return argv
}
