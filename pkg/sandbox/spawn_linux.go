package sandbox

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"github.com/agentctl/agentctl/pkg/sandbox/internal/stage"
)

// launch is one start of a stage: by itself (native) or behind bwrap.
type launch struct {
	backend string
	plan    *plan
	config  stage.Config
	// command makes the process to start. The stage's files are 3 to 6, extra
	// come later and are numbered from first.
	command func(first int) (cmd *exec.Cmd, extra []*os.File, err error)
	// explain turns what the process said on stderr into a reason and a cure.
	explain func(stderr string) (reason, cure string)
	missing []Feature
	// startLimit is how long the command may take to start; 0 means the usual.
	startLimit time.Duration
}

// run starts the stage, waits for the end of the whole tree and reads the status
// channel. Only what came over that channel counts as the command's end.
func (l *launch) run(ctx context.Context, c Command) (Result, error) {
	if ctx.Err() != nil {
		return Result{Backend: l.backend, Missing: l.missing, Canceled: true, Exit: exitInterrupted}, nil
	}
	// "Die with the parent" means the thread that started the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := time.Now()
	l.startLimit = cmp.Or(l.startLimit, startLimit)
	group := newCgroup(l.plan.limits)
	defer group.close()
	p, status, err := l.start(c, group)
	if err != nil {
		reason, cure := l.explain(err.Error())
		return Result{}, &Fault{Backend: l.backend, Reason: reason, Cure: cure, Err: err}
	}
	res := p.wait(ctx, l.plan.limits.Wall)
	p.end()
	res.Duration = time.Since(began)
	p.output(&res)
	res.OOM = group.outOfMemory()
	out := status.wait()
	out.hung = p.hung && !out.ready
	return l.finish(out, c, res)
}

func (l *launch) start(c Command, group *cgroup) (*process, *statusReader, error) {
	var joins []*os.File
	if group != nil {
		joins = group.procs
	}
	for i := range joins {
		l.config.Cgroup = append(l.config.Cgroup, stage.ExeFD+1+i)
	}
	files, err := openStageFiles(l.config)
	if err != nil {
		return nil, nil, err
	}
	defer files.close()
	cmd, extra, err := l.command(stage.ExeFD + 1 + len(joins))
	defer closeAll(extra)
	if err != nil {
		return nil, nil, err
	}
	cmd.ExtraFiles = slices.Concat([]*os.File{files.config, files.statusW, files.controlR, files.exe}, joins, extra)
	cmd.Env = []string{} // the command's own travels in the config
	status := newStatusReader(files.statusR)
	p := newProcess(cmd, c, l.plan.limits)
	p.ask = func() { _, _ = files.controlW.Write([]byte{'t'}) }
	p.end = func() { _ = files.controlW.Close() }
	// Until the command runs, what comes on stderr is the sandbox's own.
	p.stderr.open = status.waitRunning
	p.started, p.startLimit = status.started, l.startLimit
	if err := p.start(c.Stdin); err != nil {
		return nil, nil, err
	}
	files.keepHostEnds()
	go status.read()
	return p, status, nil
}
