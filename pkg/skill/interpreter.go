package skill

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// interpreters are those for files without a #! line, by extension.
var interpreters = map[string]string{
	".py": "python3", ".sh": "sh", ".bash": "bash", ".js": "node", ".mjs": "node", ".cjs": "node",
	".rb": "ruby", ".pl": "perl", ".r": "Rscript", ".lua": "lua", ".php": "php",
}

// maxShebang is how much of a file is looked at: a longer first line is none that runs.
const maxShebang = 256

// Interpreter returns the program and its options that run a script, see
// [InterpreterOf].
func Interpreter(fsys fs.FS, script string) ([]string, error) {
	f, err := fsys.Open(script)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	start, err := io.ReadAll(io.LimitReader(f, maxShebang))
	if err != nil {
		return nil, err
	}
	return InterpreterOf(script, start)
}

// InterpreterOf returns the program and its options that run a script: by the #!
// line that it starts with, else by its extension, never by the x bit, which
// archives and clones lose. The path in a #! line does not count, only the
// program's name. A script for `uv run` is Python: its packages are those that
// [Prepare] installed, since nothing is downloaded when a script runs.
func InterpreterOf(script string, start []byte) ([]string, error) {
	if rest, ok := bytes.CutPrefix(start[:min(len(start), maxShebang)], []byte("#!")); ok {
		line, _, ends := bytes.Cut(rest, []byte("\n"))
		if argv := shebang(string(line)); len(argv) > 0 && (ends || len(start) < maxShebang) {
			return argv, nil
		}
	}
	if program, ok := interpreters[strings.ToLower(path.Ext(script))]; ok {
		return []string{program}, nil
	}
	return nil, fmt.Errorf("script %q has neither a #! line nor an extension that says what runs it", script)
}

// IsPython tells whether a program that [InterpreterOf] found is a Python.
func IsPython(program string) bool { return strings.HasPrefix(program, "python") }

// shebang is the command of a #! line: "/usr/bin/env -S node --test" means node --test.
func shebang(line string) []string {
	argv := strings.Fields(line)
	if len(argv) == 0 {
		return nil
	}
	argv[0] = path.Base(argv[0])
	if argv[0] == "env" {
		argv = argv[1:]
		for len(argv) > 0 && (strings.HasPrefix(argv[0], "-") || strings.Contains(argv[0], "=")) {
			argv = argv[1:]
		}
	}
	if len(argv) > 1 && argv[0] == "uv" && slices.Contains(argv, "run") {
		return []string{"python3"}
	}
	return argv
}
