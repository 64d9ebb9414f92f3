package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/agentctl/agentctl/pkg/sandbox/internal/rawtext"
)

// Watch is something protected that no mount holds: it did not exist when the
// command started, or was a symbolic link, or the backend mounts nothing. What
// it was is compared with what it is. It can be kept as JSON, so that the
// comparison does not depend on the process that started the command.
type Watch struct {
	Path string `json:"path"`           // as the policy gave it
	Real string `json:"real"`           // where it lies on the host
	Link string `json:"link,omitempty"` // what the link said
	To   string `json:"to,omitempty"`   // where that led, by every other link
	Sum  string `json:"sum,omitempty"`  // what lay there
	// File is the name that [FolderWatch] gave; Had are the folders that had such a
	// file, or may have had one.
	File string   `json:"file,omitempty"`
	Had  []string `json:"had,omitempty"`
}

// watchJSON has the fields of a watch and none of its methods.
type watchJSON Watch

// MarshalJSON keeps each path, see [PathText].
func (w Watch) MarshalJSON() ([]byte, error) {
	return json.Marshal(watchJSON(w.mapped(rawtext.Quote)))
}

// UnmarshalJSON reads what [Watch.MarshalJSON] wrote.
func (w *Watch) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*watchJSON)(w)); err != nil {
		return err
	}
	*w = w.mapped(rawtext.Unquote)
	return nil
}

// mapped returns a copy with f applied to every path.
func (w Watch) mapped(f func(string) string) Watch {
	w.Path, w.Real, w.Link, w.To = f(w.Path), f(w.Real), f(w.Link), f(w.To)
	w.File, w.Had = f(w.File), rawtext.Each(w.Had, f)
	return w
}

// Change is the word for what happened to the paths of Appeared: where file writes
// are not enforced, what was there may have changed.
func (r Result) Change() string {
	if slices.Contains(r.Missing, FileWrites) {
		return "appeared or changed"
	}
	return "appeared"
}

// FolderWatch is a folder that becomes protected as a whole once a folder in it
// has a certain file.
type FolderWatch struct{ Dir, File string }

// Watched returns what a run of the policy would watch. A backend reports it in
// [Result.Appeared] when the run has ended; this is for those who must know
// earlier, or when nobody is left to report.
func Watched(b Backend, p Policy) []Watch {
	pl := &plan{}
	for _, m := range p.ReadWrite {
		if g, err := (host{}).grant(m, true); err == nil { // Run refuses the others
			pl.grants = append(pl.grants, g)
		}
	}
	sortGrants(pl.grants)
	pl.protect(p)
	if _, ok := b.(mountless); ok {
		pl.watchHeld()
	}
	return pl.watch
}

// mountless is a backend that holds no protected path by a mount.
type mountless interface{ mountless() }

// Appeared returns the paths that came into being or changed, nil if there is
// none.
func (w Watch) Appeared() []string {
	switch {
	case w.File != "":
		var out []string
		for _, name := range foldersWith(w.Real, w.File) {
			switch {
			case slices.Contains(w.Had, name):
			case name == unreadable:
				out = append(out, w.Path)
			default:
				out = append(out, filepath.Join(w.Path, name, w.File))
			}
		}
		return out
	case w.Sum != "" && w.Sum == sum(w.Real), w.Sum == "" && !w.changed():
		return nil
	}
	return []string{w.Path}
}

// changed reports whether something is there that was not.
func (w Watch) changed() bool {
	info, err := os.Lstat(w.Real)
	if err != nil {
		return !absent(err)
	}
	if w.Link == "" || info.Mode()&os.ModeSymlink == 0 {
		return true
	}
	link, err := os.Readlink(w.Real)
	to := destination(w.Real)
	return err != nil || link != w.Link || to != "" && to != w.To
}

// absent tells an error that means that nothing is there from one that says
// nothing about it.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// destination is where a link leads in the end: "" if nothing is there, and why it
// cannot be told if so.
func destination(link string) string {
	real, err := filepath.EvalSymlinks(link)
	if err != nil && !absent(err) {
		return err.Error()
	}
	return real
}

// Appeared lists what appeared of all that was watched, sorted, without what
// lies in a folder that appeared itself.
func Appeared(ws []Watch) []string {
	var all, out []string
	for _, w := range ws {
		all = append(all, w.Appeared()...)
	}
	slices.Sort(all)
	for _, path := range all {
		if !slices.ContainsFunc(out, func(dir string) bool { return within(path, dir) }) {
			out = append(out, path)
		}
	}
	return out
}

func (pl *plan) watchFolder(f FolderWatch, writable []grant) {
	real := followed(f.Dir)
	if _, _, ok := enclosing(real, writable); ok && isDir(real) {
		pl.watch = append(pl.watch, Watch{Path: filepath.Clean(f.Dir), Real: real, File: f.File, Had: foldersWith(real, f.File)})
	}
}

// unreadable stands for folders in a folder that cannot be listed. No folder has
// this name.
const unreadable = "."

// foldersWith are the folders in dir, also by a link, that have a file of the
// name. What cannot be looked at may have one.
func foldersWith(dir, file string) []string {
	entries, err := os.ReadDir(dir)
	var out []string
	if err != nil && !absent(err) {
		out = append(out, unreadable)
	}
	for _, e := range entries {
		if _, err := os.Lstat(filepath.Join(dir, e.Name(), file)); !absent(err) {
			out = append(out, e.Name())
		}
	}
	return out
}

// watchHeld watches also what exists. A backend that cannot mount does not hold
// it either.
func (pl *plan) watchHeld() {
	for _, w := range pl.held {
		if slices.Contains(busy, filepath.Base(w.Real)) {
			continue
		}
		w.Sum = sum(w.Real)
		pl.watch = append(pl.watch, w)
	}
}

// maxSum bounds how much of a folder is looked at: ten times the folders that
// loading skills looks at.
const maxSum = 200_000

// sum stands for everything below a path. The kernel's own time of change tells
// what a program puts back as it was.
func sum(path string) string {
	h := sha256.New()
	left := maxSum
	_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if left--; left < 0 {
			return fs.SkipAll
		}
		fmt.Fprintf(h, "%q %v ", p, err)
		if d == nil {
			return nil
		}
		if info, err := d.Info(); err == nil && !info.IsDir() {
			fmt.Fprint(h, info.Mode(), info.Size(), info.ModTime().UnixNano(), changeTime(info))
		}
		return nil
	})
	return hex.EncodeToString(h.Sum(nil)[:16])
}
