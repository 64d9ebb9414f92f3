package cli

import (
	"context"
	"io"
	"os"
	"time"
)

// interruptible is r, but a read ends when ctx does: a person must be able to stop a
// program that waits for its input.
func interruptible(ctx context.Context, r io.Reader) io.Reader { return ctxReader{ctx, r} }

type ctxReader struct {
	ctx context.Context //nolint:containedctx // a reader has no other way to get it
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	buf := make([]byte, len(p)) // its own, since the read goes on after ctx ends
	n, err := await(c.ctx, 0, func() (int, error) { return c.r.Read(buf) })
	return copy(p, buf[:n]), err
}

// unblocked is w, but a write that still waits a moment after the end of ctx fails,
// and so do those that follow: a reader that stopped reading must not hold up a
// timeout or a signal. The moment is for what tells the end.
func unblocked(ctx context.Context, w io.Writer) io.Writer { return &ctxWriter{ctx: ctx, w: w} }

type ctxWriter struct {
	ctx   context.Context //nolint:containedctx // as above
	w     io.Writer
	stuck error
}

const lastWrites = time.Second

func (c *ctxWriter) Write(p []byte) (int, error) {
	if c.stuck != nil {
		return 0, c.stuck
	}
	buf := append([]byte(nil), p...)
	n, err := await(c.ctx, lastWrites, func() (int, error) { return c.w.Write(buf) })
	if n < len(p) && c.ctx.Err() != nil {
		c.stuck = err
	}
	return n, err
}

// openFile opens a file to read, which can be a pipe that nobody writes to yet.
func openFile(ctx context.Context, name string) (*os.File, error) {
	return await(ctx, 0, func() (*os.File, error) { return os.Open(name) })
}

// await is do, but no longer than grace after ctx ended.
func await[T any](ctx context.Context, grace time.Duration, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := do()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		return r.value, r.err
	case <-time.After(grace):
		var none T
		return none, ctx.Err()
	}
}
