package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// subject is one program run that is measured.
type subject struct {
	name string
	argv []string
	dir  string   // "" means the current folder
	env  []string // added to the environment of this process
	// before prepares each run and is not measured; nil means nothing to prepare.
	before func() error
}

// sample is what one run cost.
type sample struct {
	wall, cpu time.Duration // cpu is user and system time, also of waited-for children
	rss       int64         // bytes, at least that of this process; 0 where the system does not tell
}

// measure runs all subjects in turn, so that whatever else the machine does
// meets all of them alike, and returns the medians. The first round warms caches
// and does not count.
func measure(ctx context.Context, runs int, subjects ...subject) ([]sample, error) {
	samples := make([][]sample, len(subjects))
	for round := range runs + 1 {
		for i, s := range subjects {
			got, err := s.run(ctx)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				samples[i] = append(samples[i], got)
			}
		}
	}
	out := make([]sample, len(subjects))
	for i, all := range samples {
		out[i] = median(all)
	}
	return out, nil
}

func (s subject) run(ctx context.Context) (sample, error) {
	if s.before != nil {
		if err := s.before(); err != nil {
			return sample{}, fmt.Errorf("prepare %s: %w", s.name, err)
		}
	}
	cmd := exec.CommandContext(ctx, s.argv[0], s.argv[1:]...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), s.env...)
	var output bytes.Buffer
	cmd.Stderr = &output
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return sample{}, fmt.Errorf("%s: %s: %w\n%s", s.name, strings.Join(s.argv, " "), err, output.String())
	}
	p := cmd.ProcessState
	return sample{wall: wall, cpu: p.UserTime() + p.SystemTime(), rss: maxRSS(p)}, nil
}

// median takes each column by itself: the run with the median wall time need not
// have the median CPU time.
func median(all []sample) sample {
	var out sample
	out.wall = middle(all, func(s sample) time.Duration { return s.wall })
	out.cpu = middle(all, func(s sample) time.Duration { return s.cpu })
	out.rss = middle(all, func(s sample) int64 { return s.rss })
	return out
}

func middle[T time.Duration | int64](all []sample, get func(sample) T) T {
	values := make([]T, len(all))
	for i, s := range all {
		values[i] = get(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
