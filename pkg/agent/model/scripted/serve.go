package scripted

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

// maxRequest bounds what the handler reads of a request.
const maxRequest = 64 << 20

// answer is what a step sends.
type answer struct {
	status  int
	headers map[string]string
	events  []string // pieces of the body
	delay   time.Duration
	fail    fail
}

// dialect is a wire format.
type dialect struct {
	parse  func(body []byte) (model.Request, error)
	render func(rendered) []string
}

// Handler serves the script at …/chat/completions and …/messages. A request
// that the script does not expect is answered with status 422, and [Script.Done]
// reports it.
func (s *Script) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/chat/completions"):
			s.serve(w, r, chat)
		case strings.HasSuffix(r.URL.Path, "/messages"):
			s.serve(w, r, messages)
		case strings.HasSuffix(r.URL.Path, "/models"):
			fmt.Fprintln(w, `{"object":"list","data":[{"id":"scripted","object":"model"}]}`)
		default:
			http.NotFound(w, r)
		}
	})
}

func (s *Script) serve(w http.ResponseWriter, r *http.Request, d dialect) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		return // the client has gone
	}
	req, err := d.parse(body)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if s.spec.Model.Tools == "none" && len(req.Tools) > 0 {
		refuse(w, http.StatusBadRequest, "this model does not support tools")
		return
	}
	a, err := s.answer(req, d)
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	a.send(w, r)
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": text}}) // the client may be gone
}

// answer takes the next step and prepares what it sends.
func (s *Script) answer(r model.Request, d dialect) (*answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.missed != nil {
		return nil, s.missed
	}
	if err := s.record(r); err != nil {
		return nil, s.miss(&MismatchError{File: s.file, Problem: err.Error()})
	}
	i, miss := s.next(r)
	if miss != nil {
		return nil, s.miss(miss)
	}
	a, err := s.prepare(s.spec.Steps[i], r, d)
	if err != nil {
		return nil, s.miss(&MismatchError{File: s.file, Step: i + 1, Problem: err.Error()})
	}
	return a, nil
}

func (s *Script) miss(err *MismatchError) error {
	s.missed = err
	return err
}

func (s *Script) prepare(st step, r model.Request, d dialect) (*answer, error) {
	a := &answer{status: http.StatusOK, headers: map[string]string{"Content-Type": "text/event-stream"}}
	if st.Fail != nil {
		a.fail = *st.Fail
	}
	switch {
	case st.Reply != nil:
		rendered, err := s.render(st.Reply, r)
		if err != nil {
			return nil, err
		}
		a.delay, _ = st.Reply.delay() // checked by Load
		a.events = d.render(rendered)
	case st.SSE != nil:
		text, _ := st.lines() // checked by Load
		a.events = []string{text}
	default:
		a.status = st.Fail.status()
		a.headers["Content-Type"] = "application/json"
		a.events = []string{st.Fail.Body}
	}
	maps.Copy(a.headers, a.fail.Headers)
	return a, nil
}

// status is 500 unless the step says otherwise or only cuts or hangs.
func (f *fail) status() int {
	switch {
	case f.Status != 0:
		return f.Status
	case f.AfterBytes != nil || f.Hang:
		return http.StatusOK
	}
	return http.StatusInternalServerError
}

// lines is the text of an sse step.
func (st step) lines() (string, error) {
	switch v := st.SSE.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case []any:
		var b strings.Builder
		for _, item := range v {
			line, ok := item.(string)
			if !ok && item != nil {
				return "", fmt.Errorf("sse: %v is no text; quote the line", item)
			}
			b.WriteString(line + "\n")
		}
		return b.String(), nil
	}
	return "", fmt.Errorf("sse must be a text or a list of lines")
}

// send writes the answer; a cut breaks the connection, so that the client sees
// a body without its end.
func (a *answer) send(w http.ResponseWriter, r *http.Request) {
	for name, value := range a.headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.status)
	left := -1
	if a.fail.AfterBytes != nil {
		left = *a.fail.AfterBytes
	} else if a.fail.Hang {
		left = 0
	}
	flush(w)
	for _, event := range a.events {
		if !pause(r, a.delay) {
			return
		}
		if left >= 0 {
			event = event[:min(left, len(event))]
			left -= len(event)
		}
		if _, err := io.WriteString(w, event); err != nil {
			return
		}
		flush(w)
	}
	if a.fail.Hang {
		<-r.Context().Done()
	}
	if a.fail.AfterBytes != nil {
		panic(http.ErrAbortHandler)
	}
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() } // nothing to flush is fine

func pause(r *http.Request, d time.Duration) bool {
	if d == 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// Done reports a request that the script did not expect, else steps that no
// request took (not with strict: false). The error is a [*MismatchError].
func (s *Script) Done() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.missed != nil {
		return s.missed
	}
	i := s.firstUnused()
	if i < 0 || (s.spec.Strict != nil && !*s.spec.Strict) || s.spec.Loop {
		return nil
	}
	problem := fmt.Sprintf("the run ended before this step; %s of %d were used", steps(i), len(s.used))
	return &MismatchError{File: s.file, Step: i + 1, Problem: problem}
}
