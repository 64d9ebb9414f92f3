package sandbox

import (
	"os"
	"sync/atomic"
	"time"
)

// maxAfterEnd is more than a pipe can hold: what comes beyond it after the
// command has ended was written by something that it left behind.
const maxAfterEnd = 2 << 20

// drain passes one stream of the command on.
type drain struct {
	file   *os.File
	sink   *sink
	over   atomic.Bool // the command has ended
	orphan atomic.Bool // something else still held the stream
	done   chan struct{}
}

func newDrain(file *os.File, s *sink) *drain {
	return &drain{file: file, sink: s, done: make(chan struct{})}
}

func (d *drain) run() {
	defer close(d.done)
	defer func() { _ = d.file.Close() }()
	buf := make([]byte, 32<<10)
	for late := 0; late < maxAfterEnd; {
		over := d.over.Load()
		if over { // each wait anew: the time in between belongs to the caller's writer
			_ = d.file.SetReadDeadline(time.Now().Add(waitDelay))
		}
		n, err := d.file.Read(buf)
		if n > 0 {
			_, _ = d.sink.Write(buf[:n]) // never fails
		}
		if over {
			late += n
		}
		if err != nil && (over || !os.IsTimeout(err)) {
			d.orphan.Store(os.IsTimeout(err))
			return
		}
	}
	d.orphan.Store(true)
}

// ended says that the command has ended: from now on only what is in the pipe is
// read, and a read that waits already is woken. In this order: a deadline in the
// past must never reach a read that knows.
func (d *drain) ended() {
	_ = d.file.SetReadDeadline(time.Now())
	d.over.Store(true)
}

// finish gives a moment to a drain whose run was given up, and ends it then:
// whoever reads so slowly gets no more.
func (d *drain) finish() {
	select {
	case <-d.done:
	case <-time.After(waitDelay):
		d.sink.mute()
	}
}
