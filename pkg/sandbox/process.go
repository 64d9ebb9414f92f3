package sandbox

import (
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// waitDelay bounds each wait for what should be over at once: the output pipes
// of a tree that is gone, the end of a process that was told to end.
const waitDelay = time.Second

// startLimit is how long a sandbox may take to start a command: a hundred times
// what it takes on a busy machine. One that takes longer hangs.
const startLimit = 10 * time.Second

// process is a started command with its streams.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr *sink
	drains         []*drain
	stdin          *os.File      // our end; nil without input
	broken         chan struct{} // closed when a writer of the caller failed
	done           chan struct{} // closed when the command has ended
	// started, where there is a sandbox to wait for, is closed when the command
	// runs or never will; hung tells that this did not happen within startLimit.
	started    <-chan struct{}
	startLimit time.Duration
	hung       bool
	// ask tells every process of the run to end, end makes it end.
	ask, end func()
}

func newProcess(cmd *exec.Cmd, c Command, limits Limits) *process {
	p := &process{cmd: cmd, broken: make(chan struct{}), done: make(chan struct{})}
	failed := sync.OnceFunc(func() { close(p.broken) })
	p.stdout, p.stderr = newSink(limits, c.Stdout), newSink(limits, c.Stderr)
	p.stdout.failed, p.stderr.failed = failed, failed
	return p
}

// start starts the command on pipes of its own, never on the caller's files: a
// terminal could be written to through them.
func (p *process) start(in io.Reader) (err error) {
	var theirs []*os.File
	defer func() { closeAll(theirs) }()
	for _, s := range []*sink{p.stdout, p.stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			p.closeDrains()
			return err
		}
		theirs, p.drains = append(theirs, w), append(p.drains, newDrain(r, s))
	}
	p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1]
	if in != nil {
		r, w, err := os.Pipe()
		if err != nil {
			p.closeDrains()
			return err
		}
		theirs, p.stdin, p.cmd.Stdin = append(theirs, r), w, r
	}
	if err := p.cmd.Start(); err != nil {
		p.closeDrains()
		closeAll([]*os.File{p.stdin})
		return err
	}
	p.follow(in)
	return nil
}

func (p *process) closeDrains() {
	for _, d := range p.drains {
		_ = d.file.Close()
	}
}

func (p *process) follow(in io.Reader) {
	for _, d := range p.drains {
		go d.run()
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is in ProcessState
		close(p.done)
	}()
	if in == nil {
		return
	}
	// Nobody waits for the input: a reader may block for ever.
	go func() {
		_, _ = io.Copy(p.stdin, in) // a command need not read all of it
		_ = p.stdin.Close()
	}()
}

// wait ends the run at the wall limit, when the context ends, when a writer fails
// or when nothing starts, and returns once the command has ended and its output
// is passed on.
func (p *process) wait(ctx context.Context, wall time.Duration) (res Result) {
	late := make(chan struct{})
	select {
	case <-p.done:
	case <-ctx.Done():
		res.Canceled = true
		p.terminate(p.grace())
	case <-after(wall):
		res.TimedOut = true
		p.terminate(p.grace())
		close(late)
	case <-p.hanging(p.startLimit):
		p.hung = true
		p.terminate(0)
		close(late)
	case <-p.broken:
		p.terminate(0)
	}
	if p.stdin != nil {
		_ = p.stdin.Close()
	}
	res.OrphanPipe = p.drainAll(ctx, late)
	return res
}

// hanging is closed when nothing has started within the limit.
func (p *process) hanging(limit time.Duration) <-chan struct{} {
	hangs := make(chan struct{})
	if p.started == nil {
		return hangs
	}
	go func() {
		select {
		case <-p.started:
		case <-p.done:
		case <-time.After(limit):
			close(hangs)
		}
	}()
	return hangs
}

// grace is the time to end in peace. A sandbox that has started nothing yet has
// nobody to pass that on to.
func (p *process) grace() time.Duration {
	select {
	case <-p.started:
	default:
		if p.started != nil {
			return 0
		}
	}
	return Grace
}

// drainAll waits until what the command wrote is passed on. A slow writer of the
// caller gets the time it needs, unless the run was given up: by the caller, or as
// too late, which a slow reader must not put off.
func (p *process) drainAll(ctx context.Context, late <-chan struct{}) (orphan bool) {
	for _, d := range p.drains {
		d.ended()
	}
	for _, d := range p.drains {
		select {
		case <-d.done:
		case <-p.broken:
			d.finish()
		case <-ctx.Done():
			d.finish()
		case <-late:
			d.finish()
		}
		orphan = orphan || d.orphan.Load()
	}
	return orphan
}

// terminate asks, waits, then ends. The started process itself is killed only if
// that did not work: where it is the parent of the tree, its own end is the proof
// that the tree is gone.
func (p *process) terminate(grace time.Duration) {
	if grace > 0 {
		p.ask()
		if p.doneWithin(grace) {
			return
		}
	}
	p.end()
	if p.doneWithin(waitDelay) {
		return
	}
	killWhole(p.cmd)
	<-p.done
}

func (p *process) doneWithin(d time.Duration) bool {
	select {
	case <-p.done:
		return true
	case <-time.After(d):
		return false
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

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
