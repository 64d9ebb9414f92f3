package cli

import (
	"context"
	"io"
)

// interruptible is r, but a read ends when ctx does: a person must be able to stop a
// program that waits for its input.
func interruptible(ctx context.Context, r io.Reader) io.Reader { return ctxReader{ctx, r} }

type ctxReader struct {
	ctx context.Context //nolint:containedctx // a reader has no other way to get it
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	type result struct {
		data []byte // its own, since the read goes on after ctx ends
		err  error
	}
	done := make(chan result, 1)
	go func() {
		buf := make([]byte, len(p))
		n, err := c.r.Read(buf)
		done <- result{buf[:n], err}
	}()
	select {
	case <-c.ctx.Done():
		return 0, c.ctx.Err()
	case r := <-done:
		return copy(p, r.data), r.err
	}
}
