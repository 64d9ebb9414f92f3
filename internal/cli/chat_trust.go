package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/internal/workspace"
)

// warnUntrustedWorkspace says in one line what of the workspace the chat leaves
// out, and how to allow it.
func (o *chatOptions) warnUntrustedWorkspace() error {
	ws, err := o.f.Workspace()
	if err != nil {
		return err
	}
	left := steering(ws)
	if len(left) == 0 {
		return nil
	}
	if o.f.TrustFlag {
		made, err := o.f.madeByProgram(ws)
		warn(o.IO, "%s was left out: a program made %s, which turned this folder into a workspace of its own. Look at it, then run: agentctl trust",
			strings.Join(left, ", "), filepath.Join(ws, made))
		return err
	}
	warn(o.IO, "%s is not trusted, so this was left out: %s. Look at it, then run: agentctl trust (or give --trust-workspace for one run)",
		ws, strings.Join(left, ", "))
	return nil
}

// warnHeldBack says in one line what of a trusted workspace the chat leaves out,
// since a program made it, and how to allow it.
func (o *chatOptions) warnHeldBack() error {
	held, err := o.f.heldBack()
	if len(held) > 0 {
		o.f.warnHeld(held...)
	}
	return err
}

// leftOut are the places of the workspace that may not steer a chat now.
func (f *Factory) leftOut() ([]string, error) {
	trusted, err := f.Trusted()
	if err != nil {
		return nil, err
	}
	if trusted {
		return f.heldBack()
	}
	ws, err := f.Workspace()
	return steering(ws), err
}

// trustNow records a person's agreement to everything in the workspace.
func (f *Factory) trustNow(ctx context.Context) error {
	ws, err := f.Workspace()
	if err != nil {
		return err
	}
	if _, err := f.State().Trust(ctx, ws, true); err != nil {
		return err
	}
	f.unrecorded.clear()
	f.TrustFlag = true
	f.forget() // what was left out counts now
	return nil
}

// steering are the places of a workspace that would steer a chat. Sources of
// packages do not reach one before they are built.
func steering(ws string) []string {
	return slices.DeleteFunc(workspace.Steering(ws), func(place string) bool { return place == "tools" })
}

// askTrust asks a person once whether the workspace may steer the model. A yes is
// kept; a no holds for this run. A workspace that has nothing to steer with is
// trusted for this run: what appears in it now is this person's own.
func (o *chatOptions) askTrust(ctx context.Context) error {
	places, err := o.f.leftOut()
	if err != nil {
		return err
	}
	if len(places) == 0 {
		o.f.TrustFlag = true
		o.f.forget()
		return nil
	}
	if yes, err := o.confirmTrust(ctx, places); err != nil || !yes {
		return err
	}
	return o.f.trustNow(ctx)
}

func (o *chatOptions) confirmTrust(ctx context.Context, places []string) (bool, error) {
	ws, err := o.f.Workspace()
	if err != nil {
		return false, err
	}
	trusted, err := o.f.Trusted()
	if err != nil {
		return false, err
	}
	why := "This workspace is not trusted yet. It has things that can steer the model:"
	if trusted {
		why = "A program made these while it ran. They can steer the model:"
	}
	out := o.plainErr()
	fmt.Fprintf(out, "%s\n%s\n", termtext.Line(ws), why)
	for _, place := range places {
		fmt.Fprintf(out, "  %s\n", termtext.Line(place))
	}
	fmt.Fprint(out, "Use them, now and later? Look at them first if they are not your own. [y/N] ")
	line, err := readLine(ctx, o.IO.In)
	if errors.Is(err, io.EOF) { // Ctrl-D is no answer, and moves to no new line
		fmt.Fprintln(out)
		return false, nil
	}
	if err != nil {
		fmt.Fprintln(out)
		return false, err
	}
	word := strings.ToLower(strings.TrimSpace(line))
	return word == "y" || word == "yes", nil
}

// readLine reads one line and not a byte more: the rest belongs to whoever reads
// next. The end of the input ends the line.
func readLine(ctx context.Context, in io.Reader) (string, error) {
	type result struct {
		line string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		line, err := bytesToLine(in)
		done <- result{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-done:
		return r.line, r.err
	}
}

func bytesToLine(in io.Reader) (string, error) {
	var line []byte
	b := make([]byte, 1)
	for {
		n, err := in.Read(b)
		switch {
		case n == 1 && b[0] == '\n', err == io.EOF && len(line) > 0:
			return string(line), nil
		case err != nil:
			return "", err
		}
		line = append(line, b[:n]...)
	}
}
