package archive

import (
	"archive/zip"
	"cmp"
	"compress/flate"
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
	method, err := methodFor(f)
	if err != nil {
		return err
	}
	h := &zip.FileHeader{Name: path.Join(prefix, f.Path), Method: method, ModifiedDate: dosEpoch} //nolint:staticcheck // Modified would add an extra field to each entry
	h.SetMode(0o644)
	if f.Mode == ModeExec {
		h.SetMode(0o755)
	}
	out, err := zw.CreateHeader(h)
	if err != nil {
		return err
	}
	return copyTo(out, f)
}

// zipLevel is the level at which archive/zip packs.
const zipLevel = 5

// methodFor is how a file is packed: one that packs so well that [ReadZip] would
// take it for a bomb is stored as it is.
func methodFor(f File) (uint16, error) {
	if f.Size <= RatioFrom {
		return zip.Deflate, nil
	}
	var packed countWriter
	w, err := flate.NewWriter(&packed, zipLevel)
	if err != nil {
		return 0, err
	}
	if err := cmp.Or(copyTo(w, f), w.Close()); err != nil {
		return 0, err
	}
	if tooSmall(f.Size, int64(packed)) {
		return zip.Store, nil
	}
	return zip.Deflate, nil
}

// tooSmall tells whether a file packs better than any honest one.
func tooSmall(size, packed int64) bool { return size > RatioFrom && size/MaxRatio > packed }

type countWriter int64

func (c *countWriter) Write(p []byte) (int, error) {
	*c += countWriter(len(p))
	return len(p), nil
}

func copyTo(out io.Writer, f File) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, f.Size))
	return cmp.Or(err, in.Close())
}
