package sandbox

import (
	"io"
	"sync"
)

// sink receives one output stream: it keeps head and tail, passes every byte to
// an optional writer, and never refuses one, since a full pipe would hang the
// command.
type sink struct {
	mu         sync.Mutex // not held while out writes
	head, tail []byte
	maxHead    int // negative: keep everything
	maxTail    int
	total      int64

	out    io.Writer
	open   func() bool // when given, waits and tells whether out may have it
	failed func()      // called when out fails
	err    error
}

func newSink(l Limits, out io.Writer) *sink {
	return &sink{maxHead: l.Head, maxTail: l.Tail, out: out}
}

// Write keeps and forwards p. It always reports success. While out blocks, what
// was kept can still be read.
func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	s.keep(p)
	out, forward := s.out, s.out != nil && s.err == nil
	s.mu.Unlock()
	if forward && (s.open == nil || s.open()) {
		if _, err := out.Write(p); err != nil {
			s.mu.Lock()
			s.err = err
			s.mu.Unlock()
			s.failed()
		}
	}
	return len(p), nil
}

// mute forwards nothing more. A write that hangs already cannot be taken back.
func (s *sink) mute() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out = nil
}

func (s *sink) keep(p []byte) {
	s.total += int64(len(p))
	room := len(p)
	if s.maxHead >= 0 {
		room = min(len(p), s.maxHead-len(s.head))
	}
	s.head = append(s.head, p[:room]...)
	s.tail = append(s.tail, p[room:]...)
	if s.maxTail >= 0 && len(s.tail) > 2*s.maxTail {
		s.trim()
	}
}

// trim keeps the last bytes only. It runs at twice the limit, so that the cost
// of a byte stays constant.
func (s *sink) trim() {
	if over := len(s.tail) - s.maxTail; s.maxTail >= 0 && over > 0 {
		s.tail = append(s.tail[:0], s.tail[over:]...)
	}
}

// capture returns what was kept. Later writes do not change it.
func (s *sink) capture() (Capture, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trim()
	kept := int64(len(s.head) + len(s.tail))
	c := Capture{Head: clone(s.head), Tail: clone(s.tail), Dropped: s.total - kept}
	return c, s.err
}

func clone(b []byte) []byte { return append([]byte(nil), b...) }
