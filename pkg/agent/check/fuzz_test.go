package check_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/agenttest"
	"github.com/agentctl/agentctl/pkg/agent/check"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
)

// says answers every question with the same text.
type says string

func (s says) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(s))), Request: r}, nil
}

// Whatever a server tells about itself, a window is a number of tokens.
func FuzzWindow(f *testing.F) {
	f.Add(`{"data":[{"id":"m","max_model_len":4096}]}`)
	f.Add(`{"models":[{"name":"m","context_length":4096}],"parameters":"num_ctx 99999999999999999999"}`)
	f.Add(`{"model_info":{"a.context_length":-1e300},"default_generation_settings":{"n_ctx":-5}}`)
	f.Add(`{"data":[{"id":"m","model_name":"m","model_info":{"max_input_tokens":-1},"loaded_context_length":-3}]}`)
	f.Add("[")
	f.Fuzz(func(t *testing.T, body string) {
		choice := &choose.Choice{
			Name: "m", Provider: "home", Server: choose.Server{BaseURL: "http://h/v1", ID: "m"},
			Model: agenttest.Script(t, good).Model(),
		}
		r, err := check.Run(t.Context(), check.Options{Choice: choice, Now: time.Now, HTTPClient: &http.Client{Transport: says(body)}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Window.Tokens < 0 || r.Window.Max < 0 {
			t.Errorf("%s gives %+v", body, r.Window)
		}
	})
}
