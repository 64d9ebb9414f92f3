package toolpkg

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/fspath"
)

// sourcePaths makes the messages of a failed build speak of the source: a path
// in the folder that it was built in, which is gone by the time that somebody
// reads it, becomes that of the source's file, or one relative to the package.
func sourcePaths(err error, tmp, source string) error {
	inside := regexp.MustCompile(regexp.QuoteMeta(tmp) + `/[a-z]+(/[^\s'":;,()]*)?`)
	plain := func(text string) string {
		text = inside.ReplaceAllStringFunc(text, func(p string) string {
			_, rel, _ := strings.Cut(strings.TrimPrefix(p, tmp+"/"), "/")
			return sourcePath(rel, source)
		})
		return built.ReplaceAllStringFunc(text, func(p string) string {
			i := strings.Index(p, "runtime/")
			return p[:i] + sourcePath(p[i:], source)
		})
	}
	if e, ok := errors.AsType[*DescribeError](err); ok {
		e.Reason, e.Stderr = plain(e.Reason), plain(e.Stderr)
	}
	if e, ok := errors.AsType[*BuildError](err); ok {
		e.Reason, e.Output = plain(e.Reason), plain(e.Output)
	}
	return err
}

// built is a file of a build as bytecode names it: from the build's top.
var built = regexp.MustCompile(`(^|[\s'"(])runtime/[^\s'":;,()]+`)

// position is a place in a file as compilers and Python write it.
var position = regexp.MustCompile(`([^\s'"():]+)(?::|", line )([0-9]+)(?::([0-9]+))?`)

// Position is the first place that the output names in a file below dir; file is
// "" for none.
func (e *BuildError) Position(dir string) (file string, line, column int) {
	for _, m := range position.FindAllStringSubmatch(e.Output, -1) {
		file := m[1]
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || !fspath.Within(dir, file) {
			continue
		}
		line, _ = strconv.Atoi(m[2]) // digits; one that is too large is no line
		column, _ = strconv.Atoi(m[3])
		return file, line, column
	}
	return "", 0, 0
}

// sourcePath is the file that the builders copied to rel, or rel itself.
func sourcePath(rel, source string) string {
	for _, prefix := range []string{"runtime/" + pyApp + "/", "runtime/"} {
		below, ok := strings.CutPrefix(rel, prefix)
		if !ok {
			continue
		}
		file := filepath.Join(source, filepath.FromSlash(below))
		if _, err := os.Lstat(file); err == nil {
			return file
		}
	}
	if rel == "" {
		return source
	}
	return rel
}

// InSource puts a package's folder in front of the files that findings name, such
// as launch. Where a builder makes that file, the finding is about the folder.
func InSource(dir string, found []diag.Diagnostic) []diag.Diagnostic {
	for i, d := range found {
		found[i].File = dir
		if file := filepath.Join(dir, filepath.FromSlash(d.File)); d.File != "" {
			if _, err := os.Lstat(file); err == nil {
				found[i].File = file
			}
		}
	}
	return found
}
