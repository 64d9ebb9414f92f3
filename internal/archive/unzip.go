package archive

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// MaxZip is the largest archive that is read at all: the content at no
// compression and as much again for names.
const MaxZip = MaxTotal + MaxEntries*1024

// FormatError reports data that is no zip archive.
type FormatError struct{ Err error }

func (e *FormatError) Error() string {
	if errors.Is(e.Err, zip.ErrFormat) {
		return "not a zip archive"
	}
	return fmt.Sprintf("not a zip archive: %v", e.Err)
}
func (e *FormatError) Unwrap() error { return e.Err }

// ReadZip returns the files of a zip archive, sorted, after checking every name,
// mode and limit. What systems add by themselves (__MACOSX, .DS_Store, ._*) and
// VCS folders are left out.
//
// The error is a [*FormatError], a [*PathError] or a [*LimitError].
func ReadZip(r io.ReaderAt, size int64) ([]File, error) {
	zr, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, &FormatError{err}
	}
	if len(zr.File) > 2*MaxEntries { // folders and ignored files are entries too
		return nil, &LimitError{"", fmt.Sprintf("there are more than %d entries", 2*MaxEntries)}
	}
	var files []File
	t := newTally()
	t.wrapped = true
	for _, zf := range zr.File {
		f, ok, err := zipEntry(zf)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if err := t.add(f.Path, f.Size); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// zipEntry checks one entry; ok is false for what is left out.
func zipEntry(zf *zip.File) (f File, ok bool, err error) {
	name := strings.TrimPrefix(zf.Name, "./") // as some programs write it
	folder := strings.HasSuffix(name, "/")
	if name == "" && folder != strings.HasSuffix(zf.Name, "/") {
		return File{}, false, nil // the folder that was packed
	}
	if err := checkName(strings.TrimSuffix(name, "/")); err != nil {
		return File{}, false, err
	}
	if folder || Ignored(name) {
		return File{}, false, nil
	}
	if err := checkType(name, zf.Mode().Type()); err != nil {
		return File{}, false, err
	}
	if zf.Flags&flagEncrypted != 0 {
		return File{}, false, &PathError{name, "is encrypted; pack it without a password"}
	}
	size := zf.UncompressedSize64
	if size > MaxFile {
		size = MaxFile + 1 // refused by the tally; also keeps the conversion safe
	}
	packed := min(zf.CompressedSize64, MaxFile) // what claims more is no bomb
	if size <= MaxFile && tooSmall(int64(size), int64(packed)) {
		return File{}, false, &LimitError{name, fmt.Sprintf("unpacks to more than %d times its size", MaxRatio)}
	}
	return File{Path: name, Size: int64(size), Mode: zipMode(zf), Open: zf.Open}, true, nil
}

const flagEncrypted = 1

// The systems of a zip header whose upper attribute bits are a Unix mode.
const (
	creatorUnix  = 3
	creatorMacOS = 19
)

func zipMode(zf *zip.File) string {
	creator := zf.CreatorVersion >> 8
	if creator != creatorUnix && creator != creatorMacOS || zf.Mode().Perm() == 0 {
		return ""
	}
	return fileMode(zf.Mode())
}

// Ignored tells whether a path is no part of a package wherever it came from:
// what macOS adds to archives, and VCS data, whose hooks and settings could act.
func Ignored(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		switch part {
		case "__MACOSX", ".DS_Store", ".git", ".hg", ".svn":
			return true
		}
		if strings.HasPrefix(part, "._") {
			return true
		}
	}
	return false
}

// LayoutError reports an archive that does not hold exactly one package.
type LayoutError struct {
	Manifest string
	// Found are the folders that hold a manifest.
	Found []string
}

func (e *LayoutError) Error() string {
	if len(e.Found) > 1 {
		return fmt.Sprintf("holds %d folders with a %s (%s), and one is wanted", len(e.Found), e.Manifest, strings.Join(e.Found, ", "))
	}
	return fmt.Sprintf("holds no %s at the top or in one folder", e.Manifest)
}

// Unwrap takes the one folder off that archives often wrap around a package.
// isManifest tells which file names make a package. It returns the files below
// the package's folder, checked again, and the name of the wrapper, "" when
// there is none.
func Unwrap(files []File, manifest string, isManifest func(name string) bool) ([]File, string, error) {
	var tops []string
	for _, f := range files {
		dir, name := path.Split(f.Path)
		if !isManifest(name) {
			continue
		}
		if dir == "" {
			return files, "", Check(files)
		}
		if strings.Count(dir, "/") == 1 {
			tops = append(tops, strings.TrimSuffix(dir, "/"))
		}
	}
	if len(tops) != 1 {
		return nil, "", &LayoutError{Manifest: manifest, Found: tops}
	}
	prefix := tops[0] + "/"
	var out []File
	for _, f := range files {
		rest, ok := strings.CutPrefix(f.Path, prefix)
		if !ok {
			return nil, "", &PathError{f.Path, fmt.Sprintf("lies beside the folder %q; an archive holds one folder, or the files of one skill", tops[0])}
		}
		f.Path = rest
		out = append(out, f)
	}
	return out, tops[0], Check(out)
}
