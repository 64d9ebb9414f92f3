package choose

import (
	"context"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/agentctl/agentctl/internal/config"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/anthropic"
	"github.com/agentctl/agentctl/pkg/agent/model/openai"
	"github.com/agentctl/agentctl/pkg/agent/model/scripted"
)

// The two variables that make a server known without any configuration.
const (
	BaseURLEnv = "AGENTCTL_BASE_URL"
	APIKeyEnv  = "AGENTCTL_API_KEY" //nolint:gosec // the name of a variable, no key
)

const scriptPrefix = "scripted:"

// named turns a name into a model: an entry of models, else SERVER/ID, else a
// script, else an id on the server of AGENTCTL_BASE_URL.
func (r Request) named(name, from string) (*Choice, error) {
	if i := slices.IndexFunc(r.Config.Models, func(m config.Model) bool { return m.Name == name }); i >= 0 {
		c, err := r.entry(r.Config.Models[i], from)
		if c != nil {
			c.Entry = true
		}
		return c, err
	}
	if server, id, ok := strings.Cut(name, "/"); ok && id != "" {
		if p, ok := r.provider(server); ok {
			return r.on(p, config.Model{Name: name, ID: id}, from)
		}
	}
	if file, ok := strings.CutPrefix(name, scriptPrefix); ok {
		return r.script(name, file, from)
	}
	if p, ok := r.envProvider(); ok {
		return r.on(p, config.Model{Name: name, ID: name}, from)
	}
	return nil, &UnknownError{Name: name, From: from, Models: r.modelNames(), Providers: r.providerNames()}
}

// entry is a model of the configuration. Without a provider it is on the server
// of the environment.
func (r Request) entry(m config.Model, from string) (*Choice, error) {
	if m.ID == "" {
		m.ID = m.Name
	}
	p, ok := r.provider(m.Provider)
	if !ok && m.Provider == "" {
		p, ok = r.envProvider()
	}
	if !ok {
		return nil, fmt.Errorf("model %q: %w", m.Name, &UnknownProviderError{Name: m.Provider, Known: r.providerNames()})
	}
	return r.on(p, m, from)
}

// UnknownProviderError reports a model entry whose provider does not exist.
type UnknownProviderError struct {
	Name  string
	Known []string
}

func (e *UnknownProviderError) Error() string { return fmt.Sprintf("provider %q is not known", e.Name) }

// provider is a server by name: an entry of the configuration over the preset of
// that name.
func (r Request) provider(name string) (model.Preset, bool) {
	preset, known := r.Data.Preset(name)
	i := slices.IndexFunc(r.Config.Providers, func(p config.Provider) bool { return p.Name == name })
	if i < 0 {
		return preset, known
	}
	p := r.Config.Providers[i]
	preset.Name = name
	for to, value := range map[*string]string{&preset.Type: p.Type, &preset.BaseURL: p.BaseURL, &preset.APIKeyEnv: p.APIKeyEnv} {
		if value != "" {
			*to = value
		}
	}
	if preset.Type == "" {
		preset.Type = "openai"
	}
	applyCompat(&preset.Compat, p.Compat)
	return preset, true
}

func applyCompat(to *model.Compat, c config.Compat) {
	set(&to.NoStreamUsage, c.NoStreamUsage)
	set(&to.MaxTokensField, c.MaxTokensField)
	set(&to.SystemRole, c.SystemRole)
	set(&to.ToolResultName, c.ToolResultName)
	set(&to.EmptyContent, c.EmptyContent)
	set(&to.ReasoningField, c.ReasoningField)
	if c.ParallelToolCalls != nil {
		to.ParallelToolCalls = c.ParallelToolCalls
	}
	if c.Body != nil {
		to.Body = c.Body
	}
}

func set[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}

func (r Request) envProvider() (model.Preset, bool) {
	base := strings.TrimRight(r.Getenv(BaseURLEnv), "/")
	if base == "" {
		return model.Preset{}, false
	}
	p := model.Preset{Name: hostOf(base), Type: "openai", BaseURL: base}
	if r.Getenv(APIKeyEnv) != "" {
		p.APIKeyEnv = APIKeyEnv
	}
	return p, true
}

func hostOf(base string) string {
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		return u.Host
	}
	return base
}

// on makes the model m on server p.
func (r Request) on(p model.Preset, m config.Model, from string) (*Choice, error) {
	known := r.Data.Known(m.ID)
	c := &Choice{
		Name: m.Name, Provider: p.Name, From: from,
		ContextWindow: first(m.ContextWindow, known.ContextWindow), MaxOutput: m.MaxOutput,
		WindowFix: p.WindowFix, ToolMode: m.ToolMode, Inventory: m.Inventory, Small: r.Data.IsSmall(m.ID),
		Server: r.server(p, m.ID),
	}
	if m.ParallelToolCalls != nil {
		p.Compat.ParallelToolCalls = m.ParallelToolCalls
	}
	if !httpguts.ValidHeaderFieldValue(r.key(p)) {
		return nil, fmt.Errorf("the key in %s has a line break or another control character, so it cannot be sent: set it again", p.APIKeyEnv)
	}
	switch p.Type {
	case "openai":
		c.Model = openai.New(openai.Config{
			Provider: p.Name, BaseURL: p.BaseURL, APIKey: r.key(p), KeyEnv: p.APIKeyEnv, Model: m.ID,
			Headers: r.headers(p.Name), Compat: p.Compat, Data: r.Data,
		})
	case "anthropic":
		c.Model = anthropic.New(anthropic.Config{
			Provider: p.Name, BaseURL: p.BaseURL, APIKey: r.key(p), KeyEnv: p.APIKeyEnv, Model: m.ID,
			Headers: r.headers(p.Name), Compat: p.Compat, Data: r.Data,
		})
	case "scripted":
		return r.scriptEntry(m, from)
	default:
		return nil, fmt.Errorf("provider %q: type %q is not known, use openai, anthropic or scripted", p.Name, p.Type)
	}
	if r.lacksKey(p) {
		c.Model = keyless{&model.AuthError{Provider: p.Name, KeyEnv: p.APIKeyEnv, Missing: true}}
	}
	return c, nil
}

// lacksKey tells whether p will refuse every request. A server on the user's own
// machine may go without a key, and a header may carry one.
func (r Request) lacksKey(p model.Preset) bool {
	return p.APIKeyEnv != "" && r.key(p) == "" && p.Port == 0 && !onThisMachine(p.BaseURL) && len(r.headers(p.Name)) == 0
}

func onThisMachine(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// keyless is a model that cannot be asked: the conversation stays here.
type keyless struct{ err *model.AuthError }

// Stream implements [model.Model].
func (k keyless) Stream(context.Context, model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) { yield(nil, k.err) }
}

// server is where p is, with the headers that its models send.
func (r Request) server(p model.Preset, id string) Server {
	env, _ := r.envProvider()
	s := Server{Type: p.Type, BaseURL: p.BaseURL, ID: id, FromEnv: p.Name == env.Name && p.BaseURL == env.BaseURL, Header: http.Header{}}
	switch key := r.key(p); {
	case p.Type == "anthropic":
		s.Header.Set("Anthropic-Version", anthropic.Version)
		if key != "" {
			s.Header.Set("X-Api-Key", key)
		}
	case key != "":
		s.Header.Set("Authorization", "Bearer "+key)
	}
	for name, value := range r.headers(p.Name) {
		s.Header.Set(name, value)
	}
	return s
}

func (r Request) key(p model.Preset) string {
	if p.APIKeyEnv == "" {
		return ""
	}
	return strings.TrimSpace(r.Getenv(p.APIKeyEnv))
}

func (r Request) headers(provider string) map[string]string {
	for _, p := range r.Config.Providers {
		if p.Name == provider {
			return p.Headers
		}
	}
	return nil
}

func first(values ...int) int {
	for _, v := range values {
		if v != 0 {
			return v
		}
	}
	return 0
}

// scriptEntry is a script with the settings of a model entry.
func (r Request) scriptEntry(m config.Model, from string) (*Choice, error) {
	c, err := r.script(m.Name, m.ID, from)
	if err != nil {
		return nil, err
	}
	c.ContextWindow = first(m.ContextWindow, c.ContextWindow)
	c.MaxOutput, c.ToolMode, c.Inventory = m.MaxOutput, m.ToolMode, m.Inventory
	return c, nil
}

// script is the model of a file, or the built-in demo.
func (r Request) script(name, file, from string) (*Choice, error) {
	s := scripted.Demo()
	if file != "demo" {
		path := file
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.Cwd, path)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, &ScriptError{File: file, Err: err}
		}
		if s, err = scripted.Load(file, data); err != nil {
			return nil, &ScriptError{File: file, Err: err}
		}
	}
	info := s.Info()
	c := &Choice{
		Model: s.Model(), Name: name, Provider: "scripted", From: from,
		ContextWindow: info.ContextWindow, Done: s.Done,
		// A script that writes its calls as text plays a model that is weak at calls.
		Small: info.Tools == "text" || info.Tools == "none",
	}
	return c, nil
}

// ScriptError reports a script that cannot be read.
type ScriptError struct {
	File string
	Err  error
}

func (e *ScriptError) Error() string { return fmt.Sprintf("script %q: %v", e.File, e.Err) }

// Unwrap returns the cause.
func (e *ScriptError) Unwrap() error { return e.Err }
