package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

const (
	// exitTimeout is the exit code of a command that was stopped at its time limit.
	exitTimeout = toolpkg.ExitTimeout
	// neverCut is how long a stream may be to be whole in every text for a model.
	neverCut = maxText / 3
	// maxKept is how much of a stream a file keeps: as much as a command may
	// write into one of its own.
	maxKept = 256 << 20
)

// streams are the two outputs of a command while it runs.
type streams struct{ stdout, stderr *stream }

func newStreams(c agent.Call, dir *callDir) streams {
	return streams{
		stdout: &stream{name: "stdout", live: live{show: c.Output, name: "stdout"}, dir: dir},
		stderr: &stream{name: "stderr", live: live{show: c.Output, name: "stderr"}, dir: dir},
	}
}

// output is what the model is told about a command that ran: the same text as
// for a command of a tool package.
func (s streams) output(res sandbox.Result, artifacts []toolpkg.Artifact) agent.Output {
	r := toolpkg.InvokeResult{ExitCode: res.Exit, Message: strings.Join(notes(res), "\n"), Artifacts: artifacts}
	if res.TimedOut {
		r.ExitCode = exitTimeout
	}
	r.Stdout, r.StdoutFile = s.stdout.end(res.Stdout)
	r.Stderr, r.StderrFile = s.stderr.end(res.Stderr)
	return agent.Output{Text: r.ForModel(), Failed: r.ExitCode != 0, ExitCode: &r.ExitCode, Warnings: appeared(res)}
}

// notes say why a command ended when its exit code does not.
func notes(res sandbox.Result) []string {
	var out []string
	add := func(when bool, text string) {
		if when {
			out = append(out, text)
		}
	}
	add(res.TimedOut, "stopped at its time limit: do less in one call")
	add(res.OOM, "stopped at its memory limit: do less in one call")
	add(res.CPULimit, "stopped at its limit of processor time: do less in one call")
	add(res.FileLimit, "stopped at the size limit of a file")
	add(res.OrphanPipe, "a process that it left in the background was ended")
	return append(out, res.Hints...)
}

// appeared warns the user about files that could steer later runs.
func appeared(res sandbox.Result) []session.Warning {
	var out []session.Warning
	for _, path := range res.Appeared {
		out = append(out, session.Warning{
			Code: "sandbox.appeared",
			Text: path + " " + res.Change() + " while the command ran. It can steer a model, so chat leaves it out until you agree: look at it, then run agentctl trust (/trust in a chat)",
		})
	}
	for _, text := range res.Warnings {
		out = append(out, session.Warning{Code: "sandbox.warning", Text: text})
	}
	return out
}

// stream shows one output while it runs, and keeps the whole of it in a file
// when it is too long for the model. It never fails: an output that cannot be
// kept is no reason to end the command.
type stream struct {
	name string
	live live
	dir  *callDir

	mu    sync.Mutex
	total int64
	held  []byte // everything so far, until there is a file
	file  *os.File
	lost  bool // there is no place for a file
}

// held is bounded by what the sandbox keeps as well.
const maxHeld = toolpkg.KeepHead + toolpkg.KeepTail

// Write implements [io.Writer].
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.live.Write(p)
	if s.file == nil && !s.lost && len(s.held)+len(p) > maxHeld {
		s.open()
	}
	switch {
	case s.file != nil && s.total < maxKept:
		_, _ = s.file.Write(p[:min(int64(len(p)), maxKept-s.total)])
	case s.file == nil && !s.lost:
		s.held = append(s.held, p...)
	}
	s.total += int64(len(p))
	return len(p), nil
}

// open moves what is held to a file.
func (s *stream) open() {
	s.file = s.dir.create(s.name + ".txt")
	if s.lost = s.file == nil; !s.lost {
		_, _ = s.file.Write(s.held)
	}
	s.held = nil
}

// end returns the text of a stream, head and tail of a long one, and the file
// that has the whole when the model will not get all of it.
func (s *stream) end(got sandbox.Capture) (text, file string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = valid(got.Head) + valid(got.Tail)
	if s.file == nil && !s.lost && utf8.RuneCountInString(text) > neverCut {
		s.open()
	}
	if s.file != nil {
		_ = s.file.Close()
		file = filepath.Clean(s.file.Name())
	}
	if got.Dropped > 0 {
		text = fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", valid(got.Head), got.Dropped, valid(got.Tail))
	}
	return text, file
}

func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// live shows an output piece by piece, whole characters, as much in all as a
// model may read: whoever watches wants to see that something happens.
type live struct {
	show  func(stream, text string)
	name  string
	shown int
	part  []byte // the beginning of a character
}

// Write implements [io.Writer]; it never fails.
func (l *live) Write(p []byte) (int, error) {
	piece := p[:min(len(p), maxText-l.shown)]
	l.shown += len(piece)
	text := append(l.part, piece...)
	whole := len(text) - partial(text)
	l.part = append([]byte(nil), text[whole:]...)
	if whole > 0 {
		l.show(l.name, valid(text[:whole]))
	}
	return len(p), nil
}

// partial is how many bytes at the end of b begin a character that is not whole.
func partial(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		tail := b[len(b)-n:]
		if !utf8.RuneStart(tail[0]) {
			continue
		}
		if utf8.FullRune(tail) {
			return 0
		}
		return n
	}
	return 0
}
