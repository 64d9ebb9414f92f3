package skill

import (
	"context"
	"os"
)

// lockDir does nothing: Windows has no locks on folders.
func lockDir(context.Context, string) (unlock func(), err error) { return func() {}, nil }

// replaceFile writes through a sibling, which Windows renames over the old file.
func replaceFile(path string, data []byte, tmp string) error {
	f, err := os.CreateTemp(tmp, "."+ManifestName)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	if _, err := f.Write(data); err != nil {
		_ = f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
