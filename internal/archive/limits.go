package archive

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// The limits of a package folder on its way in and out. Of 32,000 public skill
// folders one comes near the size (48 MB) and none near the others.
const (
	MaxTotal   = 50 << 20 // bytes in all
	MaxFile    = 10 << 20 // bytes of one file
	MaxEntries = 2_000
	MaxPath    = 240 // bytes: what Windows and tar still take below a home folder
	MaxDepth   = 10
	// MaxRatio is how much smaller than its content a zip entry of more than
	// RatioFrom bytes may be; text rarely packs better than 20:1.
	MaxRatio  = 100
	RatioFrom = 1 << 20
)

// LimitError reports a folder or archive that is larger than allowed.
type LimitError struct {
	Path   string // "" for the whole
	Reason string
}

func (e *LimitError) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return fmt.Sprintf("%q %s", e.Path, e.Reason)
}

// tally checks files one after the other against names and limits.
type tally struct {
	// wrapped lets paths be longer by one folder, which Unwrap takes off.
	wrapped      bool
	files, total int64
	folded       map[string]string // compared form: path of a file
	folders      map[string]string // compared form: a folder that files lie in
}

func newTally() *tally { return &tally{folded: map[string]string{}, folders: map[string]string{}} }

// add counts one file. The error is a [*PathError] or a [*LimitError].
func (t *tally) add(p string, size int64) error {
	if err := checkName(p); err != nil {
		return err
	}
	if err := t.checkLength(p); err != nil {
		return err
	}
	if err := t.addPath(p); err != nil {
		return err
	}
	if size > MaxFile {
		return &LimitError{p, fmt.Sprintf("has more than %d MiB; keep large data outside and say where it is", MaxFile>>20)}
	}
	if t.files++; t.files > MaxEntries {
		return &LimitError{"", fmt.Sprintf("there are more than %d files", MaxEntries)}
	}
	if t.total += size; t.total > MaxTotal {
		return &LimitError{"", fmt.Sprintf("there are more than %d MiB in all", MaxTotal>>20)}
	}
	return nil
}

// maxWrapper is the longest name of a folder around a package, with its slash.
const maxWrapper = 256

func (t *tally) checkLength(p string) error {
	length, depth := MaxPath, MaxDepth
	if t.wrapped {
		length, depth = length+maxWrapper, depth+1
	}
	switch {
	case len(p) > length:
		return &LimitError{strings.ToValidUTF8(p[:40], "") + "…", fmt.Sprintf("is longer than %d bytes", MaxPath)}
	case strings.Count(p, "/")+1 > depth:
		return &LimitError{p, fmt.Sprintf("lies deeper than %d levels", MaxDepth)}
	}
	return nil
}

// Check holds files against all names and limits.
func Check(files []File) error {
	t := newTally()
	for _, f := range files {
		if err := t.add(f.Path, f.Size); err != nil {
			return err
		}
	}
	return nil
}

// addPath refuses a path that a file system without case would take for another
// one, and a file where another one needs a folder.
func (t *tally) addPath(p string) error {
	k := foldPath(p)
	if other, ok := t.folded[k]; ok {
		if other == p {
			return &PathError{p, "is there twice"}
		}
		return &PathError{p, fmt.Sprintf("and %q differ only in case or form; rename one", other)}
	}
	if _, ok := t.folders[k]; ok {
		return &PathError{p, "is a file and a folder"}
	}
	t.folded[k] = p
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		k := foldPath(dir)
		if _, ok := t.folded[k]; ok {
			return &PathError{dir, "is a file and a folder"}
		}
		if other, ok := t.folders[k]; ok && other != dir {
			return &PathError{dir, fmt.Sprintf("and %q differ only in case or form; rename one", other)}
		}
		t.folders[k] = dir
	}
	return nil
}

func foldPath(p string) string { return strings.ToLower(norm.NFKC.String(p)) }

// checkName refuses paths that mean something else, or nothing, on some system.
func checkName(p string) error {
	if err := CheckPath(p); err != nil {
		return err
	}
	switch {
	case p == "" || strings.HasPrefix(p, "/"):
		return &PathError{p, "is an absolute path"}
	case strings.Contains(p, `\`):
		return &PathError{p, "holds a backslash"}
	case strings.Contains(p, ":"):
		return &PathError{p, "holds a colon, which is a drive or a stream on Windows"}
	case !fs.ValidPath(p) || p == ".":
		return &PathError{p, "leaves the folder or is not in its plain form"}
	}
	for part := range strings.SplitSeq(p, "/") {
		if IsDevice(part) {
			return &PathError{p, "is the name of a device on Windows"}
		}
		if strings.TrimRight(part, ". ") != part {
			return &PathError{p, "ends in a dot or blank, which Windows drops"}
		}
	}
	return nil
}

// IsDevice tells whether Windows opens a device under this name, whatever the
// extension.
func IsDevice(part string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(part), ".")
	switch stem = strings.TrimRight(stem, " "); stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	if len(stem) < 4 || stem[:3] != "COM" && stem[:3] != "LPT" {
		return false
	}
	switch stem[3:] {
	case "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
		return true
	}
	return false
}
