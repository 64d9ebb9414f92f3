package archive

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The modes that a digest knows. Everything else about a file's mode differs
// between machines and says nothing about its content.
const (
	ModeFile = "0644"
	ModeExec = "0755"
	ModeLink = "link" // the content is the target
)

// Entry is one file of a digested set.
type Entry struct {
	Path string // slash separated, relative
	Mode string // [ModeFile], [ModeExec] or [ModeLink]
	Sum  string // hex sha256 of the content
}

// ScanOptions say what belongs to a set. The zero value takes every file and
// refuses links.
type ScanOptions struct {
	// Keep tells whether a path belongs to the set; false for a folder leaves out
	// what is below. nil keeps everything.
	Keep func(p string, isDir bool) bool
	// Links lets in symbolic links whose target is relative and stays inside.
	Links bool
}

// PathError reports a path that cannot be part of a set.
type PathError struct{ Path, Reason string }

func (e *PathError) Error() string { return fmt.Sprintf("%q %s", e.Path, e.Reason) }

// Digest is the content digest of a folder, zip or checkout: "sha256:" and the
// hex sha256 of one line for each file, sorted by path:
//
//	path NUL mode NUL hex-sha256(content) LF
//
// Folders, times and owners do not count. The error is a [*PathError], that of
// the file system, or that of ctx.
func Digest(ctx context.Context, fsys fs.FS, opts ScanOptions) (string, error) {
	entries, err := Scan(ctx, fsys, opts)
	if err != nil {
		return "", err
	}
	return DigestOf(entries), nil
}

// DigestOf is the digest of entries in any order.
func DigestOf(entries []Entry) string {
	h := sha256.New()
	for _, e := range slices.SortedFunc(slices.Values(entries), byPath) {
		fmt.Fprintf(h, "%s\x00%s\x00%s\n", e.Path, e.Mode, e.Sum)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

func byPath(a, b Entry) int { return cmp.Compare(a.Path, b.Path) }

// Scan reads every file of a set and returns the entries sorted by path. The
// errors are those of [Digest].
func Scan(ctx context.Context, fsys fs.FS, opts ScanOptions) ([]Entry, error) {
	var entries []Entry
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if p == "." {
			return nil
		}
		if opts.Keep != nil && !opts.Keep(p, d.IsDir()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if err := CheckPath(p); err != nil || d.IsDir() {
			return err
		}
		e, err := entry(fsys, p, d, opts.Links)
		entries = append(entries, e)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(entries, byPath)
	return entries, nil
}

// CheckPath refuses a path that holds a control character or is no UTF-8: it
// could forge a line of the digest, and no archive carries it.
func CheckPath(p string) error {
	if !utf8.ValidString(p) {
		return &PathError{p, "is not UTF-8; rename it"}
	}
	if strings.ContainsFunc(p, unicode.IsControl) {
		return &PathError{p, "holds a control character; rename it"}
	}
	return nil
}

func entry(fsys fs.FS, p string, d fs.DirEntry, links bool) (Entry, error) {
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		if !links {
			return Entry{}, &PathError{p, "is a symbolic link; put the file itself there"}
		}
		return linkEntry(fsys, p)
	case !d.Type().IsRegular():
		return Entry{}, &PathError{p, "is neither a file nor a folder; remove it"}
	}
	info, err := d.Info()
	if err != nil {
		return Entry{}, err
	}
	sum, err := fileSum(fsys, p, info.Size())
	return Entry{Path: p, Mode: fileMode(info.Mode()), Sum: sum}, err
}

func fileMode(m fs.FileMode) string {
	if m&0o111 != 0 {
		return ModeExec
	}
	return ModeFile
}

func linkEntry(fsys fs.FS, p string) (Entry, error) {
	target, err := fs.ReadLink(fsys, p)
	if err != nil {
		return Entry{}, err
	}
	inside := path.Join(path.Dir(p), target)
	if path.IsAbs(target) || inside == ".." || strings.HasPrefix(inside, "../") {
		return Entry{}, &PathError{p, fmt.Sprintf("is a link out of the folder, to %q", target)}
	}
	if err := CheckPath(target); err != nil {
		return Entry{}, err
	}
	sum := sha256.Sum256([]byte(target))
	return Entry{Path: p, Mode: ModeLink, Sum: hex.EncodeToString(sum[:])}, nil
}

// wholeFile is the size up to which a file is read in one piece, which is twice
// as fast as copying it through a buffer.
const wholeFile = 8 << 20

func fileSum(fsys fs.FS, p string, size int64) (string, error) {
	if size <= wholeFile {
		data, err := fs.ReadFile(fsys, p)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(data)
		return hex.EncodeToString(sum[:]), nil
	}
	f, err := fsys.Open(p)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
