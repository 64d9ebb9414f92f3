package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentctl/agentctl/internal/fspath"
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
			res, err := e.save(ctx, e.saveRequest(args))
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
				Key: saveSkillName, Covers: saveSkillName + " under any name", Names: []string{saveSkillName}, Ask: true,
				Summary: p.verb + " the skill " + p.name,
				Detail:  diff(p.file, p.before, p.after),
			}, nil
		},
	}
}

func (e *Env) saveRequest(args saveSkillArgs) skill.SaveRequest {
	return skill.SaveRequest{Dir: e.SkillsDir, Workspace: e.Workspace, Name: args.Name, Description: args.Description, Body: args.Body}
}

// save writes a skill; what cannot be saved is told to the model.
func (e *Env) save(ctx context.Context, req skill.SaveRequest) (skill.SaveResult, error) {
	if e.SkillsDir == "" {
		return skill.SaveResult{}, refuse("there is no workspace that can be written to, so nothing was saved. Show the user the text of the skill instead.")
	}
	res, err := skill.Save(ctx, req)
	return res, notSaved(err)
}

// notSaved is why nothing was saved, in words for the model where it can do better.
func notSaved(err error) error {
	if bad, ok := errors.AsType[*skill.RefusedError](err); ok {
		return refuse("%s. Nothing was saved. Call save_skill again.", bad.Message)
	}
	if errors.Is(err, os.ErrPermission) {
		return refuse("%v, so nothing was saved. Show the user the text of the skill instead.", err)
	}
	return err
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
	req := e.saveRequest(args)
	old, err := req.Existing(ctx)
	if err != nil && e.SkillsDir != "" {
		return preview{}, notSaved(err)
	}
	place := ""
	if old != nil {
		data, err := skill.ReadFile(ctx, old, old.Manifest)
		if err != nil {
			return preview{}, err
		}
		p.verb, p.before = "change", string(data)
		if old.Source.Root != e.SkillsDir {
			place, _ = fspath.Below(e.Workspace, old.Source.Root)
		}
		dir := filepath.Join(stage, filepath.Base(old.Dir))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return preview{}, err
		}
		if err := os.WriteFile(filepath.Join(dir, old.Manifest), data, 0o600); err != nil {
			return preview{}, err
		}
	}
	req.Dir, req.Workspace = stage, ""
	res, err := e.save(ctx, req)
	if err != nil {
		return preview{}, err
	}
	data, err := os.ReadFile(res.File)
	p.name, p.after = res.Name, string(data)
	p.file = filepath.ToSlash(filepath.Join(place, filepath.Base(res.Dir), filepath.Base(res.File)))
	return p, err
}
