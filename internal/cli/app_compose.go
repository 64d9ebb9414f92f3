package cli

import (
	"cmp"
	"context"
	"errors"

	"github.com/agentctl/agentctl/internal/config"
	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/pkg/agent/app"
	"github.com/agentctl/agentctl/pkg/agent/chat"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
)

// checkApp refuses an app that names what does not exist, as app lint reports it.
func (f *Factory) checkApp(ctx context.Context, a *app.App) error {
	known, err := f.appKnown(ctx)
	if err != nil {
		return err
	}
	refused := &appRefusedError{app: a.Ref()}
	for _, d := range app.Check(ctx, a, known) {
		if d.Severity == diag.Error {
			refused.findings = append(refused.findings, d)
		}
	}
	if len(refused.findings) > 0 {
		return refused
	}
	return nil
}

// composePrompt makes the system prompt of a chat that nobody starts.
func (f *Factory) composePrompt(ctx context.Context, ref, modelName string) (string, error) {
	conf, err := f.chatConfig()
	if err != nil {
		return "", err
	}
	a, err := f.App(ctx, cmp.Or(ref, conf.Chat.App, app.DefaultName))
	if err != nil {
		return "", err
	}
	if err := f.checkApp(ctx, a); err != nil {
		return "", err
	}
	c := chat.Config{App: a}
	if c.Model, err = f.describedModel(ctx, modelName, a.Model, conf.Config); err != nil {
		return "", err
	}
	if c.Skills, err = f.Skills(SkillScope{App: skillAppOf(a)}); err != nil {
		return "", err
	}
	if c.Trusted, err = f.Trusted(); err != nil {
		return "", err
	}
	if c.Catalog, err = f.chatCatalog(ctx, conf, c.Trusted); err != nil {
		return "", err
	}
	if c.Env, err = f.chatEnv("", conf); err != nil {
		return "", err
	}
	p, err := chat.Compose(ctx, c)
	return p.System, err
}

// describedModel is what is known of the model without asking anybody. Without
// a named one it is a model of which nothing is known.
func (f *Factory) describedModel(ctx context.Context, flag, ofApp string, c config.Config) (*choose.Choice, error) {
	c.Chat.Discover = false
	choice, err := f.chooseModel(ctx, flag, ofApp, c)
	if _, none := errors.AsType[*choose.NoneError](err); none {
		return &choose.Choice{}, nil
	}
	if _, several := errors.AsType[*choose.SeveralError](err); several {
		return &choose.Choice{}, nil
	}
	return choice, err
}
