package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/skill"
)

const saveSkillName = "save_skill"

type saveSkillArgs struct {
	Name        string  `json:"name" jsonschema_description:"kebab-case"`
	Description string  `json:"description" jsonschema_description:"what it does, and when to use it"`
	Body        *string `json:"body,omitempty" jsonschema_description:"Markdown; without it the old text stays"`
}

func (e *Env) saveSkill() agent.Tool {
	return asking[saveSkillArgs]{
		tool: newTool(saveSkillName, "Save a skill when the user has agreed to its text. First read the skill that tells how to write one, if there is one.", func(ctx context.Context, _ agent.Call, args saveSkillArgs) (agent.Output, error) {
			res, err := e.save(ctx, e.SkillsDir, args)
			if err != nil {
				return agent.Output{}, err
			}
			return agent.Output{Text: fmt.Sprintf("saved %s; load it with read_skill(%s)", res.Dir, res.Name)}, nil
		}),
		ask: func(ctx context.Context, args saveSkillArgs) (agent.ApprovalRequest, error) {
			p, err := e.preview(ctx, args)
			if err != nil {
				return agent.ApprovalRequest{}, err
			}
			return agent.ApprovalRequest{
				Key: saveSkillName, Names: []string{saveSkillName}, Ask: true,
				Summary: p.verb + " the skill " + p.name,
				Detail:  diff(p.file, p.before, p.after),
			}, nil
		},
	}
}

// save writes below dir; what cannot be saved is told to the model.
func (e *Env) save(ctx context.Context, dir string, args saveSkillArgs) (skill.SaveResult, error) {
	if e.SkillsDir == "" {
		return skill.SaveResult{}, refuse("there is no workspace that can be written to, so nothing was saved. Show the user the text of the skill instead.")
	}
	res, err := skill.Save(ctx, skill.SaveRequest{Dir: dir, Name: args.Name, Description: args.Description, Body: args.Body})
	if bad, ok := errors.AsType[*skill.RefusedError](err); ok {
		return res, refuse("%s. Nothing was saved. Call save_skill again.", bad.Message)
	}
	if errors.Is(err, os.ErrPermission) {
		return res, refuse("%s cannot be written to, so nothing was saved. Show the user the text of the skill instead.", e.SkillsDir)
	}
	return res, err
}

// preview is what a call would change.
type preview struct {
	verb, name, file string
	before, after    string
}

// preview saves into a folder of its own and compares: so the person sees
// exactly what would be written, and is not asked about what would be refused.
func (e *Env) preview(ctx context.Context, args saveSkillArgs) (preview, error) {
	stage, err := os.MkdirTemp("", "agentctl-save-*")
	if err != nil {
		return preview{}, err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	p := preview{verb: "create"}
	if old := e.existingSkill(ctx, args.Name); old != nil {
		data, err := skill.ReadFile(ctx, old, old.Manifest)
		if err != nil {
			return preview{}, err
		}
		p.verb, p.before = "change", string(data)
		dir := filepath.Join(stage, filepath.Base(old.Dir))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return preview{}, err
		}
		if err := os.WriteFile(filepath.Join(dir, old.Manifest), data, 0o600); err != nil {
			return preview{}, err
		}
	}
	res, err := e.save(ctx, stage, args)
	if err != nil {
		return preview{}, err
	}
	data, err := os.ReadFile(res.File)
	p.name, p.after = res.Name, string(data)
	p.file = filepath.ToSlash(filepath.Join(filepath.Base(res.Dir), filepath.Base(res.File)))
	return p, err
}

// existingSkill is the skill that a save would change, nil for a new one.
func (e *Env) existingSkill(ctx context.Context, name string) *skill.Item {
	lib := &skill.Library{Sources: []skill.Source{{Name: skill.SourceWorkspace, Root: e.SkillsDir}}}
	l, err := lib.Load(ctx)
	if err != nil {
		return nil
	}
	for _, n := range []string{name, skill.Slug(name)} {
		if res, err := l.Resolve(n); err == nil && res.By != registry.ByAlias {
			return res.Winner
		}
	}
	return nil
}
