package toolpkg

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/agentctl/agentctl/internal/schema"
)

// packageFormat is the version of the prebuilt layout.
const packageFormat = 1

// The files of a prebuilt folder.
const (
	metaName     = "agentctl-package.json"
	commandsName = "commands.json"
	schemasName  = "schemas"
	currentName  = "current"
)

// Meta is agentctl-package.json: the policy of TOOL.md and what was built.
type Meta struct {
	Format      int       `json:"format"`
	Name        string    `json:"name"`
	Version     string    `json:"version,omitempty"`
	Description string    `json:"description,omitempty"`
	Builder     string    `json:"builder"`
	Platform    string    `json:"platform"`
	Contract    int       `json:"contract"`
	Runtime     Runtime   `json:"runtime"`
	Env         []EnvVar  `json:"env,omitempty"`
	Network     bool      `json:"network"`
	Workspace   string    `json:"workspace"` // rw, ro or none
	Timeout     string    `json:"timeout"`   // as in Go: 1m0s
	Memory      int64     `json:"memory"`    // bytes
	Lint        []Finding `json:"lint,omitempty"`
}

// Finding is a schema warning that prebuild kept.
type Finding struct {
	Command string `json:"command"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// frozenCommand is one entry of commands.json; the schema has a file of its own.
type frozenCommand struct {
	Name         string          `json:"name"`
	Tool         string          `json:"tool"`
	Description  string          `json:"description"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
}

// newMeta fills in what is known before the launcher was asked.
func newMeta(src *Source, b Builder, rt Runtime) Meta {
	m := src.Manifest
	return Meta{
		Format: packageFormat, Name: src.Name, Version: m.Version, Description: m.Description,
		Builder: b.Name(), Platform: Platform(), Contract: ContractVersion, Runtime: rt,
		Env: m.Env, Network: m.Network, Workspace: string(m.Workspace),
		Timeout: m.Timeout.String(), Memory: int64(m.Memory),
	}
}

// timeout is the wall limit of one call.
func (m Meta) timeout() time.Duration {
	d, err := time.ParseDuration(m.Timeout)
	if err != nil || d <= 0 {
		return DefaultTimeout
	}
	return d
}

// freeze writes the description of a built package into its folder.
func freeze(dir string, meta Meta, commands []Command, stamp Stamp) error {
	if err := os.MkdirAll(filepath.Join(dir, schemasName), 0o755); err != nil {
		return err
	}
	frozen := make([]frozenCommand, len(commands))
	for i, c := range commands {
		frozen[i] = frozenCommand{c.Name, c.Tool(), c.Description, c.Annotations, c.OutputSchema}
		if err := writeRaw(filepath.Join(dir, filepath.FromSlash(schemaFile(c.Name))), c.Params); err != nil {
			return err
		}
	}
	for name, v := range map[string]any{commandsName: frozen, metaName: meta, stampName: stamp} {
		text, err := schema.Encode(v)
		if err != nil {
			return err
		}
		if err := writeRaw(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

// writeRaw writes JSON as its author ordered it, indented for people who look.
func writeRaw(file string, raw json.RawMessage) error {
	var buf bytes.Buffer
	if err := json.Indent(&buf, raw, "", "  "); err != nil {
		return err
	}
	buf.WriteByte('\n')
	return os.WriteFile(file, buf.Bytes(), 0o644)
}
