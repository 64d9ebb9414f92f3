package sandbox

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// waitDelay bounds each wait for what should be over at once: the output pipes
// of a tree that is gone, the end of a process that was told to end.
const waitDelay = time.Second

// process is a started command with its streams.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr *sink
	stdin          *os.File      // our end; nil without input
	broken         chan struct{} // closed when a writer of the caller failed
	done           chan error
	// ask tells every process of the run to end, end makes it end.
	ask, end func()
}

func newProcess(cmd *exec.Cmd, c Command, limits Limits) *process {
	p := &process{cmd: cmd, broken: make(chan struct{}), done: make(chan error, 1)}
	failed := sync.OnceFunc(func() { close(p.broken) })
	p.stdout, p.stderr = newSink(limits, c.Stdout), newSink(limits, c.Stderr)
	p.stdout.failed, p.stderr.failed = failed, failed
	cmd.Stdout, cmd.Stderr = p.stdout, p.stderr
	cmd.WaitDelay = waitDelay
	return p
}

// start starts the command. It gets an input pipe of its own, never the caller's
// file: a terminal could be written to through it. Nobody waits for the copying,
// since a reader may block for ever.
func (p *process) start(in io.Reader) error {
	if in == nil {
		return p.launch()
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	p.cmd.Stdin = r
	err = p.launch()
	_ = r.Close()
	if err != nil {
		_ = w.Close()
		return err
	}
	p.stdin = w
	go func() {
		_, _ = io.Copy(w, in) // a command need not read all of it
		_ = w.Close()
	}()
	return nil
}

func (p *process) launch() error {
	if err := p.cmd.Start(); err != nil {
		return err
	}
	go func() { p.done <- p.cmd.Wait() }()
	return nil
}

// wait ends the run at the wall limit, when the context ends or when a writer
// fails, and returns once the command has ended.
func (p *process) wait(ctx context.Context, wall time.Duration) (res Result) {
	var err error
	select {
	case err = <-p.done:
	case <-ctx.Done():
		res.Canceled = true
		err = p.terminate(Grace)
	case <-after(wall):
		res.TimedOut = true
		err = p.terminate(Grace)
	case <-p.broken:
		err = p.terminate(0)
	}
	res.OrphanPipe = errors.Is(err, exec.ErrWaitDelay)
	if p.stdin != nil {
		_ = p.stdin.Close()
	}
	return res
}

// terminate asks, waits, then ends. The started process itself is killed only if
// that did not work: where it is the parent of the tree, its own end is the proof
// that the tree is gone.
func (p *process) terminate(grace time.Duration) error {
	if grace > 0 {
		p.ask()
		if err, ok := p.doneWithin(grace); ok {
			return err
		}
	}
	p.end()
	if err, ok := p.doneWithin(waitDelay); ok {
		return err
	}
	_ = p.cmd.Process.Kill()
	return <-p.done
}

func (p *process) doneWithin(d time.Duration) (error, bool) {
	select {
	case err := <-p.done:
		return err, true
	case <-time.After(d):
		return nil, false
	}
}

// output fills in what was captured.
func (p *process) output(res *Result) {
	var outErr, errErr error
	res.Stdout, outErr = p.stdout.capture()
	res.Stderr, errErr = p.stderr.capture()
	if res.OutputErr = outErr; res.OutputErr == nil {
		res.OutputErr = errErr
	}
}

// after is a timer that never fires for a negative duration.
func after(d time.Duration) <-chan time.Time {
	if d < 0 {
		return nil
	}
	return time.After(d)
}
