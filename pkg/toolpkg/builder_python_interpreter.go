package toolpkg

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
)

// interpreter copies an interpreter that uv manages; one of the system is used
// in place.
func (p *pyBuild) interpreter(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(p.job.Out, "runtime"), 0o755); err != nil || p.python.Home == "" {
		return err
	}
	return p.layer(ctx, pyInterpreter, layerKey(pyLayout, Platform(), p.python.ID()), func(dir string) error {
		return copyInterpreter(p.python.Home, p.python.Name, dir)
	})
}

// notAtRunTime matches folders of lib/ that a finished package never needs: tests,
// tools for developers, what the interpreter was linked from, and windows.
var notAtRunTime = regexp.MustCompile(`^(test|idlelib|ensurepip|turtledemo|lib2to3|site-packages|__pycache__|pkgconfig|config-.*|(tcl|tk|itcl|thread)[0-9.]*)$`)

// copyInterpreter copies the program, its libraries and the standard library.
// What uv wrote into it at its installation names the folder that it lay in.
func copyInterpreter(home, name, dir string) error {
	var files []string
	err := fs.WalkDir(os.DirFS(home), "lib", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && notAtRunTime.MatchString(d.Name()) {
			return fs.SkipDir
		}
		if !d.IsDir() && path.Ext(p) != ".a" {
			files = append(files, p)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := copyFiles(home, dir, append(files, "bin/"+name)); err != nil {
		return err
	}
	return replaceInFiles(dir, home, "/install")
}

// replaceInFiles puts another path into the texts that name one.
func replaceInFiles(dir, was, is string) error {
	return eachFile(dir, func(file string, data []byte) error {
		if bytes.IndexByte(data, 0) >= 0 || !bytes.Contains(data, []byte(was)) {
			return nil
		}
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		return os.WriteFile(file, bytes.ReplaceAll(data, []byte(was), []byte(is)), info.Mode())
	})
}
