package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// chatScript lists a folder, then answers; each run starts it again.
const chatScript = `
version: 1
strict: false
loop: true
steps:
  - when: {messages: 2}
    reply:
      tool_calls:
        - {name: list_files, args: {path: "."}}
  - when: {tool_result: {name: list_files}}
    reply: {text: "There it is."}
`

// piecesScript thinks and speaks in n pieces of a character, calls a tool, and then
// answers.
func piecesScript(n int) string {
	var text strings.Builder
	for i := 0; text.Len() < n/2; i++ {
		fmt.Fprintf(&text, "%d ", i*7919)
	}
	words := text.String()[:n/2]
	return fmt.Sprintf(`
version: 1
strict: false
loop: true
steps:
  - when: {messages: 2}
    reply:
      thinking: %q
      text: %q
      chunk: 1
      tool_calls:
        - {name: list_files, args: {path: "."}}
  - when: {tool_result: {name: list_files}}
    reply: {text: "There it is."}
`, words, words)
}

// output runs the subject once, unmeasured.
func (s subject) output(ctx context.Context) ([]byte, error) {
	cmd := exec.CommandContext(ctx, s.argv[0], s.argv[1:]...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), s.env...)
	return cmd.CombinedOutput()
}

// emptyProgram builds a program that does nothing, with the flags of `make build`.
func (b *bench) emptyProgram(ctx context.Context) (string, error) {
	dir := filepath.Join(b.tmp, "empty")
	for name, text := range map[string]string{"go.mod": "module empty\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := writeFile(filepath.Join(dir, name), text); err != nil {
			return "", err
		}
	}
	build := subject{name: "build", argv: []string{"go", "build", "-trimpath", "-ldflags", "-s -w", "-o", "empty", "."}, dir: dir}
	if out, err := build.output(ctx); err != nil {
		return "", fmt.Errorf("build the empty program: %w\n%s", err, out)
	}
	return filepath.Join(dir, "empty"), nil
}

// writeSkills makes a workspace with n ordinary skills.
func writeSkills(dir string, n int) error {
	body := strings.Repeat("Read the table, check each column, and report what does not fit.\n", 30)
	for i := range n {
		name := fmt.Sprintf("skill-%05d", i)
		text := fmt.Sprintf("---\nname: %s\ndescription: Checks table number %d. Use when a table has to be checked.\n---\n\n# %s\n\n%s", name, i, name, body)
		if err := writeFile(filepath.Join(dir, ".skill", name, "SKILL.md"), text); err != nil {
			return err
		}
	}
	return nil
}

// launcher is a tool package by hand: the contract in a few lines of shell.
const launcher = `#!/bin/sh
case "$#" in
0) echo '[{"name":"hello","description":"Says hello."}]' ;;
1) echo '{"name":"hello","description":"Says hello.","params_json_schema":{"type":"object","properties":{},"additionalProperties":false}}' ;;
*) echo hello ;;
esac
`

// writeTool makes a tool package with 500 files of 32 KiB.
func writeTool(dir string) error {
	if err := writeFile(filepath.Join(dir, "launch"), launcher); err != nil {
		return err
	}
	if err := os.Chmod(filepath.Join(dir, "launch"), 0o755); err != nil {
		return err
	}
	for i := range 500 {
		text := strings.Repeat(fmt.Sprintf("%07d\n", i), 4096)
		if err := writeFile(filepath.Join(dir, "data", fmt.Sprintf("%03d.txt", i)), text); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// hashTree is the median time to read and hash every file below dir.
func hashTree(dir string, runs int) (time.Duration, error) {
	var all []time.Duration
	for range runs {
		start := time.Now()
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			return hashFile(path)
		})
		if err != nil {
			return 0, err
		}
		all = append(all, time.Since(start))
	}
	slices.Sort(all)
	return all[len(all)/2], nil
}

func hashFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(sha256.New(), f)
	return err
}
