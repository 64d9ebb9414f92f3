package toolpkg

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ExecBuilder takes a folder whose launch can be run as it is: a script, or a
// program that somebody else compiled.
type ExecBuilder struct{}

// Name is exec.
func (ExecBuilder) Name() string { return "exec" }

// Toolchain is nothing: the files are all.
func (ExecBuilder) Toolchain(context.Context, Build) (map[string]string, error) {
	return map[string]string{}, nil
}

// Build copies the files below runtime/ and puts a launch in front, so that the
// script finds its siblings by its own path wherever the folder goes.
func (b ExecBuilder) Build(_ context.Context, job Build) (Runtime, error) {
	entry := job.Source.Manifest.Entry
	if entry == "" {
		entry = launchName
	}
	if entry = path.Clean(entry); !slices.Contains(job.Files, entry) {
		return Runtime{}, &BuildError{Builder: b.Name(), Reason: fmt.Sprintf("%q %s; add it, or name another file in entry of TOOL.md", entry, noFile(job.Source.Dir, entry))}
	}
	info, err := os.Stat(filepath.Join(job.Source.Dir, filepath.FromSlash(entry)))
	if err != nil {
		return Runtime{}, err
	}
	if info.Mode()&0o111 == 0 {
		return Runtime{}, &BuildError{Builder: b.Name(), Reason: fmt.Sprintf("%q cannot be executed; run chmod +x on it", entry)}
	}
	if err := copyFiles(job.Source.Dir, filepath.Join(job.Out, "runtime"), job.Files); err != nil {
		return Runtime{}, err
	}
	if err := writeWrapper(job.Out, path.Join("runtime", entry)); err != nil {
		return Runtime{}, err
	}
	return scriptRuntime(filepath.Join(job.Source.Dir, filepath.FromSlash(entry)))
}

// writeWrapper writes a launch that starts another file of the package. It
// needs nothing but a shell, and finds the file from its own place.
func writeWrapper(out, target string, args ...string) error {
	words := make([]string, 0, 1+len(args))
	for _, word := range append([]string{target}, args...) {
		words = append(words, `"$dir"/'`+strings.ReplaceAll(word, "'", `'\''`)+`'`)
	}
	text := "#!/bin/sh\ndir=$(CDPATH= cd -- \"${0%/*}\" && pwd -P) || exit 126\nexec " + strings.Join(words, " ") + " \"$@\"\n"
	return os.WriteFile(filepath.Join(out, launchName), []byte(text), 0o755)
}

// scriptRuntime reads what a launcher needs from its first line. A shell is
// everywhere; a program without that line is machine code.
func scriptRuntime(file string) (Runtime, error) {
	data, err := readStart(file)
	if err != nil {
		return Runtime{}, err
	}
	line, ok := bytes.CutPrefix(data, []byte("#!"))
	if !ok {
		return Runtime{Portable: true}, nil
	}
	words := strings.Fields(string(line))
	if len(words) > 1 && path.Base(words[0]) == "env" {
		words = slices.DeleteFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-") })
	}
	if len(words) == 0 {
		return Runtime{Portable: true}, nil
	}
	if name := path.Base(words[0]); name != "sh" {
		return Runtime{Interpreter: name}, nil
	}
	return Runtime{Portable: true}, nil
}

// readStart is the first line of a file, as far as it fits in a shebang.
func readStart(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	line, _, err := bufio.NewReaderSize(f, 256).ReadLine()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return line, nil
}
