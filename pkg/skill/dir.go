package skill

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentctl/agentctl/internal/archive"
	"github.com/agentctl/agentctl/internal/registry"
)

// Dir returns the real folder of a skill. One that lives in the binary is
// copied to the cache at first use, in a folder named by its digest.
func Dir(ctx context.Context, it *Item) (string, error) {
	if onDisk(it) {
		return it.Dir, nil
	}
	if it.Value.cacheDir == "" {
		return "", fmt.Errorf("skill %q is embedded and there is no cache folder to copy it to", it.Name)
	}
	digest, err := archive.Digest(ctx, it.FS, archive.ScanOptions{})
	if err != nil {
		return "", err
	}
	short := strings.TrimPrefix(digest, "sha256:")[:16]
	dir := filepath.Join(it.Value.cacheDir, "skills", Slug(it.Name)+"-"+short)
	if have, err := archive.Digest(ctx, os.DirFS(dir), archive.ScanOptions{}); err == nil && have == digest {
		return dir, nil
	}
	return dir, copyOut(it.FS, dir)
}

// copyOut puts a tree into a folder that appears whole or not at all.
func copyOut(fsys fs.FS, dir string) error {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	stage, err := os.MkdirTemp(parent, registry.StagingPrefix+"*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	tree := filepath.Join(stage, "skill")
	if err := os.CopyFS(tree, fsys); err != nil {
		return fmt.Errorf("copy embedded skill: %w", err)
	}
	return putInPlace(tree, dir)
}

// putInPlace moves a finished folder to its name. Another run that was faster,
// or a damaged copy, is replaced.
func putInPlace(tree, dir string) error {
	if err := os.Rename(tree, dir); err == nil {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(tree, dir)
}
