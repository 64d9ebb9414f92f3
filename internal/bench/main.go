// Command bench measures the whole program: each case runs agentctl and
// something to compare it with in turn, and prints the ratio of the medians.
// docs/performance.md has the results; `make bench` repeats them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	bin := flag.String("bin", filepath.Join("bin", "agentctl"), "the `PROGRAM` to measure")
	runs := flag.Int("runs", 20, "runs a side")
	only := flag.String("only", "", "measure only these cases, with commas between")
	flag.Parse()
	if err := run(context.Background(), *bin, *runs, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is what all cases share.
type bench struct {
	bin  string // absolute
	tmp  string // removed at the end
	home string // a home folder of its own
	runs int
	out  *tabwriter.Writer
}

func run(ctx context.Context, bin string, runs int, only string) (err error) {
	wanted, err := choose(only)
	if err != nil {
		return err
	}
	if runs < 1 {
		return fmt.Errorf("-runs %d: give at least 1", runs)
	}
	b := &bench{runs: runs, out: tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)}
	if b.bin, err = filepath.Abs(bin); err != nil {
		return err
	}
	if b.tmp, err = os.MkdirTemp("", "agentctl-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.tmp)) }()
	b.home = filepath.Join(b.tmp, "home")
	fmt.Fprintln(b.out, "CASE\tSUBJECT\tWALL ms\tCPU ms\tWALL\tCPU\tRATIO OF")
	for _, c := range wanted {
		if err := c.measure(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return b.out.Flush()
}

// choose returns the cases named in only, all of them when it is empty.
func choose(only string) ([]benchCase, error) {
	if only == "" {
		return cases, nil
	}
	var out []benchCase
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(cases, func(c benchCase) bool { return c.name == name })
		if i < 0 {
			return nil, fmt.Errorf("-only %q: there is no such case", name)
		}
		out = append(out, cases[i])
	}
	return out, nil
}

// agentctl is a run of the program in a workspace, away from the user's own
// configuration.
func (b *bench) agentctl(name, dir string, args ...string) subject {
	return subject{name: name, argv: append([]string{b.bin}, args...), dir: dir, env: []string{
		"HOME=" + b.home, "XDG_CONFIG_HOME=" + b.home + "/config",
		"XDG_STATE_HOME=" + b.home + "/state", "XDG_CACHE_HOME=" + b.home + "/cache",
		"AGENTCTL_MODEL=", "AGENTCTL_BASE_URL=",
	}}
}

// row prints one measured subject and its ratios.
func (b *bench) row(group, name string, s sample, r ratios) {
	fmt.Fprintf(b.out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", group, name, millis(s.wall), millis(s.cpu), r.wall, r.cpu, r.of)
}

// note adds one more figure to the rows above.
func (b *bench) note(group, figure, of string) {
	fmt.Fprintf(b.out, "%s\t\t\t\t%s\t\t%s\n", group, figure, of)
}

func millis(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond)) }

// ratios are what a row says about two samples, in words in of.
type ratios struct{ wall, cpu, of string }

// to compares a with b.
func to(a, b sample, of string) ratios {
	return ratios{quotient(a.wall, b.wall), quotient(a.cpu, b.cpu), of}
}

// less is what a costs beyond b.
func less(a, b sample) sample { return sample{wall: a.wall - b.wall, cpu: a.cpu - b.cpu} }

func quotient(a, b time.Duration) string {
	if b <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}
