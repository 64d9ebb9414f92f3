package skill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/frontmatter"
	"github.com/agentctl/agentctl/internal/schema"
)

// ToolsFile describes the scripts of a skill.
const ToolsFile = "tools.yaml"

// ScriptTool is one entry of tools.yaml: a script that takes checked arguments.
type ScriptTool struct {
	Name        string
	Description string
	// Script is the script's path in the skill.
	Script string
	// Parameters is the path of the JSON Schema, "" for none.
	Parameters string
	// Schema is its content; without one, any object will do.
	Schema json.RawMessage
}

type toolsFile struct {
	Tools []toolsEntry `yaml:"tools"`
}

type toolsEntry struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	Script      string `yaml:"script"`
	Parameters  string `yaml:"parameters"`
}

// ScriptTools reads a skill's tools.yaml; without one there are none. Nothing in
// it is repaired: any fault is an error among the diagnostics, and the entries
// that are sound are returned all the same.
func ScriptTools(it *Item) ([]ScriptTool, []Diagnostic) {
	file := filepath.Join(it.Dir, ToolsFile)
	data, err := readSmall(it, ToolsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []Diagnostic{toolsError(file, 1, "unreadable", err.Error())}
	}
	var f toolsFile
	if err := frontmatter.UnmarshalStrict(file, data, &f); err != nil {
		if strict, ok := errors.AsType[*frontmatter.StrictError](err); ok {
			return nil, strict.Diagnostics
		}
		return nil, []Diagnostic{toolsError(file, 1, "unreadable", err.Error())}
	}
	var tools []ScriptTool
	var ds []Diagnostic
	seen := map[string]bool{}
	for i, e := range f.Tools {
		t, err := scriptTool(it, e)
		if err == nil && seen[e.Name] {
			err = fmt.Errorf("name %q is there twice; rename one", e.Name)
		}
		if err != nil {
			ds = append(ds, toolsError(file, itemLine(data, i), "entry", fmt.Sprintf("tools[%d]: %v", i, err)))
			continue
		}
		seen[e.Name] = true
		tools = append(tools, t)
	}
	return tools, ds
}

// itemLine is the line on which an item of the file's list begins, 1 for a list
// in brackets.
func itemLine(data []byte, item int) int {
	indent, number := -1, 0
	for line := range bytes.Lines(data) {
		number++
		text := bytes.TrimLeft(line, " ")
		if !bytes.HasPrefix(text, []byte("- ")) || indent >= 0 && len(line)-len(text) != indent {
			continue
		}
		indent = len(line) - len(text)
		if item--; item < 0 {
			return number
		}
	}
	return 1
}

func toolsError(file string, line int, code, message string) Diagnostic {
	return Diagnostic{File: file, Line: line, Column: 1, Severity: diag.Error, Code: "tools-yaml." + code, Message: message}
}

// scriptTool checks one entry against the files of the skill.
func scriptTool(it *Item, e toolsEntry) (ScriptTool, error) {
	t := ScriptTool{Name: e.Name, Description: oneLine(e.Description), Script: e.Script, Parameters: e.Parameters}
	switch {
	case !IsSlug(e.Name) || len(e.Name) > MaxName:
		return t, fmt.Errorf("name %q is not kebab-case of at most %d characters", e.Name, MaxName)
	case t.Description == "":
		return t, fmt.Errorf("%s has no description; say what it does", e.Name)
	case e.Script == "":
		return t, fmt.Errorf("%s names no script", e.Name)
	}
	if err := hasFile(it, e.Script); err != nil {
		return t, fmt.Errorf("script of %s: %w", e.Name, err)
	}
	if e.Parameters == "" {
		t.Schema = json.RawMessage(`{"type":"object"}`)
		return t, nil
	}
	data, err := readSmall(it, e.Parameters)
	if err != nil {
		return t, fmt.Errorf("parameters of %s: %w", e.Name, cleanPathError(err, e.Parameters))
	}
	if t.Schema, err = compact(data); err != nil {
		return t, fmt.Errorf("parameters of %s, %s: %w", e.Name, e.Parameters, err)
	}
	return t, nil
}

// compact returns a usable JSON Schema on one line.
func compact(data []byte) (json.RawMessage, error) {
	if _, err := schema.Compile(data); err != nil {
		return nil, err
	}
	v, err := schema.Decode(data)
	if err != nil {
		return nil, err
	}
	if m, ok := v.(map[string]any); !ok || m["type"] != "object" {
		return nil, fmt.Errorf(`the root must be {"type":"object"}, since arguments are named`)
	}
	return schema.Encode(v)
}

func hasFile(it *Item, p string) error {
	f, err := openLocal(it, p)
	if err != nil {
		return cleanPathError(err, p)
	}
	return f.Close()
}

// openLocal opens a file by a path that is written in a skill's own files.
func openLocal(it *Item, p string) (fs.File, error) {
	if !filepath.IsLocal(filepath.FromSlash(p)) || strings.Contains(p, `\`) {
		return nil, fmt.Errorf("path %q leaves the skill's folder", p)
	}
	return open(it, path.Clean(p))
}

func cleanPathError(err error, p string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no file %q in the skill", p)
	}
	return err
}

// readSmall reads a description file of a skill.
func readSmall(it *Item, p string) ([]byte, error) {
	f, err := openLocal(it, p)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, frontmatter.MaxFile+1))
	if len(data) > frontmatter.MaxFile {
		return nil, fmt.Errorf("%s is larger than %d KiB", p, frontmatter.MaxFile>>10)
	}
	return data, err
}

// scriptTools is the part of read_skill's answer about tools.yaml.
func scriptTools(it *Item) string {
	tools, ds := ScriptTools(it)
	if len(tools) == 0 && len(ds) == 0 {
		return ""
	}
	var b strings.Builder
	if len(tools) > 0 {
		fmt.Fprintf(&b, "Scripts with checked arguments (run_skill_script with skill=%q, tool, arguments):\n", it.Name)
	}
	for _, t := range tools {
		fmt.Fprintf(&b, "- %s: %s Arguments: %s\n", t.Name, t.Description, t.Schema)
	}
	for _, d := range ds {
		fmt.Fprintf(&b, "Warning: %s: %s\n", ToolsFile, oneLine(d.Message))
	}
	return b.String()
}
