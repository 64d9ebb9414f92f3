package sandbox

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/agentctl/agentctl/pkg/sandbox/internal/stage"
)

// bwrap confines with bubblewrap: it makes the namespaces and the mounts, and
// the stage does the rest inside.
type bwrap struct {
	host       host
	program    string
	startLimit time.Duration
	missing    []Feature
}

// Name is "bwrap".
func (b *bwrap) Name() string { return NameBwrap }

// Probe tries each protection. See [Backend].
func (b *bwrap) Probe(ctx context.Context) Report { return probeReport(ctx, b, b.host, b.how) }

func (b *bwrap) how(f Feature) string {
	switch f {
	case FileReads, FileWrites, PrivateTmp:
		return "bubblewrap " + b.version() + ": mount namespace; " + landlockVersion()
	case Network, UnixSockets:
		return "bubblewrap: network and mount namespaces"
	case TreeKill, ProcessView:
		return "bubblewrap: PID namespace, ends with its process 1"
	}
	return stageMechanism(f)
}

// version is for people; nothing depends on it.
func (b *bwrap) version() string {
	ctx, cancel := context.WithTimeout(context.Background(), waitDelay)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.program, "--version")
	cmd.WaitDelay = waitDelay
	out, err := cmd.Output()
	if err != nil {
		return "of unknown version"
	}
	return strings.TrimSpace(strings.TrimPrefix(string(out), "bubblewrap "))
}

func (b *bwrap) setMissing(fs []Feature) { b.missing = fs }

func (b *bwrap) identity() string { return b.program + " " + fileIdentity(b.program) }

// Run runs one command. See [Backend].
func (b *bwrap) Run(ctx context.Context, p Policy, c Command) (Result, error) {
	if lacking := missingFrom(p.Require, b.missing); len(lacking) > 0 {
		return Result{}, lacks(NameBwrap, lacking)
	}
	pl, cfg, err := prepare(b.host, p, c)
	if err != nil {
		return Result{}, err
	}
	mounts := pl.rootMounts()
	l := &launch{
		backend: NameBwrap, plan: pl, config: cfg, explain: explainBwrap, missing: b.missing, startLimit: b.startLimit,
		command: func(first int) (*exec.Cmd, []*os.File, error) {
			// Arguments go by file: they may be many, and every user can read
			// a command line.
			args, files, err := bwrapArgs(pl, mounts, first)
			if err != nil {
				return nil, files, err
			}
			argFile, err := memFile("args", []byte(strings.Join(args, "\x00")+"\x00"))
			if err != nil {
				return nil, files, err
			}
			exe := "/proc/self/fd/" + strconv.Itoa(stage.ExeFD)
			cmd := exec.Command(b.program, "--args", strconv.Itoa(first+len(files)), "--", exe, stage.Marker, stage.RoleInit)
			cmd.SysProcAttr = ownGroup() // a Ctrl-C is for us to handle
			return cmd, append(files, argFile), nil
		},
	}
	return l.run(ctx, c)
}

// bwrapArgs spells the mounts as options. The files hold contents that bwrap
// copies in, numbered from first.
func bwrapArgs(pl *plan, mounts []stage.Mount, first int) (args []string, files []*os.File, err error) {
	args = []string{
		// --unshare-all alone would skip the user namespace for root, who could
		// then mount everything writable again.
		"--unshare-user", "--unshare-all", "--disable-userns", "--die-with-parent", "--new-session",
		"--as-pid-1", "--cap-drop", "ALL", "--hostname", "sandbox",
	}
	if pl.net == NetworkFull {
		args = append(args, "--share-net")
	}
	for _, m := range mounts {
		switch m.Kind {
		case stage.BindRO:
			args = append(args, "--ro-bind", m.Source, m.Target)
		case stage.BindRW:
			args = append(args, "--bind", m.Source, m.Target)
		case stage.Tmpfs:
			args = append(args, "--perms", octal(m.Mode))
			if m.Size > 0 {
				args = append(args, "--size", strconv.FormatInt(m.Size, 10))
			}
			args = append(args, "--tmpfs", m.Target)
		case stage.Proc:
			args = append(args, "--proc", m.Target)
		case stage.Dev:
			args = append(args, "--dev", m.Target)
		case stage.Symlink:
			args = append(args, "--symlink", m.Source, m.Target)
		case stage.Dir:
			args = append(args, "--perms", octal(m.Mode), "--dir", m.Target)
		case stage.RemountRO:
			args = append(args, "--remount-ro", m.Target)
		case stage.File:
			f, err := memFile("file", m.Data)
			if err != nil {
				return nil, files, err
			}
			args = append(args, "--perms", octal(m.Mode), "--file", strconv.Itoa(first+len(files)), m.Target)
			files = append(files, f)
		}
	}
	return args, files, nil
}

func octal(mode uint32) string { return strconv.FormatUint(uint64(mode), 8) }

// explainBwrap knows the ways in which bwrap fails on common systems.
func explainBwrap(stderr string) (reason, cure string) {
	reason = strings.TrimSpace(stderr)
	if reason == "" {
		reason = "bwrap ended without a word"
	}
	return reason, explainNamespaces(reason)
}
