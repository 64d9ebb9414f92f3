package main

import (
	"context"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

// firstByte notes when a program begins to print.
type firstByte struct {
	once sync.Once
	at   time.Time
}

func (f *firstByte) Write(p []byte) (int, error) {
	f.once.Do(func() { f.at = time.Now() })
	return len(p), nil
}

// BenchmarkSpawn measures the way from our spawn to the first output of a program
// that does nothing else, beside a whole `python3 -c pass`; the bar is twice that.
func BenchmarkSpawn(b *testing.B) {
	policy := sandbox.WorkspacePolicy(sandbox.WorkspaceOptions{Dir: b.TempDir()})
	for _, name := range []string{sandbox.NameNone, sandbox.NameNative, sandbox.NameBwrap} {
		b.Run(name, func(b *testing.B) {
			backend, err := sandbox.Open(b.Context(), sandbox.Options{Name: name, CacheDir: b.TempDir()})
			if err != nil {
				b.Skip(err)
			}
			var inside, python []time.Duration
			for b.Loop() {
				python = append(python, wholePython(b.Context(), b))
				var first firstByte
				began := time.Now()
				_, err := backend.Run(b.Context(), policy, sandbox.Command{Args: []string{"echo"}, Stdout: &first})
				if err != nil {
					b.Fatal(err)
				}
				inside = append(inside, first.at.Sub(began))
			}
			b.ReportMetric(float64(halfway(inside).Microseconds())/1000, "ms-to-first")
			b.ReportMetric(float64(halfway(python).Microseconds())/1000, "ms-python")
			b.ReportMetric(float64(halfway(inside))/float64(halfway(python)), "of-python")
			b.ReportMetric(float64(slices.Min(inside))/float64(slices.Min(python)), "of-python-undisturbed")
		})
	}
}

func wholePython(ctx context.Context, b *testing.B) time.Duration {
	b.Helper()
	began := time.Now()
	if err := exec.CommandContext(ctx, "/usr/bin/python3", "-c", "pass").Run(); err != nil {
		b.Skip(err)
	}
	return time.Since(began)
}

func halfway(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
