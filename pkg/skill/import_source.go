package skill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentctl/agentctl/internal/archive"
)

// openSource lists the files of an archive or folder below the skill's folder.
// The files are read until closer is called.
func openSource(ctx context.Context, r ImportRequest) (files []archive.File, wrapper string, closer func(), err error) {
	defer func() {
		if _, named := errors.AsType[*RefusedError](err); err != nil && !named {
			err = fmt.Errorf("%s: %w", r.Source, err)
		}
	}()
	if r.Data != nil {
		files, wrapper, err = openData(r.Data)
		return files, wrapper, func() {}, err
	}
	info, err := os.Stat(r.Source)
	if err != nil {
		return nil, "", nil, refuse("source", "%q does not exist; give a zip file or a folder", r.Source)
	}
	if info.Mode().IsRegular() && isManifest(filepath.Base(r.Source)) {
		return nil, "", nil, refuse("source", "%q is one file of a skill; give its folder, %s, of which every file is taken", r.Source, filepath.Dir(r.Source))
	}
	if info.IsDir() {
		files, wrapper, err = openFolder(ctx, r.Source)
		return files, wrapper, func() {}, err
	}
	f, err := os.Open(r.Source)
	if err != nil {
		return nil, "", nil, err
	}
	if info.Mode().IsRegular() {
		files, wrapper, err = openZip(f, info.Size())
	} else {
		files, wrapper, err = openData(f) // a pipe, such as <(curl …)
	}
	if err != nil {
		_ = f.Close()
	}
	return files, wrapper, func() { _ = f.Close() }, err
}

// openData reads an archive from a stream, which cannot be sought in.
func openData(r io.Reader) ([]archive.File, string, error) {
	data, err := io.ReadAll(io.LimitReader(r, archive.MaxZip+1))
	if err != nil {
		return nil, "", err
	}
	if len(data) > archive.MaxZip {
		return nil, "", &archive.LimitError{Reason: fmt.Sprintf("the archive has more than %d MiB", archive.MaxZip>>20)}
	}
	return openZip(bytes.NewReader(data), int64(len(data)))
}

func openZip(r io.ReaderAt, size int64) ([]archive.File, string, error) {
	files, err := archive.ReadZip(r, size)
	if err != nil {
		return nil, "", err
	}
	return archive.Unwrap(files, ManifestName, isManifest)
}

func openFolder(ctx context.Context, dir string) ([]archive.File, string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, "", err
	}
	files, err := archive.List(ctx, os.DirFS(abs), func(p string, _ bool) bool { return !archive.Ignored(p) })
	if err != nil {
		return nil, "", err
	}
	files, wrapper, err := archive.Unwrap(files, ManifestName, isManifest)
	if wrapper == "" {
		wrapper = filepath.Base(abs)
	}
	return files, wrapper, err
}

// stem is the name of an archive file, which stands in for a folder; stdin has none.
func (r *ImportRequest) stem() string {
	if r.Data != nil {
		return ""
	}
	base := filepath.Base(r.Source)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
