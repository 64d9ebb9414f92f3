package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/tmaxmax/go-sse"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

const (
	// maxEvent bounds one event: some servers send a whole call, with the file
	// that it writes, in one.
	maxEvent = 16 << 20
	// maxAnswer bounds an answer, so that a server that never stops cannot fill
	// the memory.
	maxAnswer = 64 << 20
	// endGrace is how long a server may keep the line open after the answer is
	// complete; the usage comes in that time.
	endGrace = 2 * time.Second
	// drainTime and maxDrain bound what is done for using a connection again.
	drainTime = 100 * time.Millisecond
	maxDrain  = 4 << 10
)

// Event is one server-sent event, or the whole body of an answer that was not
// streamed.
type Event struct {
	Type string
	Data string
}

// Answer is a successful response.
type Answer struct {
	client *Client
	body   *bufio.Reader
	whole  bool // one JSON value instead of a stream
	cancel context.CancelFunc
}

// open looks at the first byte, because not every server that answers with
// plain JSON says so in the header.
func (c *Client) open(resp *http.Response) (*Answer, error) {
	body := bufio.NewReader(http.MaxBytesReader(nil, resp.Body, maxAnswer))
	for {
		b, err := body.ReadByte()
		if err != nil {
			return nil, c.Cut(err)
		}
		if b == ' ' || b == '\n' || b == '\r' || b == '\t' {
			continue
		}
		_ = body.UnreadByte() // cannot fail after a read
		if b == '<' {
			return nil, c.notAnAPI(resp)
		}
		return &Answer{client: c, body: body, whole: b == '{'}, nil
	}
}

func (c *Client) notAnAPI(resp *http.Response) error {
	return &failure{err: &model.ServerError{
		Provider: c.Provider, URL: c.clean(c.URL), Status: resp.StatusCode,
		Detail: "a web page instead of an answer; base_url must be that of the API, it usually ends in /v1",
	}}
}

// Whole tells that the answer is one JSON value and no stream.
func (a *Answer) Whole() bool { return a.whole }

// Events yields the events in their order. A broken connection is a last
// [model.CutStreamError]; a proper end is just the end.
func (a *Answer) Events() iter.Seq2[Event, error] {
	if a.whole {
		return a.one
	}
	return func(yield func(Event, error) bool) {
		// Only a blank line ends an event, and some servers leave out the last.
		r := io.MultiReader(a.body, strings.NewReader("\n\n"))
		for e, err := range sse.Read(r, &sse.ReadConfig{MaxEventSize: maxEvent}) {
			if err != nil {
				yield(Event{}, a.client.Cut(err))
				return
			}
			if !yield(Event{Type: e.Type, Data: e.Data}, nil) {
				return
			}
		}
	}
}

func (a *Answer) one(yield func(Event, error) bool) {
	data, err := io.ReadAll(a.body)
	if err != nil {
		yield(Event{}, a.client.Cut(err))
		return
	}
	yield(Event{Data: string(data)}, nil)
}

// Ending says that the answer is complete: what may still follow is waited for
// a short time only.
func (a *Answer) Ending() (stop func()) {
	timer := time.AfterFunc(endGrace, a.cancel)
	return func() { timer.Stop() }
}

// drain reads what follows a complete answer, usually nothing but the end of the
// body, because a connection is only used again when its answer was read. It does
// not wait for a server that leaves the line open.
func (a *Answer) drain() {
	timer := time.AfterFunc(drainTime, a.cancel)
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, a.body, maxDrain) // a new connection is no loss
}

// Cut is the error of an answer that broke off. One that is too large would be
// so again.
func (c *Client) Cut(err error) error {
	again := true
	large, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case errors.Is(err, io.EOF):
		err = reason(io.ErrUnexpectedEOF)
	case errors.Is(err, bufio.ErrTooLong):
		err, again = fmt.Errorf("one event of it is larger than %d MiB", maxEvent>>20), false
	case tooLarge:
		err, again = fmt.Errorf("it is larger than %d MiB", large.Limit>>20), false
	default:
		err = reason(err)
	}
	return &failure{err: &model.CutStreamError{Provider: c.Provider, Err: err}, again: again}
}

// Unreadable is the error of an event that is no valid JSON: a part of the
// answer is lost, and nobody knows which.
func (c *Client) Unreadable(data string) error {
	const show = 80
	// A secret that is cut in the middle would not be found any more.
	text := []rune(c.clean(data))
	if len(text) > show {
		text = append(text[:show], '…')
	}
	return c.Cut(fmt.Errorf("unreadable event %q", string(text)))
}
