package agenttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// maxRecorded bounds one request and one answer.
const maxRecorded = 64 << 20

// Recorder stands between a client and a real model server: it passes everything
// on, byte for byte, and turns what the server answered into a script that
// plays it again. It is an [http.Handler].
type Recorder struct {
	// Upstream is the server's base URL, with its /v1.
	Upstream string
	// Client talks to it; nil means Go's default.
	Client *http.Client

	mu    sync.Mutex
	steps []recorded
}

// recorded is one question to the model and its answer.
type recorded struct {
	messages int
	status   int
	body     []byte
}

// ServeHTTP implements [http.Handler]. Paths begin with /v1.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, in.Body, maxRecorded))
	if err != nil {
		return // the client has gone
	}
	url := strings.TrimSuffix(r.Upstream, "/") + strings.TrimPrefix(in.URL.Path, "/v1")
	out, err := http.NewRequestWithContext(in.Context(), in.Method, url, bytes.NewReader(body))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	out.Header = in.Header.Clone()
	out.Header.Del("Accept-Encoding") // what is recorded is to be read
	resp, err := r.client().Do(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
	w.WriteHeader(resp.StatusCode)
	var seen bytes.Buffer
	copyFlushed(w, io.TeeReader(io.LimitReader(resp.Body, maxRecorded), &seen))
	if in.Method == http.MethodPost {
		r.keep(recorded{messages: countMessages(body), status: resp.StatusCode, body: seen.Bytes()})
	}
}

func (r *Recorder) client() *http.Client {
	if r.Client != nil {
		return r.Client
	}
	return http.DefaultClient
}

func (r *Recorder) keep(step recorded) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.steps = append(r.steps, step)
}

// copyFlushed passes on what comes when it comes.
func copyFlushed(w http.ResponseWriter, from io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if _, werr := w.Write(buf[:n]); werr != nil {
				return
			}
			_ = http.NewResponseController(w).Flush() // nothing to flush is fine
		}
		if err != nil {
			return
		}
	}
}

func countMessages(body []byte) int {
	var r struct {
		Messages []json.RawMessage `json:"messages"`
	}
	_ = json.Unmarshal(body, &r) // what is no request has none
	return len(r.Messages)
}

// Script is what was recorded, as the text of a script. Its steps want requests
// with as many messages as the recorded ones had.
func (r *Recorder) Script() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b bytes.Buffer
	b.WriteString("version: 1\nsteps:\n")
	for _, s := range r.steps {
		fmt.Fprintf(&b, "  - when: {messages: %d}\n", s.messages)
		if s.status != http.StatusOK {
			fmt.Fprintf(&b, "    fail: {status: %d, body: %s}\n", s.status, quote(string(s.body)))
			continue
		}
		b.WriteString("    sse:\n")
		for line := range strings.SplitSeq(strings.TrimSuffix(string(s.body), "\n"), "\n") {
			fmt.Fprintf(&b, "      - %s\n", quote(line))
		}
	}
	return b.Bytes()
}

// quote writes a text in the form of JSON, which YAML reads too.
func quote(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a text always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
