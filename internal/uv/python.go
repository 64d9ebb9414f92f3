package uv

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	pep440 "github.com/aquasecurity/go-pep440-version"
)

// Python is an interpreter that a finished environment can run on.
type Python struct {
	// Program is its real path; Name is what it is called, such as "python3.11".
	Program, Name string
	// Version is exact for a managed one, such as "3.12.8", and major.minor for one
	// of the system.
	Version string
	// Home is the folder of one that uv manages, which runs wherever it is copied;
	// "" for one of the system.
	Home string
}

// ID names the interpreter for a build's stamp.
func (p Python) ID() string {
	if p.Home != "" {
		return filepath.Base(p.Home)
	}
	return p.Name + " of the system"
}

// Want is what a project asks of its interpreter; the zero value is any.
type Want struct {
	// Requires are PEP 440 specifiers: ">=3.11,<3.14".
	Requires string
	// Pin is the text of a .python-version file: "3.12" or "3.12.8".
	Pin string
	// Preference is uv's python-preference: managed (the default), only-managed,
	// system or only-system.
	Preference string
}

func (w Want) String() string {
	switch {
	case w.Pin != "" && w.Requires != "":
		return fmt.Sprintf("Python %s (%s)", w.Pin, w.Requires)
	case w.Pin != "":
		return "Python " + w.Pin
	case w.Requires != "":
		return "Python " + w.Requires
	}
	return "Python 3"
}

// NoPythonError reports that no interpreter fits. Seen says what was found and
// why it does not do, one a line.
type NoPythonError struct {
	Want Want
	Seen []string
}

func (e *NoPythonError) Error() string {
	text := fmt.Sprintf("no %s that a sandbox and other users can run", e.Want)
	if len(e.Seen) > 0 {
		text += "; found " + strings.Join(e.Seen, ", ")
	}
	return text
}

// Cure is what gets one.
func (e *NoPythonError) Cure() string {
	version := cmp.Or(strings.TrimSpace(e.Want.Pin), "3")
	if m := minorPattern.FindString(e.Want.Requires); m != "" && e.Want.Pin == "" {
		version = m
	}
	return "uv python install " + version + ", or install python" + version + " with the system's packages (apt-get install python3)"
}

var minorPattern = regexp.MustCompile(`3\.\d+`)

// FindPython chooses among the interpreters that uv manages, which can be
// copied, and those in the folders of systemPath; the newest that fits. It reads
// folders and runs nothing. One below a private home, as pyenv's are, does not
// count: neither a sandbox nor another user can read it. env tells where uv
// keeps its own. The error is a [*NoPythonError] or about what is wanted.
func FindPython(w Want, env, systemPath []string) (Python, error) {
	fits, err := w.matcher()
	if err != nil {
		return Python{}, err
	}
	search := &pythonSearch{fits: fits}
	managed := func() { search.managed(managedDir(env)) }
	system := func() { search.system(systemPath) }
	switch w.Preference {
	case "", "managed":
		search.firstOf(managed, system)
	case "only-managed":
		search.firstOf(managed)
	case "system":
		search.firstOf(system, managed)
	case "only-system":
		search.firstOf(system)
	default:
		return Python{}, fmt.Errorf("python-preference %q is not known; write managed, only-managed, system or only-system", w.Preference)
	}
	if search.best == nil {
		search.shim(env)
		return Python{}, &NoPythonError{Want: w, Seen: search.seen}
	}
	return *search.best, nil
}

// matcher checks a version against requires and pin. A version of the system is
// known as far as major.minor, which a patch release never makes unfit here: the
// build asks the interpreter itself.
func (w Want) matcher() (func(version string) bool, error) {
	pin := strings.TrimSpace(w.Pin)
	if pin != "" && !versionPattern.MatchString(pin) {
		return nil, fmt.Errorf(".python-version says %q; write a version such as 3.12", pin)
	}
	specifiers, err := pep440.NewSpecifiers(cmp.Or(w.Requires, ">=3"))
	if err != nil {
		return nil, fmt.Errorf("requires-python %q: %w", w.Requires, err)
	}
	return func(version string) bool {
		pin := pin
		if strings.Count(version, ".") == 1 {
			if strings.Count(pin, ".") == 2 {
				pin = pin[:strings.LastIndex(pin, ".")]
			}
			version += ".999"
		}
		v, err := pep440.Parse(version)
		return err == nil && specifiers.Check(v) && (pin == "" || version == pin || strings.HasPrefix(version, pin+"."))
	}, nil
}

var versionPattern = regexp.MustCompile(`^3(\.\d+){0,2}$`)

// Accepts says whether an exact version is what is wanted.
func (w Want) Accepts(version string) bool {
	fits, err := w.matcher()
	return err == nil && fits(version)
}

type pythonSearch struct {
	fits func(string) bool
	best *Python
	seen []string
}

func (s *pythonSearch) firstOf(steps ...func()) {
	for _, step := range steps {
		if step(); s.best != nil {
			return
		}
	}
}

// consider keeps p when it fits and is newer than what there is.
func (s *pythonSearch) consider(p Python) {
	if reason := unusable(p.Program, p.Home == ""); reason != "" {
		s.seen = append(s.seen, p.Program+" ("+reason+")")
	} else if !s.fits(p.Version) {
		s.seen = append(s.seen, p.Program)
	} else if s.best == nil || compareVersions(p.Version, s.best.Version) > 0 {
		s.best = &p
	}
}

var managedPattern = regexp.MustCompile(`^cpython-(3\.\d+\.\d+)-([a-z]+)-([a-z0-9_]+)-([a-z]+)$`)

// managed looks at uv's own folder: cpython-3.12.8-linux-x86_64-gnu.
func (s *pythonSearch) managed(dir string) {
	entries, _ := os.ReadDir(dir) // none is as good as an empty one
	for _, e := range entries {
		m := managedPattern.FindStringSubmatch(e.Name())
		if m == nil || !e.IsDir() || m[2] != platformOS() || !strings.HasPrefix(m[3], platformArch()) {
			continue
		}
		home := filepath.Join(dir, e.Name())
		name := "python" + m[1][:strings.LastIndex(m[1], ".")]
		if program, err := filepath.EvalSymlinks(filepath.Join(home, "bin", name)); err == nil {
			s.consider(Python{Program: program, Name: name, Version: m[1], Home: home})
		}
	}
}

var systemPattern = regexp.MustCompile(`^python(3\.\d+)$`)

func (s *pythonSearch) system(dirs []string) {
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			m := systemPattern.FindStringSubmatch(e.Name())
			if m == nil {
				continue
			}
			if program, err := filepath.EvalSymlinks(filepath.Join(dir, e.Name())); err == nil {
				s.consider(Python{Program: program, Name: e.Name(), Version: m[1]})
			}
		}
	}
}

// shim adds the python3 of the caller's PATH to what was seen: people wonder why
// theirs does not count.
func (s *pythonSearch) shim(env []string) {
	path, err := lookPath("python3", env)
	if err != nil {
		return
	}
	real, err := filepath.EvalSymlinks(path)
	if reason := unusable(real, true); err == nil && reason != "" {
		s.seen = append(s.seen, path+" ("+reason+")")
	}
}

// unusable says why a program cannot be what a finished environment runs on, ""
// when it can. One that is copied may lie in a private folder; one that is used
// in place may not.
func unusable(program string, inPlace bool) string {
	f, err := os.Open(program)
	if err != nil {
		return "cannot be read"
	}
	defer f.Close()
	start := make([]byte, 2)
	if _, err := f.Read(start); err == nil && bytes.Equal(start, []byte("#!")) {
		return "a shim, not an interpreter"
	}
	if dir := private(program); inPlace && dir != "" {
		return "below the private folder " + dir
	}
	return ""
}

// private is the folder above path that other users cannot enter, "" for none.
func private(path string) string {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil && runtime.GOOS != "windows" && info.Mode()&0o001 == 0 {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func managedDir(env []string) string {
	if dir := lookup(env, "UV_PYTHON_INSTALL_DIR"); dir != "" {
		return dir
	}
	if dir := lookup(env, "XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "uv", "python")
	}
	if runtime.GOOS == "windows" {
		return filepath.Join(lookup(env, "APPDATA"), "uv", "python")
	}
	return filepath.Join(lookup(env, "HOME"), ".local", "share", "uv", "python")
}

func platformOS() string {
	if runtime.GOOS == "darwin" {
		return "macos"
	}
	return runtime.GOOS
}

func platformArch() string {
	switch runtime.GOARCH {
	case "amd64":
		return "x86_64"
	case "arm64":
		return "aarch64"
	}
	return runtime.GOARCH
}

// compareVersions compares numbers between dots.
func compareVersions(a, b string) int {
	numbers := func(v string) []int {
		var out []int
		for part := range strings.SplitSeq(v, ".") {
			n, _ := strconv.Atoi(part) // the patterns let digits through only
			out = append(out, n)
		}
		return out
	}
	return slices.Compare(numbers(a), numbers(b))
}

// ReadPin is the first line of a .python-version file, "" where there is none.
func ReadPin(fsys fs.FS) (string, error) {
	data, err := fs.ReadFile(fsys, ".python-version")
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line, nil
		}
	}
	return "", nil
}
