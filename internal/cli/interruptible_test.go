package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
)

func TestInterruptible(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		defer func() { _ = w.Close() }()
		in := interruptible(ctx, r)
		go func() { _, _ = io.WriteString(w, "abc") }()
		buf := make([]byte, 2)
		if n, err := in.Read(buf); n != 2 || err != nil || string(buf) != "ab" {
			t.Errorf("%d, %v, %q", n, err, buf)
		}
		if n, err := in.Read(buf); n != 1 || err != nil || buf[0] != 'c' {
			t.Errorf("%d, %v, %q", n, err, buf)
		}
		cancel()
		if n, err := in.Read(buf); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("%d, %v", n, err)
		}
	})
}

func TestUnblocked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var b bytes.Buffer
		if _, err := io.WriteString(unblocked(ctx, &b), "the end"); err != nil || b.String() != "the end" {
			t.Errorf("what can be written is, also at the end: %v, %q", err, b.String())
		}
		r, w := io.Pipe()
		defer func() { _ = r.Close() }()
		out := unblocked(ctx, w)
		for range 2 {
			if _, err := io.WriteString(out, "x"); !errors.Is(err, context.Canceled) {
				t.Errorf("nobody reads: %v", err)
			}
		}
	})
}
