package scripted

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/openai"
)

// Model returns the model that follows the script, without any network: the
// client of package openai talks to the handler in memory. Retries do not wait.
// A request that the script does not expect ends in a [*MismatchError].
func (s *Script) Model() model.Model {
	return &player{script: s, client: openai.New(openai.Config{
		Provider:   "scripted",
		BaseURL:    "http://script/v1",
		Model:      "scripted",
		HTTPClient: &http.Client{Transport: transport{s.Handler()}},
		Wait:       func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})}
}

type player struct {
	script *Script
	client model.Model
}

// Stream implements [model.Model].
func (p *player) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		for e, err := range p.client.Stream(ctx, r) {
			if miss := p.script.mismatch(); err != nil && miss != nil {
				err = miss
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (s *Script) mismatch() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.missed == nil {
		return nil
	}
	return s.missed
}

// transport answers requests by a handler in the same process.
type transport struct{ handler http.Handler }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, pipe := io.Pipe()
	w := &pipeWriter{header: http.Header{}, pipe: pipe, ready: make(chan struct{})}
	go func() {
		defer func() {
			p := recover()
			err, _ := p.(error)
			switch {
			case errors.Is(err, http.ErrAbortHandler):
				pipe.CloseWithError(io.ErrUnexpectedEOF)
			case p != nil:
				pipe.CloseWithError(fmt.Errorf("the script's handler failed: %v", p))
			}
			w.WriteHeader(http.StatusInternalServerError) // nobody waits for ever
			_ = pipe.Close()                              // does nothing after CloseWithError
		}()
		t.handler.ServeHTTP(w, r)
		w.WriteHeader(http.StatusOK)
	}()
	select {
	case <-w.ready:
	case <-r.Context().Done():
		body.CloseWithError(r.Context().Err())
		return nil, r.Context().Err()
	}
	// A reader that has gone must not leave the handler writing for ever.
	context.AfterFunc(r.Context(), func() { body.CloseWithError(r.Context().Err()) })
	return &http.Response{
		StatusCode: w.status, Header: w.header, Body: body, Request: r,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1,
	}, nil
}

// pipeWriter is the response side of transport.
type pipeWriter struct {
	header http.Header
	status int
	pipe   *io.PipeWriter
	ready  chan struct{} // closed when the header is complete
}

func (w *pipeWriter) Header() http.Header { return w.header }

func (w *pipeWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		close(w.ready)
	}
}

func (w *pipeWriter) Write(data []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.pipe.Write(data)
}
