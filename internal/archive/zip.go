package archive

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"path"
)

// dosEpoch is 1980-01-01 in the form of a zip header. A fixed time makes equal
// content equal bytes.
const dosEpoch = 1<<5 | 1

// WriteZip writes files, in the order given, below prefix ("" for none). Equal
// files give equal bytes, on every machine: times are fixed, and of the modes
// only the x bit is kept.
func WriteZip(ctx context.Context, w io.Writer, files []File, prefix string) error {
	zw := zip.NewWriter(w)
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := writeEntry(zw, f, prefix); err != nil {
			return fmt.Errorf("pack %s: %w", f.Path, err)
		}
	}
	return zw.Close()
}

func writeEntry(zw *zip.Writer, f File, prefix string) error {
	h := &zip.FileHeader{Name: path.Join(prefix, f.Path), Method: zip.Deflate, ModifiedDate: dosEpoch} //nolint:staticcheck // Modified would add an extra field to each entry
	h.SetMode(0o644)
	if f.Mode == ModeExec {
		h.SetMode(0o755)
	}
	out, err := zw.CreateHeader(h)
	if err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, f.Size))
	if closeErr := in.Close(); err == nil {
		err = closeErr
	}
	return err
}
