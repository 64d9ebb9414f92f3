package sandbox

import (
	"context"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// proveContainer lets the engine's container deny what it must deny.
func proveContainer(ctx context.Context, c *container, o Options) (Backend, error) {
	if err := prove(ctx, c, o); err != nil {
		return nil, err
	}
	return c, nil
}

// Probe tries each protection. See [Backend].
func (c *container) Probe(ctx context.Context) Report { return probeReport(ctx, c, c.host, c.how) }

func (c *container) how(Feature) string { return c.engine + ", image " + c.image }

// ownNames are the variables that docker and podman add; their values are the
// engine's, not the caller's.
func (c *container) ownNames() string { return "HOSTNAME,TERM,container" }

func (c *container) setMissing(fs []Feature) { c.missing = fs }

func (c *container) identity() string { return c.engine + " " + c.image + " " + c.runtime }

// processCeiling is a limit of processes of the user that limits nothing: podman
// asks for more than it may have where root has no CAP_SYS_RESOURCE, as in many
// containers, and then starts nothing. The limit that counts is --pids-limit.
func processCeiling() int64 {
	var own unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NPROC, &own) != nil {
		return -1
	}
	data, _ := os.ReadFile("/proc/sys/kernel/pid_max")
	most, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil {
		return -1
	}
	if own.Max < uint64(most) {
		return int64(own.Max) // smaller than a number that fits
	}
	return most
}
