package builtin_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
)

// maxSpecs is what all built-in tools may cost in a request; with the rules of
// the system prompt they make up the overhead of a chat, 4 kB.
const maxSpecs = 3000

func TestSpecsAreSmallAndSound(t *testing.T) {
	t.Parallel()
	total := 0
	for _, s := range agent.Specs(builtin.Tools(newEnv(t, nil), builtin.Names(), true)) {
		raw, err := json.Marshal(map[string]any{"name": s.Name, "description": s.Description, "parameters": s.Schema})
		if err != nil {
			t.Fatal(err)
		}
		total += len(raw)
		for _, d := range schema.Lint(s.Schema) {
			if d.Severity != diag.Info { // names that speak for themselves have no description
				t.Errorf("%s: %v", s.Name, d)
			}
		}
		for _, p := range []schema.Profile{schema.OpenAI, schema.Anthropic, schema.Gemini, schema.Plain} {
			if _, err := schema.Project(s.Schema, p); err != nil {
				t.Errorf("%s for %v: %v", s.Name, p, err)
			}
		}
		if s.Description == "" {
			t.Errorf("%s has no description", s.Name)
		}
	}
	if total > maxSpecs {
		t.Errorf("the built-in tools take %d bytes, want at most %d", total, maxSpecs)
	}
}

func TestToolsAreThoseOfTheNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		names     []string
		withSkill bool
		want      []string
	}{
		{"all", builtin.Names(), true, []string{"read_skill", "read_file", "list_files", "write_file", "exec", "run_skill_script", "save_skill", "ask_user"}},
		{"in their own order, packages left out", []string{"ask_user", "data-fetch", "read_file"}, false, []string{"read_file", "ask_user"}},
		{"read_skill alone", nil, true, []string{"read_skill"}},
		{"none", []string{}, false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t, nil)
			var got []string
			for _, tool := range builtin.Tools(env, tt.names, tt.withSkill) {
				got = append(got, tool.Spec().Name)
			}
			if !slices.Equal(got, tt.want) || !slices.Equal(env.ToolNames(), tt.want) {
				t.Errorf("got %q, names %q, want %q", got, env.ToolNames(), tt.want)
			}
		})
	}
}

// Who runs something asks first; who only reads does not.
func TestWhoAsks(t *testing.T) {
	t.Parallel()
	for _, tool := range builtin.Tools(newEnv(t, nil), builtin.Names(), true) {
		name := tool.Spec().Name
		_, asks := tool.(agent.Approvable)
		if want := slices.Contains([]string{"write_file", "exec", "run_skill_script", "save_skill"}, name); asks != want {
			t.Errorf("%s asks: %v, want %v", name, asks, want)
		}
	}
}
