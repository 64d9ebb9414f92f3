package model

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentctl/agentctl/internal/frontmatter"
)

//go:embed data.yaml
var dataYAML []byte

// Data is what ages: servers' addresses, quirks and texts, windows of known
// models. [Builtin] has the dated file that comes with the program; a caller
// that read other values puts them in front with [Data.With].
type Data struct {
	// Updated is the day on which the file was last checked, YYYY-MM-DD.
	Updated string   `yaml:"updated"`
	Presets []Preset `yaml:"presets"`
	Models  []Known  `yaml:"models"`
	// The rest are regular expressions; case is ignored.
	Small            []string `yaml:"small"`
	Overflow         []string `yaml:"overflow"`
	NotOverflow      []string `yaml:"not_overflow"`
	ToolsUnsupported []string `yaml:"tools_unsupported"`
	BadHistory       []string `yaml:"bad_history"`
	Quota            []string `yaml:"quota"`
}

// Preset is a well-known server.
type Preset struct {
	Name string `yaml:"name"`
	// Type is openai or anthropic: which wire format it speaks.
	Type      string `yaml:"type"`
	BaseURL   string `yaml:"base_url"`
	APIKeyEnv string `yaml:"api_key_env"` // "" when it needs none
	// DefaultModel is used when the key is set and no model was named; "" when
	// the server has to be asked.
	DefaultModel string `yaml:"default_model"`
	// Port is set for servers that run on the user's own machine.
	Port int `yaml:"port"`
	// Discover tells whether Port may be probed on loopback.
	Discover bool `yaml:"discover"`
	// WindowFix tells how to give its models a larger window; %[1]d is the number
	// of tokens. "" where the window is a property of the model.
	WindowFix string `yaml:"window_fix"`
	Compat    Compat `yaml:"compat"`
}

// Compat holds the differences between servers that speak chat completions.
// The zero value suits most.
type Compat struct {
	// NoStreamUsage leaves stream_options out of the request.
	NoStreamUsage bool `yaml:"no_stream_usage"`
	// MaxTokensField is the name of the output limit; "" means max_tokens.
	MaxTokensField string `yaml:"max_tokens_field"`
	// SystemRole is the role of the system prompt; "" means system.
	SystemRole string `yaml:"system_role"`
	// ToolResultName adds the tool's name to its result message.
	ToolResultName bool `yaml:"tool_result_name"`
	// EmptyContent sends an empty text instead of null in a message that only
	// calls tools.
	EmptyContent bool `yaml:"empty_content"`
	// ReasoningField is the name under which an assistant's reasoning is sent
	// back; "" means that it is not.
	ReasoningField string `yaml:"reasoning_field"`
	// ParallelToolCalls is sent when it is set.
	ParallelToolCalls *bool `yaml:"parallel_tool_calls"`
	// Body has further top-level fields of the request, e.g. num_ctx or
	// chat_template_kwargs.
	Body map[string]any `yaml:"body"`
}

// Known is what is known about the models that Match finds.
type Known struct {
	Match         string `yaml:"match"`
	ContextWindow int    `yaml:"context_window"` // tokens, 0 = unknown
	MaxOutput     int    `yaml:"max_output"`     // tokens, 0 = unknown
}

// LoadData reads a data file; file is for messages. An unknown key, a bad
// regular expression and a preset without name or type are errors.
func LoadData(file string, data []byte) (*Data, error) {
	d := new(Data)
	if err := frontmatter.UnmarshalStrict(file, data, d); err != nil {
		return nil, err
	}
	return d, d.check(file)
}

func (d *Data) check(file string) error {
	for _, list := range [][]string{d.Small, d.Overflow, d.NotOverflow, d.ToolsUnsupported, d.BadHistory, d.Quota, d.matches()} {
		for _, text := range list {
			if _, err := regexp.Compile(text); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	for _, p := range d.Presets {
		if p.Name == "" || p.BaseURL == "" || (p.Type != "openai" && p.Type != "anthropic") {
			return fmt.Errorf("%s: preset %q needs a name, a base_url and a type of openai or anthropic", file, p.Name)
		}
	}
	return nil
}

func (d *Data) matches() []string {
	list := make([]string, 0, len(d.Models))
	for _, m := range d.Models {
		list = append(list, m.Match)
	}
	return list
}

var builtin = sync.OnceValue(func() *Data {
	// It is part of the program: a test checks it, so that a start need not.
	d := new(Data)
	if err := frontmatter.UnmarshalStrict("data.yaml", dataYAML, d); err != nil {
		panic(err)
	}
	return d
})

// Builtin returns the data that comes with the program. It is shared: do not
// change it.
func Builtin() *Data { return builtin() }

// With returns d with the entries of over in front, so that they win.
func (d *Data) With(over *Data) *Data {
	if over == nil {
		return d
	}
	return &Data{
		Updated:          d.Updated,
		Presets:          slices.Concat(over.Presets, d.Presets),
		Models:           slices.Concat(over.Models, d.Models),
		Small:            slices.Concat(over.Small, d.Small),
		Overflow:         slices.Concat(over.Overflow, d.Overflow),
		NotOverflow:      slices.Concat(over.NotOverflow, d.NotOverflow),
		ToolsUnsupported: slices.Concat(over.ToolsUnsupported, d.ToolsUnsupported),
		BadHistory:       slices.Concat(over.BadHistory, d.BadHistory),
		Quota:            slices.Concat(over.Quota, d.Quota),
	}
}

// Preset returns the preset called name.
func (d *Data) Preset(name string) (Preset, bool) {
	i := slices.IndexFunc(d.Presets, func(p Preset) bool { return p.Name == name })
	if i < 0 {
		return Preset{}, false
	}
	return d.Presets[i], true
}

// Known returns what is known about a model id; the zero value is "nothing".
func (d *Data) Known(id string) Known {
	for _, m := range d.Models {
		if matchAny([]string{m.Match}, strings.ToLower(id)) {
			return m
		}
	}
	return Known{}
}

// IsSmall tells whether a model's name says that it is a small one.
func (d *Data) IsSmall(id string) bool { return matchAny(d.Small, id) }

// IsOverflow tells whether an error text says that a prompt does not fit.
func (d *Data) IsOverflow(text string) bool {
	return matchAny(d.Overflow, text) && !matchAny(d.NotOverflow, text)
}

// IsToolsUnsupported tells whether an error text says that tools are not taken.
func (d *Data) IsToolsUnsupported(text string) bool { return matchAny(d.ToolsUnsupported, text) }

// BlamesHistory tells whether an error text refuses a tool call in the history,
// so that the same request would fail again.
func (d *Data) BlamesHistory(text string) bool { return matchAny(d.BadHistory, text) }

// IsQuota tells whether a refusal is about money rather than speed.
func (d *Data) IsQuota(text string) bool { return matchAny(d.Quota, text) }

// matchAny compiles at each use: it runs once per error or start, and texts
// that came from configuration were checked when they were read.
func matchAny(patterns []string, text string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		re, err := regexp.Compile("(?i)" + p)
		return err == nil && re.MatchString(text)
	})
}
