package model_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

func TestBuiltin(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("data.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := model.LoadData("data.yaml", text); err != nil {
		t.Fatal(err)
	}
	d := model.Builtin()
	if _, err := time.Parse(time.DateOnly, d.Updated); err != nil {
		t.Errorf("updated: %v", err)
	}
	for name, port := range map[string]int{"ollama": 11434, "llama.cpp": 8080, "lmstudio": 1234, "vllm": 8000} {
		if p, ok := d.Preset(name); !ok || p.Port != port || !p.Discover || p.Type != "openai" || !strings.HasSuffix(p.BaseURL, "/v1") {
			t.Errorf("%s: got %+v, %v", name, p, ok)
		}
	}
	for name, env := range map[string]string{"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "openrouter": "OPENROUTER_API_KEY", "litellm": "LITELLM_API_KEY"} {
		if p, ok := d.Preset(name); !ok || p.APIKeyEnv != env || p.Discover {
			t.Errorf("%s: got %+v, %v", name, p, ok)
		}
	}
	if _, ok := d.Preset("nope"); ok {
		t.Error("found a preset that does not exist")
	}
}

// What each server says, as it was seen.
func TestTexts(t *testing.T) {
	t.Parallel()
	d := model.Builtin()
	tests := []struct {
		kind  string
		is    func(string) bool
		texts []string
	}{
		{"overflow", d.IsOverflow, []string{
			"prompt is too long: 213462 tokens > 200000 maximum",
			"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
			"Your input exceeds the context window of this model",
			"The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
			"This model's maximum prompt length is 131072 but the request contains 537812 tokens",
			"Please reduce the length of the messages or completion",
			"the request exceeds the available context size, try increasing it",
			"tokens to keep from the initial prompt is greater than the context length",
			"invalid params, context window exceeds limit",
			"Your request exceeded model token limit: 131072 (requested: 140000)",
			"prompt too long; exceeded max context length by 12 tokens",
			"prompt token count of 130000 exceeds the limit of 128000",
			"Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
			`{"error":{"code":"context_length_exceeded"}}`,
			"the input length exceeds the context length",
			"input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens` and try again",
			"Requested tokens (3000) exceed context window of 2048",
			"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`",
		}},
		{"tools unsupported", d.IsToolsUnsupported, []string{
			"registry.ollama.ai/library/gemma:2b does not support tools",
			"tools param requires --jinja flag",
			`"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`,
			"No endpoints found that support tool use. To learn more",
			"Function calling is not enabled for this model",
			"Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.",
		}},
		{"history", d.BlamesHistory, []string{
			"Failed to parse tool call arguments as JSON: [json.exception.parse_error.101]",
			"{'type': 'string_type', 'loc': ('body', 'messages', 2, 'ChatCompletionRequestAssistantMessage', 'content'), 'msg': 'Input should be a valid string', 'input': None}",
			"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
			"messages.2: `tool_use` ids were found without `tool_result` blocks immediately after",
		}},
		{"quota", d.IsQuota, []string{"You exceeded your current quota, please check your plan", "Your credit balance is too low"}},
		{"small", d.IsSmall, []string{"qwen2.5:7b", "llama3.2:3b", "qwen2.5:14b", "gpt-5-mini", "phi4", "meta-llama/Llama-3.2-1B-Instruct"}},
	}
	for _, tt := range tests {
		for _, text := range tt.texts {
			if !tt.is(text) {
				t.Errorf("%s: %q is not recognised", tt.kind, text)
			}
		}
		for _, text := range []string{"internal server error", "model not found", "invalid API key", "claude-sonnet-4-5", "llama-3.3-70b", "Too many tokens per minute, slow down"} {
			if tt.is(text) {
				t.Errorf("%s: %q is taken for one", tt.kind, text)
			}
		}
	}
}

func TestKnown(t *testing.T) {
	t.Parallel()
	d := model.Builtin()
	for id, window := range map[string]int{
		"gpt-5.2": 400000, "openai/gpt-4o-mini": 128000, "claude-sonnet-4-5": 200000, "claude-sonnet-5-5": 1000000, "anthropic/claude-sonnet-5.5": 1000000, "claude-opus-4-6": 1000000, "gpt-6.1-sol": 1050000, "anthropic/Claude-3-5-haiku": 200000, "gemini-2.5-flash": 1048576, "qwen2.5:14b": 0,
	} {
		if got := d.Known(id).ContextWindow; got != window {
			t.Errorf("%s: got a window of %d, want %d", id, got, window)
		}
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	over, err := model.LoadData("over.yaml", []byte(`
models: [{match: ^gpt-5, context_window: 7}]
presets: [{name: ollama, type: openai, base_url: http://box:1/v1, port: 1}]
overflow: [zu lang]
`))
	if err != nil {
		t.Fatal(err)
	}
	d := model.Builtin().With(over)
	if p, _ := d.Preset("ollama"); p.BaseURL != "http://box:1/v1" {
		t.Errorf("got %+v", p)
	}
	if d.Known("gpt-5").ContextWindow != 7 || !d.IsOverflow("Viel ZU LANG") || !d.IsOverflow("prompt is too long") {
		t.Error("an override does not win, or hides the rest")
	}
	if model.Builtin().With(nil) != model.Builtin() {
		t.Error("no override is not the same")
	}
}

func TestLoadDataErrors(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"unknown key", "overflows: [x]", "overflow"},
		{"bad expression", "overflow: ['(']", "missing closing )"},
		{"bad model expression", "models: [{match: '['}]", "missing closing ]"},
		{"type", "presets: [{name: a, base_url: b, type: gemini}]", `preset "a" needs a name, a base_url and a type of openai or anthropic`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := model.LoadData("d.yaml", []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "d.yaml") {
				t.Errorf("got %v, want d.yaml … %q", err, tt.want)
			}
		})
	}
}

// The errors say what happened in one sentence each.
func TestErrorTexts(t *testing.T) {
	t.Parallel()
	cause := &model.ServerError{Provider: "p", URL: "u", Detail: "refused"}
	tests := []struct {
		err  error
		want string
	}{
		{&model.AuthError{Provider: "p", Detail: "bad key"}, "p refused the request: bad key"},
		{&model.AuthError{Provider: "p", KeyEnv: "K", Detail: "bad key"}, "p refused the API key in K: bad key"},
		{&model.RateError{Provider: "p", Detail: "slow"}, "p is limiting requests: slow"},
		{&model.RateError{Provider: "p", After: 90 * time.Second, Detail: "slow"}, "p is limiting requests, and says to wait 1m30s: slow"},
		{&model.OverflowError{Provider: "p", Detail: "long"}, "the prompt does not fit the context of the model on p: long"},
		{&model.ToolsUnsupportedError{Provider: "p", Detail: "no"}, "the model on p takes no tools: no"},
		{&model.CutStreamError{Provider: "p", Err: cause}, "the answer of p broke off: p at u cannot be reached: refused"},
		{&model.ServerError{Provider: "p", URL: "u", Status: 500, Detail: "x", Err: cause}, "p at u answered 500: x"},
		{&model.ServerError{Provider: "h:1", URL: "http://h:1/v1", Status: 404, Detail: "x", Err: cause}, "http://h:1/v1 answered 404: x"},
	}
	for _, tt := range tests {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
		if u, ok := tt.err.(interface{ Unwrap() error }); ok && u.Unwrap() == nil && tt.want != "p at u answered 500: x" {
			t.Errorf("%T has no cause", tt.err)
		}
	}
}
