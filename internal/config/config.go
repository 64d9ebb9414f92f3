// Package config is the configuration as one plain struct. Use [Load] to read
// it from files and environment; viper is an affair of load.go alone.
//
// Unknown keys are errors with the nearest key, since a dropped line could
// change rights.
package config

// Config is everything that agentctl.yaml and the user's config.yaml can set.
type Config struct {
	Providers []Provider `yaml:"providers"`
	Models    []Model    `yaml:"models"`
	Skills    Skills     `yaml:"skills"`
	Tools     Tools      `yaml:"tools"`
	Sandbox   Sandbox    `yaml:"sandbox"`
	Chat      Chat       `yaml:"chat"`
}

// Provider is a server that models run on. Of two entries with one name the
// workspace's replaces the user's, and both replace a preset.
type Provider struct {
	Name      string            `yaml:"name"`
	Type      string            `yaml:"type"`     // openai, anthropic or scripted
	BaseURL   string            `yaml:"base_url"` // without the trailing /chat/completions
	APIKeyEnv string            `yaml:"api_key_env"`
	Headers   map[string]string `yaml:"headers"`
	Compat    Compat            `yaml:"compat"`
}

// Compat holds what differs between servers. A field that is not set keeps the
// preset's value.
type Compat struct {
	NoStreamUsage     *bool          `yaml:"no_stream_usage"`  // leave stream_options out of the request
	MaxTokensField    *string        `yaml:"max_tokens_field"` // max_tokens or max_completion_tokens
	SystemRole        *string        `yaml:"system_role"`      // system or developer
	ToolResultName    *bool          `yaml:"tool_result_name"` // send the tool's name with its result
	EmptyContent      *bool          `yaml:"empty_content"`    // "" instead of null beside calls
	ReasoningField    *string        `yaml:"reasoning_field"`  // name under which reasoning is sent back
	ParallelToolCalls *bool          `yaml:"parallel_tool_calls"`
	Body              map[string]any `yaml:"body"` // further top-level fields of the request
}

// Model is one model on a provider.
type Model struct {
	Name              string `yaml:"name"`
	Provider          string `yaml:"provider"`
	ID                string `yaml:"id"` // what the server calls it; "" means Name
	ContextWindow     int    `yaml:"context_window"`
	MaxOutput         int    `yaml:"max_output"`
	ToolMode          string `yaml:"tool_mode"` // auto, native or text
	Inventory         string `yaml:"inventory"` // auto, always or never
	ParallelToolCalls *bool  `yaml:"parallel_tool_calls"`
	Price             Price  `yaml:"price"`
}

// Price is in US dollars per million tokens.
type Price struct {
	Input  float64 `yaml:"input"`
	Output float64 `yaml:"output"`
	Cached float64 `yaml:"cached"`
}

// Skills says where skills are found and written. Paths are relative to the
// file that names them.
type Skills struct {
	Dir      string   `yaml:"dir"`    // where save, new and import write; "" means .skill
	Shared   []string `yaml:"shared"` // further roots of shared skills
	Sync     []string `yaml:"sync"`   // roots that `skill sync` updates
	Disabled []string `yaml:"disabled"`
}

// Tools says where tool packages are found and what they may see.
type Tools struct {
	Sources  []string            `yaml:"sources"`  // package folders, besides tools/*
	Prebuilt []string            `yaml:"prebuilt"` // prebuilt roots, besides .agentctl/prebuilt
	Env      map[string][]string `yaml:"env"`      // package: variables that it may see
}

// Sandbox chooses the confinement.
type Sandbox struct {
	Backend  string `yaml:"backend"`   // auto, bwrap, native, container or none
	MinLevel string `yaml:"min_level"` // full or landlock
	Image    string `yaml:"image"`     // what the container backend runs; "" means its default
	Runtime  string `yaml:"runtime"`   // OCI runtime of the container backend; "" means the engine's
}

// Chat holds the defaults of chat.
type Chat struct {
	App       string    `yaml:"app"`
	Model     string    `yaml:"model"`
	Discover  bool      `yaml:"discover"` // look for servers on this machine
	Approvals Approvals `yaml:"approvals"`
}

// Approvals decides calls without asking, by the names that --allow takes.
type Approvals struct {
	Allow []string `yaml:"allow"`
	Deny  []string `yaml:"deny"`
}

// defaults are the values that hold when nothing is set.
func defaults() map[string]any {
	return map[string]any{
		"skills":  map[string]any{"dir": ".skill"},
		"sandbox": map[string]any{"backend": "auto", "min_level": "full"},
		"chat":    map[string]any{"app": "default", "discover": true},
	}
}

// variables are the environment variables that stand for a value. No other
// AGENTCTL_ name is read as configuration.
var variables = map[string]string{
	"chat.model":      "AGENTCTL_MODEL",
	"sandbox.backend": "AGENTCTL_SANDBOX",
}
