package sandbox

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agentctl/agentctl/pkg/sandbox/internal/stage"
)

// outcome is what the stage said over the status channel.
type outcome struct {
	ready   bool
	hung    bool // nothing started in time
	fault   string
	dir     string
	execErr *execFailure
	exit    *exitInfo
}

type execFailure struct {
	errno syscall.Errno
	text  string
}

type exitInfo struct {
	code    int
	signal  syscall.Signal
	cpu     time.Duration
	orphans bool
}

// statusReader follows the channel. started is closed at the first sign that the
// command runs, or at the end of the channel.
type statusReader struct {
	file    *os.File
	started chan struct{}
	ended   chan struct{}
	outcome outcome
}

func newStatusReader(f *os.File) *statusReader {
	return &statusReader{file: f, started: make(chan struct{}), ended: make(chan struct{})}
}

func (s *statusReader) read() {
	scan := bufio.NewScanner(s.file)
	open := true
	for scan.Scan() {
		s.outcome.parse(scan.Text())
		if open && s.outcome.ready {
			open = false
			close(s.started)
		}
	}
	_, _ = io.Copy(io.Discard, s.file)
	close(s.ended)
	if open {
		close(s.started)
	}
}

// wait returns what was said. The channel ends with the stage; a stage that
// outlives its killed parent for a moment is given that moment.
func (s *statusReader) wait() outcome {
	select {
	case <-s.ended:
	case <-time.After(waitDelay):
		_ = s.file.SetReadDeadline(time.Now())
		<-s.ended
	}
	_ = s.file.Close()
	return s.outcome
}

// parse reads one line. A word that it does not know is left alone.
func (o *outcome) parse(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case stage.StatusReady:
		o.ready = true
	case stage.StatusFault:
		o.fault = rest
	case stage.StatusDir:
		o.dir = rest
	case stage.StatusExec:
		num, text, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(num)
		o.execErr = &execFailure{errno: syscall.Errno(n), text: text}
	case stage.StatusExit:
		o.exit = parseExit(rest)
	}
}

func parseExit(rest string) *exitInfo {
	f := strings.Fields(rest)
	if len(f) != 4 {
		return nil
	}
	var n [3]int64
	for i := range n {
		v, err := strconv.ParseInt(f[i], 10, 64)
		if err != nil {
			return nil
		}
		n[i] = v
	}
	return &exitInfo{code: int(n[0]), signal: syscall.Signal(n[1]), cpu: time.Duration(n[2]) * time.Microsecond, orphans: f[3] == "1"}
}

func signalName(s syscall.Signal) string {
	if s == 0 {
		return ""
	}
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return "signal " + strconv.Itoa(int(s))
}

// waitRunning waits until the command runs or cannot, and tells which.
func (s *statusReader) waitRunning() bool {
	<-s.started
	select {
	case <-s.ended:
		return s.outcome.ready
	default:
		return true
	}
}
