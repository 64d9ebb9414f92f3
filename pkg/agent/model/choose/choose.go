// Package choose finds the model of a chat: from the command line, the
// environment, the app, the configuration, or because there is only one.
package choose

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/config"
	"github.com/agentctl/agentctl/pkg/agent/model"
)

// Request says what was asked for and what there is to choose from.
type Request struct {
	// Flag is the value of --model, App the app's model; "" means none.
	Flag, App string
	Config    config.Config
	Getenv    func(string) string
	// Data are the known servers and models; nil means the builtin.
	Data *model.Data
	// HTTPClient asks servers what they have; nil means one with short timeouts.
	HTTPClient *http.Client
	// Cwd is where a script's relative path starts.
	Cwd string
}

// Choice is a model that is ready to be asked.
type Choice struct {
	Model model.Model
	// Name is what users call it, Provider the server's name.
	Name, Provider string
	// From says who named it: --model, AGENTCTL_MODEL, the app, the
	// configuration, or "found" with the reason.
	From string
	// Found: nobody named it; it was the only one there is.
	Found bool
	// ContextWindow and MaxOutput are in tokens; 0 is unknown or unlimited.
	ContextWindow, MaxOutput int
	// WindowFix is that of [model.Preset].
	WindowFix string
	// ToolMode is auto, native or text; Inventory auto, always or never, "" when
	// nothing was set. Small models are weak at calling tools.
	ToolMode, Inventory string
	Small               bool
	// Entry tells that Name is an entry of the configuration's models.
	Entry bool
	// Server is where the model is; the zero value is a script.
	Server Server
	// Done tells whether a scripted model's script was followed to its end; nil
	// for real models.
	Done func() error
}

// Server is where a model is, for questions besides those to the model itself.
type Server struct {
	// Type is openai or anthropic; ID is what the server calls the model.
	Type, BaseURL, ID string
	// FromEnv: it is the server of AGENTCTL_BASE_URL, which has no entry.
	FromEnv bool
	// Header is what every request has, also the key: not for any output.
	Header http.Header
}

// UnknownError reports a name that stands for no model.
type UnknownError struct {
	Name, From string
	// Models and Providers are the names that would be known.
	Models, Providers []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("model %q (from %s) is not known", e.Name, e.From)
}

// BaseURLError reports an AGENTCTL_BASE_URL that is no address.
type BaseURLError struct{ Err error }

func (e *BaseURLError) Error() string { return BaseURLEnv + ": " + e.Err.Error() }

// NoneError reports that no model is configured and none was found.
type NoneError struct {
	// Cause is why the server of AGENTCTL_BASE_URL could not be asked; nil if there
	// is none.
	Cause error
}

func (e *NoneError) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s is set but no model is named, and the server does not list any: %v", BaseURLEnv, e.Cause)
	}
	return "no model is configured, and none was found on this machine"
}

func (e *NoneError) Unwrap() error { return e.Cause }

// SeveralError reports that nobody named a model and several could be meant.
type SeveralError struct{ Names []string }

func (e *SeveralError) Error() string {
	return "several models could be used: " + strings.Join(e.Names, ", ")
}

// Model finds the model. The error is an [*UnknownError], a [*NoneError], a
// [*SeveralError], or that of reading a script.
func Model(ctx context.Context, r Request) (*Choice, error) {
	if r.Data == nil {
		r.Data = model.Builtin()
	}
	if base := r.Getenv(BaseURLEnv); base != "" {
		if err := config.CheckURL(base); err != nil {
			return nil, &BaseURLError{Err: err}
		}
	}
	for _, named := range []struct{ name, from string }{
		{r.Flag, "--model"},
		{r.Getenv("AGENTCTL_MODEL"), "AGENTCTL_MODEL"},
		{r.App, "the app"},
		{r.Config.Chat.Model, "the configuration"},
	} {
		if named.name != "" {
			return r.named(named.name, named.from)
		}
	}
	return r.found(ctx)
}

// found takes the only model there is.
func (r Request) found(ctx context.Context) (*Choice, error) {
	names := r.configured()
	if len(names) == 0 {
		var err error
		if names, err = r.serverOfEnv(ctx); err != nil {
			return nil, err
		}
	}
	if len(names) == 0 && r.Config.Chat.Discover {
		names = r.discover(ctx)
	}
	switch len(names) {
	case 0:
		return nil, &NoneError{}
	case 1:
		c, err := r.named(names[0], "found: the only one")
		if c != nil {
			c.Found = true
		}
		return c, err
	}
	return nil, &SeveralError{Names: names}
}

// configured are the models that somebody set up: entries of the configuration
// and servers whose API key is in the environment.
func (r Request) configured() []string {
	var names []string
	for _, m := range r.Config.Models {
		names = append(names, m.Name)
	}
	for _, p := range r.Data.Presets {
		if p.APIKeyEnv != "" && p.DefaultModel != "" && r.Getenv(p.APIKeyEnv) != "" {
			names = append(names, p.Name+"/"+p.DefaultModel)
		}
	}
	return names
}

// providerNames are all servers that can stand before a slash.
func (r Request) providerNames() []string {
	var names []string
	for _, p := range r.Config.Providers {
		names = append(names, p.Name)
	}
	for _, p := range r.Data.Presets {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

func (r Request) modelNames() []string {
	var names []string
	for _, m := range r.Config.Models {
		names = append(names, m.Name)
	}
	return names
}
