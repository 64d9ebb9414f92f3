package toolpkg

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// The bounds of what is kept of one output stream: enough for every result that
// is meant to be read, and flat under a tool that prints without end.
const (
	KeepHead = 64 << 10
	KeepTail = 64 << 10
	// KeepWhole bounds the file with the whole of a stream: more than anybody reads,
	// and less than a tool that prints without end would need to fill the disk.
	KeepWhole = 2 << 30
)

// output receives one stream of a tool: redacted, passed on, kept as head and
// tail, and written to a file once that is not all of it. A write may still wait
// for its receiver when the run was given up.
type output struct {
	file spillFile // where the whole goes; no name for nowhere
	pass io.Writer // the user's stream, or nil
	most int64     // of the file

	writing sync.Mutex // held while a receiver takes what it gets
	redact  io.WriteCloser

	mu    sync.Mutex // never held while a receiver is waited for
	ended bool       // nothing is taken any more
	head  []byte
	tail  []byte
	total int64
	whole *os.File
	err   error // of the file; the run goes on
}

func newOutput(file spillFile, pass io.Writer, secrets []secret) *output {
	o := &output{file: file, pass: pass, most: KeepWhole}
	o.redact = newRedactor(writerFunc(o.take), secrets)
	return o
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Write takes what the tool printed.
func (o *output) Write(p []byte) (int, error) {
	o.writing.Lock()
	defer o.writing.Unlock()
	return o.redact.Write(p)
}

// take gets redacted bytes. Only the user's stream can end the run: a full disk
// must not.
func (o *output) take(p []byte) (int, error) {
	if o.pass != nil && !o.over() {
		if n, err := o.pass.Write(p); err != nil {
			return n, err
		}
	}
	o.keep(p)
	return len(p), nil
}

func (o *output) over() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ended
}

func (o *output) keep(p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return
	}
	o.total += int64(len(p))
	if o.whole == nil && o.err == nil && o.file.name != "" && o.total > KeepHead+KeepTail {
		o.spill()
	}
	if o.whole != nil && o.err == nil {
		_, o.err = o.whole.Write(p[:min(int64(len(p)), max(0, o.most-o.total+int64(len(p))))])
	}
	room := min(len(p), KeepHead-len(o.head))
	o.head = append(o.head, p[:room]...)
	o.tail = append(o.tail, p[room:]...)
	if len(o.tail) > 2*KeepTail {
		o.trim()
	}
}

// trim runs at twice the limit, so that the cost of a byte stays constant.
func (o *output) trim() {
	if over := len(o.tail) - KeepTail; over > 0 {
		o.tail = append(o.tail[:0], o.tail[over:]...)
	}
}

// spill starts the file with what came so far, all of which is still kept.
func (o *output) spill() {
	if o.whole, o.err = o.file.create(); o.err != nil {
		return
	}
	_, o.err = o.whole.Write(append(append([]byte{}, o.head...), o.tail...))
}

// close ends the stream and returns what is kept.
func (o *output) close() (streamText, error) { return o.end(o.flush()) }

// flush passes on what was held back.
func (o *output) flush() error {
	o.writing.Lock()
	defer o.writing.Unlock()
	return o.redact.Close()
}

// lastFlush is how long a receiver may take for the end of a run that was given up.
const lastFlush = 200 * time.Millisecond

// abandon is [output.close] after a run that was given up: it does not wait for a
// receiver that takes nothing, and what that takes later is not kept.
func (o *output) abandon() (streamText, error) {
	flushed := make(chan struct{})
	go func() {
		defer close(flushed)
		_ = o.flush()
	}()
	select {
	case <-flushed:
	case <-time.After(lastFlush):
	}
	return o.end(nil)
}

func (o *output) end(err error) (streamText, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	if o.whole != nil {
		if o.total > o.most && o.err == nil {
			_, o.err = fmt.Fprintf(o.whole, "\n[… %d bytes left out: a file of output ends here …]\n", o.total-o.most)
		}
		if o.err == nil {
			o.err = o.file.check(o.whole)
		}
		err = errors.Join(err, o.err, o.whole.Close())
	} else {
		err = errors.Join(err, o.err)
	}
	o.trim()
	t := streamText{Text: valid(o.head) + valid(o.tail)}
	if o.whole != nil && err == nil {
		t.File = o.file.path()
	}
	if dropped := o.total - int64(len(o.head)+len(o.tail)); dropped > 0 {
		t.Text, t.Cut = valid(o.head)+cutMark(dropped, "bytes", t.File)+valid(o.tail), true
	}
	return t, err
}

// save writes a stream that was kept as a whole, for a reader who gets less.
func (o *output) save() (string, error) {
	if o.whole != nil {
		return o.file.path(), o.err
	}
	f, err := o.file.create()
	if err != nil {
		return "", err
	}
	_, err = f.Write(append(append([]byte{}, o.head...), o.tail...))
	return o.file.path(), errors.Join(err, f.Close())
}

// streamText is one stream as a result carries it.
type streamText struct {
	Text string
	Cut  bool
	File string // holds the whole, "" for none
}

func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
