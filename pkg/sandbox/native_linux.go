package sandbox

import (
	"context"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/agentctl/agentctl/pkg/sandbox/internal/stage"
)

// native confines without any external program: Go makes the namespaces, the
// stage makes the mounts and the rest.
type native struct {
	host    host
	missing []Feature
}

// Name is "native".
func (n *native) Name() string { return NameNative }

// Probe tries each protection. See [Backend].
func (n *native) Probe(ctx context.Context) Report { return probeReport(ctx, n, n.host, n.how) }

func (n *native) how(f Feature) string {
	switch f {
	case FileReads, FileWrites, PrivateTmp:
		return "own mount namespace; " + landlockVersion()
	case Network, UnixSockets:
		return "own network and mount namespaces"
	case TreeKill, ProcessView:
		return "own PID namespace, ends with its process 1"
	}
	return stageMechanism(f)
}

func (n *native) setMissing(fs []Feature) { n.missing = fs }

func (n *native) identity() string { return "" }

// Run runs one command. See [Backend].
func (n *native) Run(ctx context.Context, p Policy, c Command) (Result, error) {
	if lacking := missingFrom(p.Require, n.missing); len(lacking) > 0 {
		return Result{}, lacks(NameNative, lacking)
	}
	pl, cfg, err := prepare(n.host, p, c)
	if err != nil {
		return Result{}, err
	}
	cfg.Mounts = pl.rootMounts()
	cfg.Namespaces = true
	l := &launch{
		backend: NameNative, plan: pl, config: cfg, explain: explainNative, missing: n.missing,
		command: func(int) (*exec.Cmd, []*os.File, error) { return stageCommand(namespaces(pl.net)), nil, nil },
	}
	return l.run(ctx, c)
}

// stageCommand starts this program as process 1 of a run.
func stageCommand(attr *syscall.SysProcAttr) *exec.Cmd {
	return &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{"sandbox", stage.Marker, stage.RoleInit},
		Dir: "/", SysProcAttr: attr,
	}
}

// namespaces asks for fresh ones of every kind, with the caller's own user and
// group and no other inside. The capabilities are those of the new user
// namespace only; the stage needs them for the mounts and drops them.
func namespaces(net NetworkMode) *syscall.SysProcAttr {
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP)
	if net == NetworkNone {
		flags |= unix.CLONE_NEWNET
	}
	uid, gid := os.Geteuid(), os.Getegid()
	return &syscall.SysProcAttr{
		Cloneflags:  flags,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SYS_RESOURCE, unix.CAP_SETPCAP},
		Setsid:      true,
		Pdeathsig:   syscall.SIGKILL,
	}
}

func explainNative(text string) (reason, cure string) { return text, explainNamespaces(text) }
