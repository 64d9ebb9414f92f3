package skill

import (
	"cmp"
	"context"
	"io"

	"github.com/agentctl/agentctl/internal/archive"
)

// ExportResult says what was packed.
type ExportResult struct {
	Name   string
	Digest string
	// Files is their number, Bytes the size of the archive.
	Files int
	Bytes int64
}

// ArchiveName is the name of a skill's archive and of the folder in it.
func ArchiveName(it *Item) string { return cmp.Or(Slug(it.Name), Slug(it.Folder()), it.Folder()) }

// Export writes a skill as a zip archive, with a folder around the files unless
// flat. Equal skills give equal bytes. Caches, VCS data, evals and files of the
// operating system are left out.
//
// What an import would refuse is refused here: the error is then a [*NameError], an
// *archive.PathError or an *archive.LimitError.
func Export(ctx context.Context, it *Item, w io.Writer, flat bool) (ExportResult, error) {
	res := ExportResult{Name: it.Name}
	files, err := exported(ctx, it)
	if err != nil {
		return res, err
	}
	res.Files = len(files)
	if res.Digest, err = Digest(ctx, it); err != nil {
		return res, err
	}
	prefix := ArchiveName(it)
	if flat {
		prefix = ""
	}
	counter := &countWriter{w: w}
	err = archive.WriteZip(ctx, counter, files, prefix)
	res.Bytes = counter.n
	return res, err
}

// exported are the files that leave with a skill, after checking all that keeps it
// from arriving somewhere else.
func exported(ctx context.Context, it *Item) ([]archive.File, error) {
	if fault := slugFault(cmp.Or(Slug(it.Name), Slug(it.Folder()))); fault != "" {
		return nil, &NameError{Name: it.Name, Fault: fault}
	}
	return archive.List(ctx, it.FS, archive.Exported)
}

// Digest is the content digest of a skill, over the set that Export packs.
func Digest(ctx context.Context, it *Item) (string, error) {
	return archive.Digest(ctx, it.FS, archive.ScanOptions{Keep: archive.Exported})
}

type countWriter struct {
	w io.Writer
	n int64
}

func (c *countWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
