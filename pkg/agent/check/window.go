package check

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

// Window is the context window of the model as it runs now, in tokens.
type Window struct {
	// Tokens is 0 when the server does not say. Max is what the model could have,
	// 0 when that is not known either.
	Tokens, Max int
	// Source is where Tokens, else Max, comes from.
	Source string
}

// probes are the documented ways to ask servers for the window. A server that
// has a preset of one of these names is asked that way, every other one in turn.
var probes = []struct {
	server string
	ask    func(context.Context, client) Window
}{
	{"ollama", ollama},
	{"llama.cpp", llamaCpp},
	{"lmstudio", lmStudio},
	{"litellm", liteLLM},
	{"", listed}, // vLLM, SGLang, OpenRouter, Groq, Mistral, Anthropic …
}

// window asks the server. A script says it itself.
func (o Options) window(ctx context.Context) Window {
	if o.Choice.Server.BaseURL == "" {
		return Window{Tokens: o.Choice.ContextWindow, Source: "the script"}
	}
	_, preset := model.Builtin().Preset(o.Choice.Provider)
	best := Window{}
	for _, p := range probes {
		if preset && p.server != "" && p.server != o.Choice.Provider {
			continue
		}
		w := p.ask(ctx, o.client())
		w.Tokens, w.Max = max(w.Tokens, 0), max(w.Max, 0) // whatever a server says
		if w.Tokens > 0 {
			return w
		}
		if best.Max == 0 {
			best = w
		}
	}
	return best
}

var numCtx = regexp.MustCompile(`(?m)^num_ctx\s+(\d{1,9})\b`)

// ollama: what the loaded model has, else what its Modelfile says. The default
// depends on the server's memory and environment, so it is not guessed.
func ollama(ctx context.Context, c client) Window {
	var ps struct {
		Models []struct {
			Name, Model   string
			ContextLength int `json:"context_length"`
		}
	}
	var show struct {
		Parameters string
		ModelInfo  map[string]any `json:"model_info"`
	}
	if !c.do(ctx, http.MethodPost, c.root+"/api/show", map[string]string{"model": c.id}, &show) {
		return Window{}
	}
	w := Window{Max: maxOf(show.ModelInfo), Source: "Ollama's /api/show"}
	c.get(ctx, c.root+"/api/ps", &ps)
	for _, m := range ps.Models {
		if (sameModel(m.Name, c.id) || sameModel(m.Model, c.id)) && m.ContextLength > 0 {
			w.Tokens, w.Source = m.ContextLength, "Ollama's /api/ps"
			return w
		}
	}
	if m := numCtx.FindStringSubmatch(show.Parameters); m != nil {
		w.Tokens, _ = strconv.Atoi(m[1]) // nine digits always fit
	}
	return w
}

func maxOf(info map[string]any) int {
	for key, value := range info {
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") {
			return int(n)
		}
	}
	return 0
}

// sameModel compares Ollama's names, where a missing tag means latest.
func sameModel(a, b string) bool {
	return strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
}

// llamaCpp: the window of one slot. The model is named for servers that have
// several; asking must not load one.
func llamaCpp(ctx context.Context, c client) Window {
	var props struct {
		Settings struct {
			NCtx int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	c.get(ctx, c.root+"/props?autoload=false&model="+url.QueryEscape(c.id), &props)
	return Window{Tokens: props.Settings.NCtx, Source: "llama.cpp's /props"}.known()
}

func lmStudio(ctx context.Context, c client) Window {
	var list struct {
		Data []struct {
			ID     string
			Loaded int `json:"loaded_context_length"`
			Max    int `json:"max_context_length"`
		}
	}
	c.get(ctx, c.root+"/api/v0/models", &list)
	for _, m := range list.Data {
		if m.ID == c.id {
			return Window{Tokens: m.Loaded, Max: m.Max, Source: "LM Studio's /api/v0/models"}.known()
		}
	}
	return Window{}
}

func liteLLM(ctx context.Context, c client) Window {
	var list struct {
		Data []struct {
			Name string `json:"model_name"`
			Info struct {
				MaxInput int `json:"max_input_tokens"`
			} `json:"model_info"`
		}
	}
	c.get(ctx, c.root+"/model/info", &list)
	for _, m := range list.Data {
		if m.Name == c.id {
			return Window{Tokens: m.Info.MaxInput, Source: "LiteLLM's /model/info"}.known()
		}
	}
	return Window{}
}

// entry is a model in a server's list; the window has another name in each.
type entry struct {
	ID               string
	MaxModelLen      int `json:"max_model_len"`      // vLLM, SGLang
	ContextLength    int `json:"context_length"`     // OpenRouter, Together
	ContextWindow    int `json:"context_window"`     // Groq
	MaxContextLength int `json:"max_context_length"` // Mistral
	MaxInputTokens   int `json:"max_input_tokens"`   // Anthropic
}

func (e entry) window() int {
	return cmp.Or(e.MaxModelLen, e.ContextLength, e.ContextWindow, e.MaxContextLength, e.MaxInputTokens)
}

func listed(ctx context.Context, c client) Window {
	for _, m := range c.list(ctx) {
		if m.ID == c.id {
			return Window{Tokens: m.window(), Source: "the server's /models"}.known()
		}
	}
	return Window{}
}

// known is w, or the zero value when it says nothing.
func (w Window) known() Window {
	if w.Tokens <= 0 && w.Max <= 0 {
		return Window{}
	}
	return w
}
