package sandbox

import (
	"fmt"
	"syscall"
	"time"
)

// finish turns what the stage said into a result or a typed error.
func (l *launch) finish(out outcome, c Command, res Result) (Result, error) {
	res.Backend, res.Missing = l.backend, l.missing
	if err := l.failure(out, c, res); err != nil {
		return Result{}, err
	}
	res.describeEnd(out.exit, l.plan.limits)
	res.Appeared = Appeared(l.plan.watch)
	if res.TimedOut && !out.ready {
		res.Hints = append(res.Hints, "the sandbox had not started the program by then")
	}
	res.Hints = append(res.Hints, l.plan.hints(res)...)
	return res, nil
}

// failure is why the command did not run, or nil.
func (l *launch) failure(out outcome, c Command, res Result) error {
	switch {
	case out.dir != "":
		return &PolicyError{Path: l.plan.dir, Reason: "cannot be the working directory: " + out.dir, Cure: "grant it, or a folder above it"}
	case out.execErr != nil:
		return execError(c.Args[0], out.execErr)
	case out.hung:
		return &Fault{
			Backend: l.backend, Reason: fmt.Sprintf("it hangs: nothing started within %s", l.startLimit),
			Cure: "see what holds it up; until then name another backend, such as native or bwrap",
		}
	case out.fault != "":
		_, cure := l.explain(out.fault)
		return &Fault{Backend: l.backend, Reason: out.fault, Cure: cure}
	case out.ready, res.Canceled, res.TimedOut, res.OutputErr != nil:
		return nil
	}
	reason, cure := l.explain(string(res.Stderr.Head))
	return &Fault{Backend: l.backend, Reason: reason, Cure: cure}
}

func execError(program string, e *execFailure) error {
	if e.errno == syscall.ENOENT || e.errno == syscall.ENOTDIR {
		return &NotFoundError{Program: program}
	}
	return &NotExecutableError{Program: program, Reason: e.text}
}

// describeEnd fills in how the command ended. Without a report it was killed
// together with process 1.
func (r *Result) describeEnd(exit *exitInfo, l Limits) {
	if exit == nil {
		r.Exit, r.Signal = exitKilled, "SIGKILL"
		if !r.TimedOut && !r.Canceled && r.OutputErr == nil {
			r.Hints = append(r.Hints, "something outside the sandbox killed it")
		}
		return
	}
	r.Exit, r.Signal = exit.code, signalName(exit.signal)
	r.OrphanPipe = r.OrphanPipe || exit.orphans
	r.CPULimit = exit.signal == syscall.SIGXCPU || exit.signal == syscall.SIGKILL && l.CPU > 0 && exit.cpu >= l.CPU
	r.FileLimit = exit.signal == syscall.SIGXFSZ
	if r.CPULimit {
		r.Hints = append(r.Hints, fmt.Sprintf("it used more than %s of CPU time", l.CPU.Round(time.Millisecond)))
	}
	if r.OOM {
		r.Hints = append(r.Hints, fmt.Sprintf("all of it together used more than %d bytes of memory", l.Data+l.Tmp))
	}
	if r.FileLimit {
		r.Hints = append(r.Hints, fmt.Sprintf("it wrote a file larger than %d bytes", l.FileSize))
	}
}
