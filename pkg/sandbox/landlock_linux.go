package sandbox

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/agentctl/agentctl/pkg/sandbox/internal/stage"
)

// landlocked is the lower level of native, for systems without user namespaces:
// Landlock, seccomp and limits on the host's own tree. It is only had by asking
// for it, and every result lists what is missing.
type landlocked struct {
	host    host
	missing []Feature
}

// landlockRequired is what makes the level worth having.
var landlockRequired = []Feature{FileReads, Network, Env}

func openLandlock(ctx context.Context, o Options) (Backend, error) {
	l := &landlocked{host: o.host()}
	if landlockABI() == 0 {
		return nil, &Fault{Backend: NameNative, Reason: "neither user namespaces nor Landlock work here", Cure: cureNamespaces}
	}
	if err := proveOnly(ctx, l, o, landlockRequired); err != nil {
		return nil, err
	}
	return l, nil
}

// Name is "native".
func (l *landlocked) Name() string { return NameNative }

func (l *landlocked) mountless() {}

// Probe tries each protection. See [Backend].
func (l *landlocked) Probe(ctx context.Context) Report {
	r := probeReport(ctx, l, l.host, l.how)
	r.Cure = cureNamespaces
	return r
}

func (l *landlocked) how(f Feature) string {
	switch f {
	case FileReads, FileWrites, ProcessView:
		return landlockVersion() + " alone"
	case Network:
		return "seccomp filter, no internet sockets"
	case PrivateTmp:
		return "a private folder of the host, not limited in size"
	case UnixSockets:
		return landlockVersion() + ", abstract sockets only"
	case TreeKill:
		return "the supervisor ends its descendants"
	case Processes:
		return "not set: the kernel counts all processes of the user"
	}
	return stageMechanism(f)
}

func (l *landlocked) setMissing(fs []Feature) { l.missing = fs }

func (l *landlocked) identity() string { return LevelLandlock }

// Run runs one command. Only protections that the policy names are required:
// whoever opened this level knows that it lacks some.
func (l *landlocked) Run(ctx context.Context, p Policy, c Command) (Result, error) {
	if len(p.Require) > 0 {
		if lacking := missingFrom(p.Require, l.missing); len(lacking) > 0 {
			return Result{}, lacks(NameNative, lacking)
		}
	}
	pl, cfg, err := prepare(l.host, p, c)
	if err != nil {
		return Result{}, err
	}
	private, err := os.MkdirTemp("", "agentctl-private-")
	if err != nil {
		return Result{}, &Fault{Backend: NameNative, Reason: "no private folder: " + err.Error(), Err: err}
	}
	defer func() { _ = os.RemoveAll(private) }()
	if err := pl.withoutMounts(private); err != nil {
		return Result{}, err
	}
	if cfg.Filter, err = filterFor(pl.net == NetworkNone); err != nil {
		return Result{}, &Fault{Backend: NameNative, Reason: err.Error(), Err: err}
	}
	cfg.Env, cfg.Dir, cfg.Landlock = pl.env, pl.dir, pl.outerLandlock(private)
	cfg.Rlimits = slices.DeleteFunc(cfg.Rlimits, func(r stage.Rlimit) bool { return r.Resource == unix.RLIMIT_NPROC })
	run := &launch{
		backend: NameNative, plan: pl, config: cfg, explain: explainNative, missing: l.missing,
		command: func(int) (*exec.Cmd, []*os.File, error) {
			return stageCommand(&syscall.SysProcAttr{Setsid: true}), nil, nil
		},
	}
	return run.run(ctx, c)
}

// outerLandlock is the only fence of this level: the host's tree is in sight, so
// each folder that may be read is named.
func (pl *plan) outerLandlock(private string) *stage.Landlock {
	abi := landlockABI()
	all := landlockFS(abi)
	ll := &stage.Landlock{HandledFS: all, Rules: []stage.Rule{{Path: private, Access: all}}}
	if abi >= 4 && pl.net == NetworkNone {
		ll.HandledNet = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 6 {
		ll.Scoped = landlockScopes
	}
	read := func(path string) { ll.Rules = append(ll.Rules, stage.Rule{Path: path, Access: landlockRead}) }
	for _, m := range append(systemMounts(), etcMounts(pl.net)...) {
		if m.Kind == stage.BindRO {
			read(m.Source)
		}
	}
	for _, name := range []string{"passwd", "group", "hosts", "nsswitch.conf"} {
		read(filepath.Join("/etc", name))
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		ll.Rules = append(ll.Rules, stage.Rule{Path: filepath.Join("/dev", name), Access: all})
	}
	for _, g := range pl.grants {
		if g.write {
			ll.Rules = append(ll.Rules, stage.Rule{Path: g.host, Access: all})
		} else {
			read(g.host)
		}
	}
	return ll
}
