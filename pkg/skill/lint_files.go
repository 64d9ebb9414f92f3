package skill

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/archive"
)

// files checks the folder around the manifest.
func (c *check) files(ctx context.Context) error {
	doc := c.it.Value.Doc
	if doc.BOM {
		c.at(1, 1, "file.bom", "the file begins with a byte order mark (U+FEFF): save it without")
	}
	if doc.CRLF {
		c.at(1, 1, "file.crlf", "lines end in CR LF: save the file with LF")
	}
	if c.it.Manifest != ManifestName {
		c.at(1, 1, "file.name-case", "the file is called %s: most clients look for %s alone", c.it.Manifest, ManifestName)
	}
	links := false
	err := fs.WalkDir(c.it.FS, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil || p == ".":
			return err
		case !archive.Exported(p, d.IsDir()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			links = true
			c.in(c.path(p), 0, 0, "file.symlink", "%s is a symbolic link: put the file itself there", p)
			return nil
		case d.Type().IsRegular():
			return c.file(p, d)
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = exported(ctx, c.it)
	_, named := errors.AsType[*NameError](err)
	said := links || named && utf8.RuneCountInString(c.it.Name) > MaxName
	if err != nil && !said {
		c.at(1, 1, "file.export", "the folder cannot be exported: %v", err)
	}
	_, ds := ScriptTools(c.it)
	for _, d := range ds {
		c.keep(d)
	}
	return ctx.Err()
}

func (c *check) path(p string) string { return filepath.Join(c.it.Dir, filepath.FromSlash(p)) }

// file checks one file besides the manifest.
func (c *check) file(p string, d fs.DirEntry) error {
	if p == c.it.Manifest {
		return nil
	}
	if isManifest(d.Name()) {
		c.in(c.path(p), 1, 1, "file.nested-skill", "%s is a file of the skill %s and no skill of its own", p, c.it.Name)
	}
	f, err := c.it.FS.Open(p)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 256)
	n, err := io.ReadFull(f, head)
	if err != nil && n == 0 {
		return nil // an empty file
	}
	first, _, _ := bytes.Cut(head[:n], []byte("\n"))
	script := bytes.HasPrefix(first, []byte("#!"))
	if script && bytes.HasSuffix(first, []byte("\r")) {
		c.in(c.path(p), 1, 1, "file.shebang-crlf", "the #! line of %s ends in CR: save the file with LF", p)
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	switch {
	case script || binary(head[:n]):
	case info.Mode()&0o111 != 0:
		c.in(c.path(p), 1, 1, "file.exec", "%s is executable and has no #! line: add one, or take the x bit away", p)
	case isProgram(p):
		c.in(c.path(p), 1, 1, "file.no-shebang", "%s has no #! line, so its extension alone says what runs it: add one", p)
	}
	if info.Size() > archive.MaxFile {
		return nil // cannot be exported, which is said
	}
	return c.fileSecrets(c.path(p), head[:n], f)
}

// isProgram tells whether a file lies in scripts/ itself and is to be run; below
// that, and in Python's __init__.py, lie parts of programs.
func isProgram(p string) bool {
	_, known := interpreters[path.Ext(p)]
	return known && path.Dir(p) == "scripts" && !strings.HasPrefix(path.Base(p), "_")
}

// binary tells whether the start of a file is that of a program or other data.
func binary(head []byte) bool { return bytes.IndexByte(head, 0) >= 0 }
