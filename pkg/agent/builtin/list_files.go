package builtin

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentctl/agentctl/pkg/agent"
)

const listFilesName = "list_files"

// maxEntries is how many entries one call lists.
const maxEntries = 1000

// notSearched are folders of tools; what is in them is rarely what is meant.
var notSearched = []string{".git", ".hg", ".svn", ".agentctl", "node_modules", "__pycache__", ".venv", "venv", ".mypy_cache", ".pytest_cache", ".ruff_cache"}

type listFilesArgs struct {
	Path      string `json:"path,omitempty" jsonschema_description:"folder; default: the workspace"`
	Recursive bool   `json:"recursive,omitempty"`
	Offset    int    `json:"offset,omitempty" jsonschema_description:"first entry, from 1"`
}

func (e *Env) listFiles() agent.Tool {
	return newTool(listFilesName, "List a folder.", func(ctx context.Context, _ agent.Call, args listFilesArgs) (agent.Output, error) {
		p, err := e.locate(ctx, args.Path)
		if err != nil {
			return agent.Output{}, err
		}
		root, err := os.OpenRoot(p.root)
		if err != nil {
			return agent.Output{}, err
		}
		defer root.Close()
		info, err := root.Stat(p.rel)
		if err != nil {
			return agent.Output{}, e.fileError(ctx, p, err)
		}
		if !info.IsDir() {
			return agent.Output{}, refuse("%q is a file. Call %s.", p.shown, call(readFileName, "path", p.shown))
		}
		l := &listing{place: p, root: root, recursive: args.Recursive, skip: max(args.Offset, 1) - 1, room: maxText}
		if err := l.walk(ctx); err != nil {
			return agent.Output{}, e.fileError(ctx, p, err)
		}
		text, err := l.text()
		return agent.Output{Text: text}, err
	})
}

// listing collects the entries of a folder, as many as one answer holds.
type listing struct {
	place
	root      *os.Root
	recursive bool
	skip      int // entries to leave out
	seen      int
	room      int // characters left
	lines     []string
	more      bool
}

func (l *listing) walk(ctx context.Context) error {
	folder, err := l.root.OpenRoot(l.rel) // follows a link, inside the root
	if err != nil {
		return err
	}
	defer folder.Close()
	return fs.WalkDir(folder.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case name == ".":
			return err
		case err != nil:
			return nil // the folder was listed; what is in it cannot be read
		}
		return l.entry(folder, name, d)
	})
}

func (l *listing) entry(folder *os.Root, name string, d fs.DirEntry) error {
	unsearched := l.recursive && d.IsDir() && slices.Contains(notSearched, d.Name())
	if l.seen++; l.seen > l.skip {
		line := l.line(folder, name, d, unsearched)
		if l.room -= utf8.RuneCountInString(line); l.room < 0 || len(l.lines) == maxEntries {
			l.more = true
			return fs.SkipAll
		}
		l.lines = append(l.lines, line)
	}
	if d.IsDir() && (!l.recursive || unsearched) {
		return fs.SkipDir
	}
	return nil
}

func (l *listing) line(folder *os.Root, name string, d fs.DirEntry, unsearched bool) string {
	line := readable(join(l.shown, name))
	switch {
	case unsearched:
		return line + "/ (not searched)\n"
	case d.IsDir():
		return line + "/\n"
	case d.Type()&fs.ModeSymlink != 0:
		target, _ := folder.Readlink(filepath.FromSlash(name))
		return line + " -> " + readable(target) + "\n"
	case !d.Type().IsRegular():
		return line + " (no regular file)\n"
	}
	return line + "\n"
}

// readable quotes a name that would break the list.
func readable(name string) string {
	if strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name) || strings.TrimSpace(name) != name {
		return strconv.Quote(name)
	}
	return name
}

func (l *listing) text() (string, error) {
	switch {
	case l.seen == 0:
		return fmt.Sprintf("(the folder %s is empty)", readable(l.shown)), nil
	case len(l.lines) == 0:
		return "", refuse("offset %d is behind the end: there are %d entries in %q.", l.skip+1, l.seen, l.shown)
	}
	text := strings.Join(l.lines, "")
	if !l.more {
		return text, nil
	}
	args := []any{"path", l.shown}
	if l.recursive {
		args = append(args, "recursive", true)
	}
	last := l.skip + len(l.lines)
	return text + fmt.Sprintf("[entries %d-%d; more follow: call %s, or list a folder below]\n", l.skip+1, last, call(listFilesName, append(args, "offset", last+1)...)), nil
}
