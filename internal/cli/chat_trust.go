package cli

import (
	"context"
	"fmt"
	"io"
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
	if left := steering(ws); len(left) > 0 {
		warn(o.IO, "%s is not trusted, so this was left out: %s. Look at it, then run: agentctl trust (or give --trust-workspace for one run)",
			ws, strings.Join(left, ", "))
	}
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
	trusted, err := o.f.Trusted()
	if err != nil || trusted {
		return err
	}
	ws, err := o.f.Workspace()
	if err != nil {
		return err
	}
	places := steering(ws)
	yes := len(places) == 0
	if !yes {
		if yes, err = o.confirmTrust(ctx, ws, places); err != nil {
			return err
		}
		if yes {
			_, err = o.f.State().Trust(ctx, ws, true)
		}
	}
	if yes {
		o.f.TrustFlag = true
		o.f.fill() // what was left out counts now
	}
	return err
}

func (o *chatOptions) confirmTrust(ctx context.Context, ws string, places []string) (bool, error) {
	out := o.plainErr()
	fmt.Fprintf(out, "%s\nThis workspace is not trusted yet. It has things that can steer the model:\n", termtext.Line(ws))
	for _, place := range places {
		fmt.Fprintf(out, "  %s\n", termtext.Line(place))
	}
	fmt.Fprint(out, "Use them, now and later? Look at them first if they are not your own. [y/N] ")
	line, err := readLine(ctx, o.IO.In)
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
		case n == 1 && b[0] == '\n', err == io.EOF:
			return string(line), nil
		case err != nil:
			return "", err
		}
		line = append(line, b[:n]...)
	}
}
