package toolpkg

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/internal/archive"
)

// contentsName is the list of the files of a build: one line each, sorted by
// path, "mode sha256 size path". It is part of what the digest, and so the name of
// the folder, speaks of.
const contentsName = "contents"

// To find damage nothing but names, sizes, modes and links is looked at, which
// costs little for an environment of thousands of files. Of content as much is
// read as the sources of a package may have: the smallest files first, which are
// the launcher, the schemas and scripts.
const (
	readContents = 2 << 20
	fileCost     = 4 << 10 // of opening one, in bytes that could be read meanwhile
)

// content is one line of the list.
type content struct {
	archive.Entry
	size int64
}

// writeContents lists the files of a finished build in it, and returns the digest
// of all of them.
func writeContents(ctx context.Context, dir string) (digest string, err error) {
	entries, err := archive.Scan(ctx, os.DirFS(dir), archive.ScanOptions{Links: true})
	if err != nil {
		return "", err
	}
	var list bytes.Buffer
	for _, e := range entries {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(e.Path)))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&list, "%s %s %d %s\n", e.Mode, e.Sum, info.Size(), e.Path)
	}
	err = os.WriteFile(filepath.Join(dir, contentsName), list.Bytes(), 0o644)
	return contentsDigest(entries, list.Bytes()), err
}

// contentsDigest is that of a folder with these files and their list.
func contentsDigest(entries []archive.Entry, list []byte) string {
	own := archive.Entry{Path: contentsName, Mode: archive.ModeFile, Sum: sumOf(list)}
	return archive.DigestOf(append(slices.Clip(entries), own))
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// parseContents reads the list of the build with this digest, in hex; ok is false
// for any other text.
func parseContents(list []byte, digest string) (files []content, ok bool) {
	var entries []archive.Entry
	for line := range strings.Lines(string(list)) {
		words := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		if len(words) != 4 {
			return nil, false
		}
		size, err := strconv.ParseInt(words[2], 10, 64)
		if err != nil {
			return nil, false
		}
		e := archive.Entry{Mode: words[0], Sum: words[1], Path: words[3]}
		entries, files = append(entries, e), append(files, content{e, size})
	}
	return files, strings.HasSuffix(contentsDigest(entries, list), digest)
}

// damage says what of a build is not as it was published, one line each:
// "runtime/app.py is missing". Nothing is all right. Files that were added do no
// harm, since systems leave some wherever they look, nor does bytecode that is gone.
func damage(dir string) []string {
	fsys := os.DirFS(dir)
	list, err := fs.ReadFile(fsys, contentsName)
	if err != nil {
		return []string{contentsName + " " + unreadable(err)}
	}
	files, ok := parseContents(list, filepath.Base(dir))
	if !ok {
		return []string{contentsName + " was changed"}
	}
	read := affordable(files)
	var out []string
	gone := "\x00" // a folder, all of which is missing
	for i, f := range files {
		if strings.HasPrefix(f.Path, gone) {
			continue
		}
		switch err := f.check(fsys, read[i]); {
		case errors.Is(err, fs.ErrNotExist) && strings.Contains(f.Path, "/__pycache__/"):
			// many a .gitignore leaves it out, and Python does without it
		case errors.Is(err, fs.ErrNotExist):
			missing := topMissing(fsys, f.Path)
			gone = missing + "/"
			out = append(out, missing+" is missing")
		case err != nil:
			out = append(out, f.Path+" "+unreadable(err))
		}
	}
	return out
}

var errChanged = errors.New("was changed")

func unreadable(err error) string {
	switch {
	case errors.Is(err, errChanged):
		return err.Error()
	case errors.Is(err, fs.ErrNotExist):
		return "is missing"
	}
	return "cannot be read: " + reason(err)
}

// affordable are the files whose content is read.
func affordable(files []content) []bool {
	order := make([]int, len(files))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(files[a].size, files[b].size) })
	read := make([]bool, len(files))
	left := int64(readContents)
	for _, i := range order {
		if left -= files[i].size + fileCost; left < 0 {
			break
		}
		read[i] = true
	}
	return read
}

// check compares a file with its line; with read it compares content too.
func (f content) check(fsys fs.FS, read bool) error {
	info, err := fs.Lstat(fsys, f.Path)
	if err != nil {
		return err
	}
	if f.Mode == archive.ModeLink {
		target, err := fs.ReadLink(fsys, f.Path)
		if err != nil || sumOf([]byte(target)) != f.Sum {
			return errChanged // also when it is no link any more
		}
		return nil
	}
	lost := f.Mode == archive.ModeExec && info.Mode()&0o111 == 0
	if !info.Mode().IsRegular() || info.Size() != f.size || lost {
		return errChanged
	}
	if !read {
		return nil
	}
	data, err := fs.ReadFile(fsys, f.Path)
	if err == nil && sumOf(data) != f.Sum {
		err = errChanged
	}
	return err
}

// topMissing is the highest folder above a missing file that is missing too, else
// the file.
func topMissing(fsys fs.FS, file string) string {
	for above := path.Dir(file); above != "."; above = path.Dir(above) {
		if _, err := fs.Lstat(fsys, above); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		file = above
	}
	return file
}

// Damaged is a [*BrokenError] that says what is wrong with the files of the build;
// nil when nothing is, and for one made before builds had a list.
func (p *Package) Damaged() error {
	if _, err := os.Lstat(filepath.Join(p.Dir, contentsName)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	found := damage(p.Dir)
	if len(found) == 0 {
		return nil
	}
	text := strings.Join(found[:min(len(found), 3)], ", ")
	if more := len(found) - 3; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return &BrokenError{Package: p.Name, Reason: text}
}
