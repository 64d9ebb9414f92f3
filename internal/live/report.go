package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

// milestones are what a model has to do on the way from a request to a skill that
// the next turn reads, in this order.
type milestones struct {
	learned []string // turns in which the skill author-skill was read
	asked   []string // turns that ended in a question
	saved   []string // turns in which a skill was saved, with its name
	used    []string // later turns in which it was read
}

// report prints each turn of a conversation and what it came to.
func report(w io.Writer, dir string) error {
	var m milestones
	for n := 1; ; n++ {
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%d.json", n)))
		if errors.Is(err, fs.ErrNotExist) && n > 1 {
			break
		}
		if err != nil {
			return err
		}
		var r session.Result
		if err := json.Unmarshal(data, &r); err != nil {
			return err
		}
		m.add(fmt.Sprint(n), r)
		fmt.Fprintf(w, "turn %d: %s, exit %d: %s\n", n, r.Stop, r.Exit, calls(r))
	}
	for _, line := range []struct {
		what  string
		turns []string
	}{
		{"read author-skill", m.learned},
		{"asked the user", m.asked},
		{"saved a skill", m.saved},
		{"read it in a later turn", m.used},
	} {
		text := "no"
		if len(line.turns) > 0 {
			text = "in turn " + strings.Join(line.turns, ", ")
		}
		fmt.Fprintf(w, "%s: %s\n", line.what, text)
	}
	return nil
}

func (m *milestones) add(turn string, r session.Result) {
	if slices.Contains(r.SkillsRead, "author-skill") {
		m.learned = append(m.learned, turn)
	}
	if len(m.saved) > 0 && slices.ContainsFunc(r.SkillsRead, func(name string) bool { return !strings.HasPrefix(name, "author-") }) {
		m.used = append(m.used, turn)
	}
	if r.Stop == session.StopNeedsInput {
		m.asked = append(m.asked, turn)
	}
	for _, c := range r.ToolCalls {
		var args struct {
			Name string `json:"name"`
		}
		if c.Name != "save_skill" || c.Status != "ok" || json.Unmarshal(c.Args, &args) != nil {
			continue
		}
		m.saved = append(m.saved, fmt.Sprintf("%s (%s)", turn, args.Name))
	}
}

func calls(r session.Result) string {
	if len(r.ToolCalls) == 0 {
		return "no call"
	}
	var all []string
	for _, c := range r.ToolCalls {
		all = append(all, c.Name+" "+c.Status)
	}
	return strings.Join(all, ", ")
}
