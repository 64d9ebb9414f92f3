package toolpkg

import (
	"errors"
	"io"
	"time"
)

// Outputs keeps what a program prints the way that the result of a call does:
// head and tail of each stream, and the whole of a longer one in a file beside
// the artifacts.
type Outputs struct {
	files          hostFiles
	stdout, stderr *output
}

// NewOutputs returns the place for one program's output, before the program
// starts. Files lie in the folder artifacts of the workspace; without one they are
// temporary.
func NewOutputs(workspace, artifacts string) *Outputs {
	files := openHostFiles(workspace, artifacts, time.Now())
	return &Outputs{files, newOutput(files.file("-stdout.txt"), nil, nil), newOutput(files.file("-stderr.txt"), nil, nil)}
}

// Stdout takes what the program prints; it fails on nothing.
func (o *Outputs) Stdout() io.Writer { return o.stdout }

// Stderr is as [Outputs.Stdout].
func (o *Outputs) Stderr() io.Writer { return o.stderr }

// Fill ends both streams and puts them into a result. The error is that of a file
// that could not be written: the result then names none.
func (o *Outputs) Fill(r *InvokeResult) error {
	defer o.files.close()
	out, err1 := o.stdout.close()
	errs, err2 := o.stderr.close()
	r.Stdout, r.StdoutFile = out.Text, out.File
	r.Stderr, r.StderrFile = errs.Text, errs.File
	r.Truncated = out.Cut || errs.Cut
	return errors.Join(err1, err2)
}
