package toolpkg

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Outputs keeps what a program prints the way that the result of a call does:
// head and tail of each stream, and the whole of a longer one in a file beside
// the artifacts.
type Outputs struct{ stdout, stderr *output }

// NewOutputs returns the place for one program's output. Files lie in the folder
// artifacts of the workspace; without one they are temporary.
func NewOutputs(workspace, artifacts string) *Outputs {
	if artifacts == "" {
		artifacts = filepath.Join(os.TempDir(), "agentctl-artifacts-"+rand.Text())
	}
	d := &outputDir{workspace: workspace, base: filepath.Join(artifacts, callID(time.Now()))}
	return &Outputs{stdout: newOutput(d.file("-stdout.txt"), nil, nil), stderr: newOutput(d.file("-stderr.txt"), nil, nil)}
}

// Stdout takes what the program prints; it fails on nothing.
func (o *Outputs) Stdout() io.Writer { return o.stdout }

// Stderr is as [Outputs.Stdout].
func (o *Outputs) Stderr() io.Writer { return o.stderr }

// Fill ends both streams and puts them into a result. The error is that of a file
// that could not be written: the result then names none.
func (o *Outputs) Fill(r *InvokeResult) error {
	out, err1 := o.stdout.close()
	errs, err2 := o.stderr.close()
	r.Stdout, r.StdoutFile = out.Text, out.File
	r.Stderr, r.StderrFile = errs.Text, errs.File
	r.Truncated = out.Cut || errs.Cut
	return errors.Join(err1, err2)
}
