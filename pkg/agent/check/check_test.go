package check_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/config"
	"github.com/agentctl/agentctl/pkg/agent/agenttest"
	"github.com/agentctl/agentctl/pkg/agent/check"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
)

const (
	words  = "  - when: {user: numbers}\n    reply: {text: 'one, two, three, four', chunk: 3}\n"
	calls  = "  - when: {user: 'Call the tool'}\n    reply: {tool_calls: [{name: get_code_word, args: {number: 7341}}]}\n"
	answer = "  - when: {tool_result: {name: get_code_word, contains: tangerine}}\n    reply: {text: Tangerine.}\n"
	head   = "version: 1\nstrict: false\nsteps:\n"

	good     = head + words + answer + calls
	textHead = "version: 1\nstrict: false\nmodel: {tools: none}\nsteps:\n"
	inText   = textHead + words + "  - when: {user: 'tool_result.*[\\s\\S]*tangerine'}\n    reply: {text: Tangerine.}\n" + calls
)

// pages are what a server tells about itself, by path.
type pages map[string]string

// serve starts a model server that plays a script and tells about itself. It
// fails the test if a question about the window loads a model.
func serve(t *testing.T, script string, about pages) string {
	t.Helper()
	play := agenttest.Script(t, script).Handler()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sesame" {
			http.Error(w, `{"error":{"message":"who are you?"}}`, http.StatusUnauthorized)
			return
		}
		if page, ok := about[r.Method+" "+r.URL.Path]; ok {
			_, _ = io.WriteString(w, page)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/models") {
			http.NotFound(w, r)
			return
		}
		play.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// on chooses the model m on a server.
func on(t *testing.T, url string, m config.Model) *choose.Choice {
	t.Helper()
	m.Name, m.Provider = "house", "home"
	return chosen(t, "house", config.Config{Models: []config.Model{m}, Providers: []config.Provider{{Name: "home", BaseURL: url, APIKeyEnv: "KEY"}}}, nil)
}

func chosen(t *testing.T, name string, c config.Config, env map[string]string) *choose.Choice {
	t.Helper()
	choice, err := choose.Model(t.Context(), choose.Request{Flag: name, Config: c, Getenv: func(name string) string {
		if name == "KEY" {
			return "sesame"
		}
		return env[name]
	}})
	if err != nil {
		t.Fatal(err)
	}
	return choice
}

func TestRun(t *testing.T) {
	t.Parallel()
	window := pages{"GET /v1/models": `{"data":[{"id":"other","max_model_len":1},{"id":"m","max_model_len":32768}]}`}
	tests := []struct {
		name, script string
		about        pages
		model        config.Model
		calls        string
		tokens       int
		findings     string // a part of the first one; "!" in front if it differs
		config       string // the keys to set
	}{
		{"as configured", good, window, config.Model{ID: "m", ContextWindow: 32768}, check.Native, 32768, "", ""},
		{"a smaller window on purpose", good, window, config.Model{ID: "m", ContextWindow: 9000}, check.Native, 32768, "", ""},
		{"the window is not configured", good, window, config.Model{ID: "m"}, check.Native, 32768, "the window of 32768 tokens is not configured", "context_window: 32768"},
		{"the window is smaller than configured", good, window, config.Model{ID: "m", ContextWindow: 100_000}, check.Native, 32768, "!the window is 32768 tokens, and 100000 are configured", "context_window: 32768"},
		{"the server does not say", good, nil, config.Model{ID: "m"}, check.Native, 0, "the server does not say how large the window is; set context_window", ""},
		{"the server does not say, but it is configured", good, nil, config.Model{ID: "m", ContextWindow: 9000}, check.Native, 0, "", ""},
		{"calls in the text", "version: 1\nstrict: false\nmodel: {tools: text}\nsteps:\n" + words + answer + calls, window, config.Model{ID: "m", ContextWindow: 9000}, check.Text, 32768, "the model writes its calls into the text", ""},
		{"no tools on this server", inText, window, config.Model{ID: "m", ContextWindow: 9000}, check.Text, 32768, "the server takes no tools (this model does not support tools)", "tool_mode: text"},
		{"the same, set to native", inText, window, config.Model{ID: "m", ContextWindow: 9000, ToolMode: "native"}, check.Text, 32768, "!the model calls tools in text mode only, and tool_mode is native", "tool_mode: text"},
		{"the same, set to text", inText, window, config.Model{ID: "m", ContextWindow: 9000, ToolMode: "text"}, check.Text, 32768, "", ""},
		{
			"only in text mode", head + words + "  - when: {tools_include: [get_code_word]}\n    reply: {text: I cannot.}\n" + strings.TrimPrefix(inText, textHead+words), window,
			config.Model{ID: "m", ContextWindow: 9000},
			check.Text, 32768, "!the model calls tools in text mode only, and tool_mode is auto", "tool_mode: text",
		},
		{
			"never", head + "  - when: {user: numbers}\n    reply: {text: 'one, two', chunk: 3}\n  - reply: {text: I cannot.}\n  - reply: {text: I cannot.}\n", window,
			config.Model{ID: "m", ContextWindow: 9000},
			check.None, 32768, "!the model called no tool, neither", "",
		},
		{"an error with tools", head + words + "  - fail: {status: 400, body: 'no such thing', times: 9}\n", window, config.Model{ID: "m", ContextWindow: 9000}, check.None, 32768, "!the model calls no tools: home at", ""},
		{
			"does not use the result", head + words + "  - when: {tool_result: {name: get_code_word}}\n    reply: {text: Banana.}\n" + calls, window,
			config.Model{ID: "m", ContextWindow: 9000},
			check.Native, 32768, "it called the tool, but its answer", "",
		},
		{"in one piece", head + "  - when: {user: numbers}\n    reply: {text: 'one, two'}\n" + answer + calls, window, config.Model{ID: "m", ContextWindow: 9000}, check.Native, 32768, "!the answer came in one piece", ""},
		{"nothing", head + "  - when: {user: numbers}\n    reply: {text: ''}\n" + answer + calls, window, config.Model{ID: "m", ContextWindow: 9000}, check.Native, 32768, "!the model answered with nothing", ""},
		{"a small window", good, pages{"GET /v1/models": `{"data":[{"id":"m","max_model_len":4096}]}`}, config.Model{ID: "m", ContextWindow: 4096}, check.Native, 4096, "a window of 4096 tokens is small for a chat with skills and tools. Start the server with a window of 32768", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := check.Run(t.Context(), check.Options{Choice: on(t, serve(t, tt.script, tt.about), tt.model), Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			if r.Tools.Calls != tt.calls || r.Window.Tokens != tt.tokens {
				t.Errorf("calls %+v, window %+v", r.Tools, r.Window)
			}
			want, differs := strings.CutPrefix(tt.findings, "!")
			if r.Differs() != differs || want == "" && len(r.Findings) > 0 || want != "" && (len(r.Findings) == 0 || !strings.HasPrefix(r.Findings[0].Text, want)) {
				t.Errorf("got %+v, want %q", r.Findings, tt.findings)
			}
			lines := ""
			if tt.config != "" {
				lines = "models:\n  - name: house\n    " + tt.config + "\n"
			}
			if r.Config != lines {
				t.Errorf("got\n%s\nwant\n%s", r.Config, lines)
			}
		})
	}
}

// Each kind of server tells its window in its own way.
func TestWindow(t *testing.T) {
	t.Parallel()
	show := `{"parameters":"stop \"x\"\nnum_ctx                        8192\n","model_info":{"general.architecture":"qwen3","qwen3.context_length":40960}}`
	tests := []struct {
		name  string
		about pages
		want  check.Window
	}{
		{
			"Ollama, loaded",
			pages{"POST /api/show": show, "GET /api/ps": `{"models":[{"name":"x:latest","context_length":9},{"name":"m:latest","model":"m:latest","context_length":4096}]}`},
			check.Window{Tokens: 4096, Max: 40960, Source: "Ollama's /api/ps"},
		},
		{"Ollama, from the Modelfile", pages{"POST /api/show": show, "GET /api/ps": `{"models":[]}`}, check.Window{Tokens: 8192, Max: 40960, Source: "Ollama's /api/show"}},
		{"Ollama, an old one", pages{"POST /api/show": `{"model_info":{"llama.context_length":131072}}`}, check.Window{Max: 131072, Source: "Ollama's /api/show"}},
		{"llama.cpp", pages{"GET /props": `{"default_generation_settings":{"n_ctx":8192},"total_slots":4}`}, check.Window{Tokens: 8192, Source: "llama.cpp's /props"}},
		{
			"LM Studio",
			pages{"GET /api/v0/models": `{"data":[{"id":"m","state":"loaded","max_context_length":32768,"loaded_context_length":4096}]}`},
			check.Window{Tokens: 4096, Max: 32768, Source: "LM Studio's /api/v0/models"},
		},
		{"LM Studio, not loaded", pages{"GET /api/v0/models": `{"data":[{"id":"m","max_context_length":32768}]}`}, check.Window{Max: 32768, Source: "LM Studio's /api/v0/models"}},
		{"LiteLLM", pages{"GET /model/info": `{"data":[{"model_name":"m","model_info":{"max_input_tokens":200000}}]}`}, check.Window{Tokens: 200000, Source: "LiteLLM's /model/info"}},
		{"OpenRouter", pages{"GET /v1/models": `{"data":[{"id":"m","context_length":131072}]}`}, check.Window{Tokens: 131072, Source: "the server's /models"}},
		{"another model", pages{"GET /v1/models": `{"data":[{"id":"n","context_length":131072}]}`}, check.Window{}},
		{"no JSON", pages{"GET /v1/models": `<html>`, "GET /props": `[]`, "POST /api/show": `1`, "GET /api/v0/models": ``, "GET /model/info": `{"data":{}}`}, check.Window{}},
		{"nonsense", pages{"GET /v1/models": `{"data":[{"id":"m","context_length":-1}]}`, "GET /props": `{"default_generation_settings":null}`}, check.Window{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := check.Run(t.Context(), check.Options{Choice: on(t, serve(t, good, tt.about), config.Model{ID: "m"}), Now: time.Now, HTTPClient: &http.Client{}})
			if err != nil {
				t.Fatal(err)
			}
			if r.Window != tt.want {
				t.Errorf("got %+v, want %+v", r.Window, tt.want)
			}
		})
	}
}

// A model without an entry gets a whole one; a server of a known kind is asked
// in its own way alone.
func TestEntry(t *testing.T) {
	t.Parallel()
	about := pages{"POST /api/show": `{"parameters":"num_ctx 4096"}`, "GET /props": `{"default_generation_settings":{"n_ctx":1}}`}
	tests := []struct {
		name, model string
		conf        func(url string) config.Config
		env         func(url string) map[string]string
		want        string
	}{
		{"on a preset", "ollama/qwen3:14b", func(url string) config.Config {
			return config.Config{Providers: []config.Provider{{Name: "ollama", BaseURL: url, APIKeyEnv: "KEY"}}}
		}, nil, "models:\n  - name: \"ollama/qwen3:14b\"\n    provider: ollama\n    id: \"qwen3:14b\"\n    context_window: 4096\n"},
		{"on the server of the environment", "123", nil, func(url string) map[string]string {
			return map[string]string{choose.BaseURLEnv: url, choose.APIKeyEnv: "sesame"}
		}, "models:\n  - name: \"123\"\n    context_window: 4096\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url := serve(t, good, about)
			var conf config.Config
			if tt.conf != nil {
				conf = tt.conf(url)
			}
			var env map[string]string
			if tt.env != nil {
				env = tt.env(url)
			}
			r, err := check.Run(t.Context(), check.Options{Choice: chosen(t, tt.model, conf, env), Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			if r.Config != tt.want {
				t.Errorf("got\n%s\nwant\n%s", r.Config, tt.want)
			}
			if strings.Contains(tt.model, "ollama") && !strings.Contains(r.Findings[1].Text, "OLLAMA_CONTEXT_LENGTH=32768") {
				t.Errorf("got %+v", r.Findings)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	list := pages{"GET /v1/models": `{"data":[{"id":"qwen3:14b"},{"id":"gemma3"}]}`}
	missing := head + "  - fail: {status: 404, body: '{\"error\":{\"message\":\"model not found, try pulling it first\"}}'}\n"
	url := serve(t, missing, list)
	_, err := check.Run(t.Context(), check.Options{Choice: on(t, url, config.Model{ID: "qwen3:14"}), Now: time.Now})
	unknown, ok := errors.AsType[*check.UnknownModelError](err)
	if !ok || !slices.Equal(unknown.Nearest, []string{"qwen3:14b"}) || len(unknown.Known) != 2 {
		t.Errorf("got %v, want the models of the server", err)
	}
	if want := `the server of home has no model "qwen3:14"`; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	for name, tt := range map[string]struct {
		choice *choose.Choice
		is     func(error) bool
	}{
		"it has the model":   {on(t, serve(t, missing, list), config.Model{ID: "gemma3"}), isServerError},
		"it lists no models": {on(t, serve(t, missing, nil), config.Model{ID: "x"}), isServerError},
		"nobody there":       {on(t, "http://127.0.0.1:1/v1", config.Model{ID: "x"}), isServerError},
		"a wrong key": {chosen(t, "m", config.Config{}, map[string]string{choose.BaseURLEnv: serve(t, good, nil), choose.APIKeyEnv: "wrong"}), func(err error) bool {
			_, ok := errors.AsType[*model.AuthError](err)
			return ok
		}},
	} {
		if _, err := check.Run(t.Context(), check.Options{Choice: tt.choice, Now: time.Now}); !tt.is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func isServerError(err error) bool {
	_, ok := errors.AsType[*model.ServerError](err)
	return ok
}

// An end in the middle is the context's, and no verdict on the model.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	url := serve(t, head+words+"  - fail: {hang: true}\n", nil)
	ctx, cancel := context.WithCancel(t.Context())
	var told []string
	_, err := check.Run(ctx, check.Options{Choice: on(t, url, config.Model{ID: "m"}), Now: time.Now, Tell: func(text string) {
		if told = append(told, text); strings.Contains(text, "call a tool") {
			time.AfterFunc(20*time.Millisecond, cancel)
		}
	}})
	if !errors.Is(err, context.Canceled) || len(told) != 2 {
		t.Errorf("got %v after %q", err, told)
	}
}

// A key never goes where a server points.
func TestNoRedirect(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was followed, with %q", r.URL, r.Header.Get("Authorization"))
	}))
	t.Cleanup(other.Close)
	play := agenttest.Script(t, good).Handler()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/completions") {
			play.ServeHTTP(w, r)
			return
		}
		http.Redirect(w, r, other.URL, http.StatusFound)
	}))
	t.Cleanup(s.Close)
	if r, err := check.Run(t.Context(), check.Options{Choice: on(t, s.URL+"/v1", config.Model{ID: "m"}), Now: time.Now}); err != nil || r.Window.Tokens != 0 {
		t.Errorf("got %+v, error %v", r, err)
	}
}
