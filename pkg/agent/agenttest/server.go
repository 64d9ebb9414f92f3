// Package agenttest serves a scripted model over real sockets, so that tests
// exercise the wire layer that users have: HTTP, server-sent events cut at odd
// places, statuses, broken connections. It speaks chat completions at
// URL/v1/chat/completions and messages at URL/v1/messages.
//
// In a Go test use [Serve]; elsewhere, e.g. in a testscript command, [Start].
package agenttest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/model/scripted"
)

// Options change how answers travel, not what they say.
type Options struct {
	// Segments are the sizes in bytes of the writes, used in turn; nil writes what
	// the script hands over at once. A client never sees the same boundaries as
	// the script when it is set.
	Segments []int
	// Delay is the pause between two writes.
	Delay time.Duration
	// Key is the API key that requests must carry, as a bearer token or in
	// x-api-key; others get 401. "" accepts all.
	Key string
}

// Request is one request as it arrived.
type Request struct {
	Method, Path string
	Header       http.Header
	Body         []byte
}

// Server is a running fake model server.
type Server struct {
	// URL is the address without a path; BaseURL has the /v1 that clients want.
	URL, BaseURL string

	script *scripted.Script
	http   *http.Server
	done   chan struct{}

	mu       sync.Mutex
	requests []Request
}

// Serve starts a server for the time of a test, and fails the test when the run
// was not the one that the script describes. script is a [*scripted.Script], or
// the text of one.
func Serve[S *scripted.Script | string](t testing.TB, script S, opts ...Options) *Server {
	t.Helper()
	loaded := Script(t, script)
	s, err := Start(t.Context(), loaded, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if err := loaded.Done(); err != nil && !t.Failed() {
			t.Error(err)
		}
	})
	return s
}

// Script loads a script from its text; a loaded one is returned as it is.
func Script[S *scripted.Script | string](t testing.TB, script S) *scripted.Script {
	t.Helper()
	if loaded, ok := any(script).(*scripted.Script); ok {
		return loaded
	}
	loaded, err := scripted.Load("script.yaml", []byte(any(script).(string)))
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// Start serves a script on a free port of the loopback interface until ctx ends
// or the server is closed.
func Start(ctx context.Context, script *scripted.Script, opts ...Options) (*Server, error) {
	var o Options
	if len(opts) > 0 {
		o = opts[0]
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the fake model server: %w", err)
	}
	s := &Server{URL: "http://" + listener.Addr().String(), script: script, done: make(chan struct{})}
	s.BaseURL = s.URL + "/v1"
	s.http = &http.Server{
		Handler:           s.handler(o),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(listener) // ends with ErrServerClosed
	}()
	context.AfterFunc(ctx, s.Close)
	return s, nil
}

// Close breaks all connections and waits for the server to end.
func (s *Server) Close() {
	_ = s.http.Close() // the connections are gone either way
	<-s.done
}

// Requests are those that have arrived so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Done reports what differed from the script; see [scripted.Script.Done].
func (s *Server) Done() error { return s.script.Done() }

func (s *Server) handler(o Options) http.Handler {
	script := s.script.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has gone
		}
		s.mu.Lock()
		s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body})
		s.mu.Unlock()
		if o.Key != "" && r.Header.Get("Authorization") != "Bearer "+o.Key && r.Header.Get("X-Api-Key") != o.Key {
			http.Error(w, `{"error":{"message":"invalid API key"}}`, http.StatusUnauthorized)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		script.ServeHTTP(&cutter{ResponseWriter: w, opts: o}, r)
	})
}

// cutter writes in segments of the given sizes, each in a packet of its own.
type cutter struct {
	http.ResponseWriter
	opts Options
	next int
}

// Unwrap lets http.ResponseController reach the connection.
func (c *cutter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *cutter) Write(data []byte) (int, error) {
	if len(c.opts.Segments) == 0 {
		return c.ResponseWriter.Write(data)
	}
	written := 0
	for written < len(data) {
		size := max(c.opts.Segments[c.next%len(c.opts.Segments)], 1)
		c.next++
		n, err := c.ResponseWriter.Write(data[written:min(written+size, len(data))])
		written += n
		if err != nil {
			return written, err
		}
		if err := http.NewResponseController(c.ResponseWriter).Flush(); err != nil {
			return written, err
		}
		time.Sleep(c.opts.Delay)
	}
	return written, nil
}
