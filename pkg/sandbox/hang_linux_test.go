package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

// hangs is longer than the busiest machine takes for what ends by itself, and
// shorter than what hangs here.
const hangs = 30 * time.Second

// hangingBwrap is a folder with a bwrap that never starts anything and leaves
// something behind that holds its output.
func hangingBwrap(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte("#!/bin/sh\nsleep 60\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir + string(os.PathListSeparator) + os.Getenv("PATH")
}

// A backend that hangs costs no more than the caller's time, and says so.
func TestBackendThatHangs(t *testing.T) {
	t.Parallel()
	o := sandbox.Options{Path: hangingBwrap(t), Dir: t.TempDir()}
	for _, tt := range []struct {
		name string
		ctx  func() (context.Context, context.CancelFunc)
		is   error
		says string
	}{
		{"the time limit", func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), 300*time.Millisecond)
		}, context.DeadlineExceeded, "the time limit was reached while sandbox bwrap was tried"},
		{"an interruption", func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(300*time.Millisecond, cancel)
			return ctx, cancel
		}, context.Canceled, "interrupted while sandbox bwrap was tried"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := tt.ctx()
			defer cancel()
			began := time.Now()
			_, err := sandbox.Open(ctx, o)
			if took := time.Since(began); !errors.Is(err, tt.is) || err.Error() != tt.says || took > hangs {
				t.Errorf("%v after %s, want %q", err, took, tt.says)
			}
		})
	}
}

// A backend that hangs is a fault well before the time limit, and auto goes on to
// the next one.
func TestNextBackendWhenOneHangs(t *testing.T) {
	t.Parallel()
	o := sandbox.WithBwrapStart(sandbox.Options{Path: hangingBwrap(t), Dir: t.TempDir()}, 500*time.Millisecond)
	t.Run("auto", func(t *testing.T) {
		t.Parallel()
		open(t, sandbox.Options{Name: "native"})
		began := time.Now()
		b, err := sandbox.Open(t.Context(), o)
		if err != nil || b.Name() != "native" || time.Since(began) > hangs {
			t.Errorf("%v, %v after %s", b, err, time.Since(began))
		}
	})
	t.Run("bwrap", func(t *testing.T) {
		t.Parallel()
		named := o
		named.Name = "bwrap"
		_, err := sandbox.Open(t.Context(), named)
		if fault := (*sandbox.Fault)(nil); !errors.As(err, &fault) || !strings.HasPrefix(fault.Reason, "it hangs: nothing started within 500ms") || fault.Cure == "" {
			t.Errorf("error is %v", err)
		}
	})
}

// Whoever reads slowly does not put the time limit off.
func TestTimeLimitWithABlockedWriter(t *testing.T) {
	each(t, local, func(t *testing.T, b sandbox.Backend) {
		release := make(chan struct{})
		defer close(release)
		c := sh("yes")
		c.Stdout = writerFunc(func(p []byte) (int, error) {
			<-release
			return len(p), nil
		})
		began := time.Now()
		res, err := b.Run(t.Context(), sandbox.Policy{Limits: sandbox.Limits{Wall: 500 * time.Millisecond}}, c)
		if took := time.Since(began); err != nil || !res.TimedOut || took > hangs {
			t.Errorf("timed out %v after %s, %v", res.TimedOut, took, err)
		}
	})
}

// A Ctrl-C in a terminal reaches every process of its group. What runs in a
// sandbox is for the caller to end, in peace, so bwrap is not part of it.
func TestBwrapLeadsItsOwnGroup(t *testing.T) {
	b := open(t, sandbox.Options{Name: "bwrap"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := sh("echo ready; sleep 20")
	seen := 0
	c.Stdout = writerFunc(func(p []byte) (int, error) {
		defer cancel()
		for _, pid := range children(t) {
			name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
			if group, err := syscall.Getpgid(pid); err == nil && string(name) == "bwrap\n" {
				seen++
				if group != pid {
					t.Errorf("bwrap %d is in the group %d", pid, group)
				}
			}
		}
		return len(p), nil
	})
	if res, err := b.Run(ctx, sandbox.Policy{}, c); err != nil || !res.Canceled || seen != 1 {
		t.Errorf("%d bwrap, %+v, %v", seen, res, err)
	}
}

// children are the processes that this one started.
func children(t *testing.T) []int {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, list := range lists {
		data, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(data)) {
			if pid, err := strconv.Atoi(field); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}
