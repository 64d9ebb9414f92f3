package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/internal/tui"
	"github.com/agentctl/agentctl/pkg/skill"
)

// skillHost is what the skills panel works on: the same functions as the verbs.
// scope says which skills it shows, and which of them a model is offered.
func (f *Factory) skillHost(scope func(context.Context) (SkillScope, func(*skill.Item) bool, error)) tui.SkillHost {
	p := &panelSkills{f: f, scope: scope}
	return tui.SkillHost{
		List: p.list, Body: p.body, Switch: p.toggle, Import: p.importFrom, Export: p.export, Lint: p.lint, Author: p.author,
	}
}

type panelSkills struct {
	f     *Factory
	scope func(context.Context) (SkillScope, func(*skill.Item) bool, error)
}

func (p *panelSkills) list(ctx context.Context) (out tui.SkillList, err error) {
	scope, offered, err := p.scope(ctx)
	if err != nil {
		return out, err
	}
	l, err := loadListing(ctx, func() (skill.Resolver, error) { return p.f.Skills(scope) })
	if err != nil {
		return out, err
	}
	index := indexOf(skill.ModelView(l, offered), skill.Budget(0))
	costs := map[string]int{}
	for _, e := range index.Entries {
		costs[e.Name] = e.Chars
	}
	for _, it := range l.Items {
		row := tui.SkillRow{Item: it}
		if it.State == "active" {
			row.Cost = costs[it.Name]
		}
		out.Rows = append(out.Rows, row)
	}
	for _, b := range l.Broken {
		if len(b.Diagnostics) > 0 {
			out.Broken = append(out.Broken, b.Diagnostics[0].String())
		}
	}
	return out, nil
}

func (*panelSkills) body(_ context.Context, it *skill.Item) (string, error) {
	return it.Value.Body, nil
}

// toggle switches a skill: for this run in the factory's own memory, always in
// the user's state too.
func (p *panelSkills) toggle(ctx context.Context, name string, on, always bool) error {
	p.f.switches.set(name, on)
	if !always {
		return nil
	}
	ws, err := p.f.Workspace()
	if err != nil {
		return err
	}
	_, err = p.f.State().SwitchSkills(ctx, ws, []string{name}, on)
	return err
}

func (p *panelSkills) importFrom(ctx context.Context, path string) (string, error) {
	w := newWriteDir(p.f)
	dir, err := w.target()
	if err != nil {
		return "", err
	}
	tools, err := p.f.knownTools(ctx)
	if err != nil {
		return "", err
	}
	var res skill.ImportResult
	quiet := &iostreams.IOStreams{Out: io.Discard, Err: io.Discard}
	err = w.writing(ctx, quiet, func() error {
		res, err = skill.Import(ctx, skill.ImportRequest{Source: path, Dir: dir, Lint: skill.LintOptions{Tools: tools}})
		return err
	})
	if err != nil {
		return "", withHint(err)
	}
	p.f.forget() // the first skill of a workspace makes it trusted
	text := fmt.Sprintf("%s (%s)", res.Name, termtext.Count(res.Files, "file"))
	if n := len(res.Diagnostics); n > 0 {
		text += fmt.Sprintf(", %s: l shows them", termtext.Count(n, "finding"))
	}
	return text, nil
}

// export packs a skill, with the rules of the verb: nothing is overwritten.
func (*panelSkills) export(ctx context.Context, it *skill.Item, file string) (string, error) {
	o := &skillExportOptions{Output: file}
	file, err := o.file(it)
	if err != nil {
		return "", withHint(err)
	}
	var buf bytes.Buffer // at most the export limit
	if _, err := skill.Export(ctx, it, &buf, false); err != nil {
		return "", withHint(err)
	}
	return file, writeOutput(file, buf.Bytes(), 0o644)
}

func (p *panelSkills) lint(ctx context.Context, it *skill.Item) ([]string, error) {
	tools, err := p.f.knownTools(ctx)
	if err != nil {
		return nil, err
	}
	ds, err := skill.Lint(ctx, it, skill.LintOptions{Tools: tools})
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.String()
	}
	return lines, err
}

// author lists the shared skills, whatever an app offers of them.
func (p *panelSkills) author(ctx context.Context) (*skill.Listing, error) {
	l, err := loadListing(ctx, func() (skill.Resolver, error) {
		return p.f.Skills(SkillScope{Which: []string{skill.SourceWorkspace, skill.SourceUser, skill.SourceShared}})
	})
	if err != nil {
		return nil, err
	}
	return l.Filter(func(it *skill.Item) bool { return !it.Source.Untrusted }), nil
}

// withHint is an error with its hint in one text, for the line that a panel has.
func withHint(err error) error {
	if e, ok := as[*skill.ExistsError](err); ok {
		return fmt.Errorf("%s exists already and stays as it is", e.Path)
	}
	f := classify(err)
	if f.Hint == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, f.Hint)
}
