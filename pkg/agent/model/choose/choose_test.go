package choose_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/config"
	"github.com/agentctl/agentctl/pkg/agent/agenttest"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
)

func request(flag string, env map[string]string, c config.Config) choose.Request {
	return choose.Request{Flag: flag, Config: c, Getenv: func(name string) string { return env[name] }}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.yaml"), []byte("version: 1\nmodel: {context_window: 4096, tools: text}\nsteps:\n- reply: {text: a}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	conf := config.Config{
		Providers: []config.Provider{{Name: "home", BaseURL: "http://h/v1"}, {Name: "scripts", Type: "scripted"}, {Name: "odd", Type: "odd", BaseURL: "x"}},
		Models: []config.Model{
			{Name: "house", Provider: "home", ID: "qwen3:14b", ContextWindow: 32000, Inventory: "always"},
			{Name: "played", Provider: "scripts", ID: "s.yaml"},
			{Name: "lost", Provider: "nowhere"},
			{Name: "strange", Provider: "odd"},
			{Name: "bare"},
		},
	}
	env := map[string]string{choose.BaseURLEnv: "http://127.0.0.1:9/v1/"}
	tests := []struct {
		name, flag string
		env        map[string]string
		provider   string
		window     int
		err        string
	}{
		{"an entry", "house", nil, "home", 32000, ""},
		{"an entry of scripts", "played", nil, "scripted", 4096, ""},
		{"a preset", "ollama/qwen3:14b", nil, "ollama", 0, ""},
		{"a preset and a known model", "openai/gpt-4o", nil, "openai", 128000, ""},
		{"a provider of the configuration", "home/any/thing", nil, "home", 0, ""},
		{"anthropic", "anthropic/claude-sonnet-4-5", nil, "anthropic", 200000, ""},
		{"a script", "scripted:s.yaml", nil, "scripted", 4096, ""},
		{"the demo", "scripted:demo", nil, "scripted", 0, ""},
		{"an id on the server of the environment", "any-model", env, "127.0.0.1:9", 0, ""},
		{"an entry on the server of the environment", "bare", env, "127.0.0.1:9", 0, ""},
		{"nothing", "any-model", nil, "", 0, `model "any-model" (from --model) is not known`},
		{"a slash and no server", "nobody/x", nil, "", 0, "is not known"},
		{"an entry without its provider", "lost", nil, "", 0, `provider "nowhere" is not known`},
		{"an entry of an unknown type", "strange", nil, "", 0, `type "odd"`},
		{"a script that is not there", "scripted:none.yaml", nil, "", 0, "none.yaml"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := request(tt.flag, tt.env, conf)
			r.Cwd = dir
			c, err := choose.Model(t.Context(), r)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.Provider != tt.provider || c.ContextWindow != tt.window || c.Name != tt.flag || c.Model == nil || c.Found {
				t.Errorf("got %+v", c)
			}
		})
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	conf := config.Config{Chat: config.Chat{Model: "ollama/config"}}
	env := map[string]string{"AGENTCTL_MODEL": "ollama/env"}
	r := request("ollama/flag", env, conf)
	r.App = "ollama/app"
	for _, want := range []string{"ollama/flag", "ollama/env", "ollama/app", "ollama/config"} {
		c, err := choose.Model(t.Context(), r)
		if err != nil || c.Name != want {
			t.Fatalf("got %+v, %v, want %s", c, err, want)
		}
		switch want {
		case "ollama/flag":
			r.Flag = ""
		case "ollama/env":
			delete(env, "AGENTCTL_MODEL")
		case "ollama/app":
			r.App = ""
		}
	}
}

// server lists models as servers do.
func server(t *testing.T, ids ...string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(`{"data":[{"id":"` + strings.Join(ids, `"},{"id":"`) + `"}]}`))
	}))
	t.Cleanup(s.Close)
	return s
}

func TestFound(t *testing.T) {
	t.Parallel()
	one, two := server(t, "only"), server(t, "a", "b")
	preset := func(s *httptest.Server) *model.Data {
		return &model.Data{Presets: []model.Preset{
			{Name: "local", Type: "openai", BaseURL: s.URL + "/v1", Discover: true},
			{Name: "cloud", Type: "openai", BaseURL: "http://c/v1", APIKeyEnv: "CLOUD_KEY", DefaultModel: "big"},
		}}
	}
	on := config.Config{Chat: config.Chat{Discover: true}}
	tests := []struct {
		name string
		data *model.Data
		env  map[string]string
		conf config.Config
		want string // the name, or a part of the error
	}{
		{"the only entry", preset(one), nil, config.Config{Models: []config.Model{{Name: "m", Provider: "cloud"}}}, "m"},
		{"a key in the environment", preset(one), map[string]string{"CLOUD_KEY": "k"}, on, "cloud/big"},
		{"a key and an entry", preset(one), map[string]string{"CLOUD_KEY": "k"}, config.Config{Models: []config.Model{{Name: "m", Provider: "cloud"}}}, "several models could be used: m, cloud/big"},
		{"a server on this machine", preset(one), nil, on, "local/only"},
		{"two models on this machine", preset(two), nil, on, "several models could be used: local/a, local/b"},
		{"discovery is off", preset(one), nil, config.Config{}, "no model is configured"},
		{"the server of the environment", preset(two), map[string]string{choose.BaseURLEnv: one.URL + "/v1"}, on, "only"},
		{"it does not answer", preset(one), map[string]string{choose.BaseURLEnv: "http://127.0.0.1:1/v1"}, on, "no model is named"},
		{"it is no model server", preset(one), map[string]string{choose.BaseURLEnv: one.URL}, on, "404"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := request("", tt.env, tt.conf)
			r.Data = tt.data
			c, err := choose.Model(t.Context(), r)
			switch {
			case err != nil && !strings.Contains(err.Error(), tt.want):
				t.Errorf("got %v, want %q", err, tt.want)
			case err == nil && (c.Name != tt.want || !c.Found):
				t.Errorf("got %+v, want %q", c, tt.want)
			}
		})
	}
	r := request("", nil, config.Config{})
	if _, err := choose.Model(t.Context(), r); !errors.As(err, new(*choose.NoneError)) {
		t.Errorf("got %v, want a NoneError", err)
	}
}

// An entry's settings go to its model, whatever kind it is; the fix for a small
// window comes with the server.
func TestSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.yaml"), []byte("version: 1\nmodel: {context_window: 4096, tools: none}\nsteps:\n- reply: {text: a}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	conf := config.Config{
		Providers: []config.Provider{{Name: "scripts", Type: "scripted"}, {Name: "ollama", BaseURL: "http://box:11434/v1"}},
		Models: []config.Model{
			{Name: "played", Provider: "scripts", ID: "s.yaml", ToolMode: "text", Inventory: "never", ContextWindow: 9, MaxOutput: 3},
			{Name: "local", Provider: "ollama", ID: "qwen3:4b", ToolMode: "text"},
		},
	}
	for flag, want := range map[string]choose.Choice{
		"played":          {ContextWindow: 9, MaxOutput: 3, ToolMode: "text", Inventory: "never", Small: true},
		"scripted:s.yaml": {ContextWindow: 4096, Small: true},
		"local":           {ToolMode: "text", Small: true, WindowFix: "OLLAMA_CONTEXT_LENGTH=%[1]d ollama serve"},
	} {
		r := request(flag, nil, conf)
		r.Cwd = dir
		c, err := choose.Model(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if c.ContextWindow != want.ContextWindow || c.MaxOutput != want.MaxOutput || c.ToolMode != want.ToolMode || c.Inventory != want.Inventory || c.Small != want.Small || !strings.Contains(c.WindowFix, want.WindowFix) {
			t.Errorf("%s: got %+v", flag, c)
		}
	}
}

// Without its key a server elsewhere is not asked: the conversation stays here.
func TestMissingKey(t *testing.T) {
	t.Parallel()
	asked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"x"}}]}`))
	}))
	t.Cleanup(asked.Close)
	conf := config.Config{Providers: []config.Provider{
		{Name: "far", BaseURL: "http://far.invalid/v1", APIKeyEnv: "FAR_KEY"},
		{Name: "own-header", BaseURL: "http://far.invalid/v1", APIKeyEnv: "FAR_KEY", Headers: map[string]string{"api-key": "x"}},
		{Name: "near", BaseURL: asked.URL, APIKeyEnv: "NEAR_KEY"},
		{Name: "litellm", BaseURL: asked.URL},
	}}
	for _, tt := range []struct {
		flag string
		env  map[string]string
		want string // the missing variable, "" when the server is asked
	}{
		{"openai/gpt-5.2", nil, "openai wants an API key, and OPENAI_API_KEY is not set"},
		{"anthropic/claude-sonnet-4-5", nil, "anthropic wants an API key, and ANTHROPIC_API_KEY is not set"},
		{"far/m", nil, "far wants an API key, and FAR_KEY is not set"},
		{"far/m", map[string]string{"FAR_KEY": "k"}, ""},
		{"own-header/m", nil, ""},
		{"near/m", nil, ""},
		{"litellm/m", nil, ""},
	} {
		c, err := choose.Model(t.Context(), request(tt.flag, tt.env, conf))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(c.Server.BaseURL, "far.invalid") && tt.want == "" {
			continue // it would be asked, and nobody is there
		}
		got := agenttest.Collect(t.Context(), c.Model, model.Request{Messages: []model.Message{{Role: model.User, Content: "hi"}}})
		missing, ok := errors.AsType[*model.AuthError](got.Err)
		if (tt.want != "") != ok || ok && (!missing.Missing || missing.Error() != tt.want) || tt.want == "" && got.Err != nil {
			t.Errorf("%s: got %v, want %q", tt.flag, got.Err, tt.want)
		}
	}
}
