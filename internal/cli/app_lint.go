package cli

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/pkg/agent/app"
	"github.com/agentctl/agentctl/pkg/skill"
)

type appLintOptions struct {
	outputOptions
	Refs  []string
	Apps  func() (*app.Library, error)
	App   func(ctx context.Context, ref string) (*app.App, error)
	Known func(ctx context.Context) (app.Known, error)
}

func newAppLintCmd(f *Factory, run func(context.Context, *appLintOptions) error) *cobra.Command {
	opts := &appLintOptions{
		outputOptions: outputOptions{IO: f.IO},
		Known:         func(ctx context.Context) (app.Known, error) { return f.appKnown(ctx) },
		Apps:          func() (*app.Library, error) { return f.Apps() },
		App:           func(ctx context.Context, ref string) (*app.App, error) { return f.App(ctx, ref) },
	}
	if run == nil {
		run = runAppLint
	}
	cmd := &cobra.Command{
		Use: "lint [APP[/PROFILE] …]", Short: "Check that apps name only what exists",
		Long: `Check apps as a chat does before it starts: unknown keys and values, shared
skills, tools and packages that do not exist, and two tools with one name. Each
error comes with a fix. APP can be the folder of an app or of a profile; an app is
checked with each of its profiles, and without a name all apps are checked.`,
		Example: "  agentctl app lint\n  agentctl app lint rca/methodology ./drafts/my-app --json",
		Annotations: map[string]string{exitCodes: `  0    no errors
  1    failed
  2    wrong arguments, or an app does not exist
  3    an app has errors
  130  interrupted`},
		ValidArgsFunction: eachOnce(orFolder(f.complete(f.trusting(f.appNames), brokenNames(f.loadApps)))),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Refs = args
			// Lint reads and starts nothing, so it looks at what a chat gets once the
			// workspace is trusted.
			f.TrustFlag = true
			f.forget()
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	return cmd
}

func runAppLint(ctx context.Context, o *appLintOptions) error {
	known, err := o.Known(ctx)
	if err != nil {
		return err
	}
	c := &appLinter{findings: newFindings(), known: known}
	if len(o.Refs) == 0 {
		err = o.all(ctx, c)
	}
	for _, ref := range o.Refs {
		if err == nil {
			err = o.one(ctx, c, ref)
		}
	}
	if err != nil {
		return err
	}
	return c.print(o.outputOptions)
}

// all checks the apps that --app can name, with every profile.
func (o *appLintOptions) all(ctx context.Context, c *appLinter) error {
	lib, err := o.Apps()
	if err != nil {
		return err
	}
	l, err := lib.Load(ctx)
	if err != nil {
		return err
	}
	c.add(l.Diagnostics...)
	c.add(lib.Strays(l)...)
	for _, b := range l.Broken {
		c.files[b.File()] = true
	}
	for _, it := range l.Winners() {
		c.profiles(ctx, it)
	}
	return nil
}

// one checks what a name or folder means. An app or profile that does not load
// is a finding; one that does not exist is an error.
func (o *appLintOptions) one(ctx context.Context, c *appLinter, ref string) error {
	a, err := o.App(ctx, ref)
	if broken, ok := errors.AsType[*registry.BrokenError](err); ok {
		c.files[broken.File] = true
		c.add(broken.Diagnostics...)
		return nil
	}
	if err != nil {
		return err
	}
	c.add(a.Instead...)
	c.app(ctx, a)
	if a.Profile != "" && strings.HasSuffix(filepath.ToSlash(ref), "/"+a.Profile) {
		return nil // one profile was meant
	}
	for _, profile := range a.Profiles {
		if profile == a.Profile {
			continue
		}
		if err := o.one(ctx, c, profileRef(a, profile)); err != nil {
			return err
		}
	}
	return nil
}

// profileRef names a profile of an app that was opened by its name or folder.
func profileRef(a *app.App, profile string) string {
	if a.Source == app.SourcePath {
		return filepath.Join(a.Dir, "profiles", profile)
	}
	return a.Name + "/" + profile
}

// appLinter checks apps against what exists.
type appLinter struct {
	*findings
	known app.Known
}

func (c *appLinter) app(ctx context.Context, a *app.App) {
	c.files[a.File] = true
	if a.ProfileFile != "" {
		c.files[a.ProfileFile] = true
	}
	c.add(app.Check(ctx, a, c.known)...)
	c.packageSkills(ctx, a)
}

// packageSkills finds the skills of a profile that do not load, which a chat goes
// without. How good the others are is the affair of skill lint.
func (c *appLinter) packageSkills(ctx context.Context, a *app.App) {
	if a.PackageSkills == "" {
		return
	}
	lib := &skill.Library{Sources: []skill.Source{{Name: skill.SourcePackage, Root: a.PackageSkills, FS: a.PackageSkillsFS}}}
	l, err := lib.Load(ctx)
	if err != nil {
		return // the context ended, which ends the verb too
	}
	for _, b := range l.Broken {
		c.files[b.File()] = true
		c.add(b.Diagnostics...)
	}
}

// profiles checks an app alone and with each profile that loads; the findings of
// the others are in the listing.
func (c *appLinter) profiles(ctx context.Context, it *registry.Item[*app.Package]) {
	for _, profile := range append([]string{""}, it.Value.Profiles()...) {
		a, err := app.Compose(it, profile)
		if broken, ok := errors.AsType[*registry.BrokenError](err); ok {
			c.files[broken.File] = true
			continue
		}
		c.app(ctx, a)
	}
}
