package sandbox

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/agentctl/agentctl/pkg/sandbox/internal/stage"
)

// launch is one start of a stage: by itself (native) or behind bwrap.
type launch struct {
	backend string
	plan    *plan
	config  stage.Config
	// command makes the process to start. The stage's files are 3 to 6, extra
	// come after them.
	command func() (cmd *exec.Cmd, extra []*os.File, err error)
	// explain turns what the process said on stderr into a reason and a cure.
	explain func(stderr string) (reason, cure string)
	missing []Feature
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
	p, status, err := l.start(c)
	if err != nil {
		reason, cure := l.explain(err.Error())
		return Result{}, &Fault{Backend: l.backend, Reason: reason, Cure: cure, Err: err}
	}
	res := p.wait(ctx, l.plan.limits.Wall)
	p.end()
	res.Duration = time.Since(began)
	p.output(&res)
	return l.finish(status.wait(), c, res)
}

func (l *launch) start(c Command) (*process, *statusReader, error) {
	files, err := openStageFiles(l.config)
	if err != nil {
		return nil, nil, err
	}
	defer files.close()
	cmd, extra, err := l.command()
	defer closeAll(extra)
	if err != nil {
		return nil, nil, err
	}
	cmd.ExtraFiles = append([]*os.File{files.config, files.statusW, files.controlR, files.exe}, extra...)
	cmd.Env = []string{} // the command's own travels in the config
	status := newStatusReader(files.statusR)
	p := newProcess(cmd, c, l.plan.limits)
	p.ask = func() { _, _ = files.controlW.Write([]byte{'t'}) }
	p.end = func() { _ = files.controlW.Close() }
	// Until the command runs, what comes on stderr is the sandbox's own.
	p.stderr.open = status.waitRunning
	if err := p.start(c.Stdin); err != nil {
		return nil, nil, err
	}
	files.keepHostEnds()
	go status.read()
	return p, status, nil
}
