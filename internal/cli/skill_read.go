package cli

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/archive"
	"github.com/agentctl/agentctl/pkg/skill"
)

type skillReadOptions struct {
	outputOptions
	appFlag
	Skills   func(SkillScope) (skill.Resolver, error)
	Request  skill.ReadRequest
	ForModel bool
}

type skillReadJSON struct {
	Name                   string            `json:"name"`
	Description            string            `json:"description"`
	Source                 string            `json:"source"`
	Dir                    string            `json:"dir"`
	File                   string            `json:"file"`
	Body                   string            `json:"body"`
	Files                  []string          `json:"files"`
	Digest                 string            `json:"digest"`
	AllowedTools           []string          `json:"allowed_tools"`
	UserInvocable          bool              `json:"user_invocable"`
	DisableModelInvocation bool              `json:"disable_model_invocation"`
	ArgumentHint           string            `json:"argument_hint"`
	Frontmatter            map[string]string `json:"frontmatter"`
}

const skillReadCodes = `  0    done
  1    failed; the skill does not load
  2    wrong arguments, or the skill or file does not exist
  4    --for-model: the skill is disabled, or for people only
  130  interrupted`

func newSkillReadCmd(f *Factory, run func(context.Context, *skillReadOptions) error) *cobra.Command {
	opts := &skillReadOptions{
		outputOptions: outputOptions{IO: f.IO}, appFlag: appFlag{Open: f.openSkillApp},
		Skills: func(s SkillScope) (skill.Resolver, error) { return f.Skills(s) },
	}
	if run == nil {
		run = runSkillRead
	}
	cmd := &cobra.Command{
		Use: "read NAME", Short: "Print the body of a skill, or one of its files",
		Long: `Print the body of a skill: rendered on a terminal, byte for byte elsewhere, and
never cut. --path prints one file of the skill instead. --for-model prints exactly
what a model gets from read_skill: folder, files, scripts, and the body up to
50,000 characters.`,
		Example:           "  agentctl skill read csv-summary\n  agentctl skill read csv-summary --path references/formats.md\n  agentctl skill read ./draft --for-model --args \"sales.csv\"",
		Args:              oneSkill,
		Annotations:       map[string]string{exitCodes: skillReadCodes},
		ValidArgsFunction: firstArg(orFolder(f.complete(f.skillNames(opts.scope, nil)))),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Request.Name = args[0]
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	opts.addAppFlag(cmd)
	completeFlag(cmd, "app", orFolder(f.complete(f.appNames)))
	fl := cmd.Flags()
	fl.StringVar(&opts.Request.Path, "path", "", "print the file `REL` of the skill")
	fl.StringVar(&opts.Request.Args, "args", "", "append `TEXT` as the invocation's arguments")
	fl.BoolVar(&opts.ForModel, "for-model", false, "print exactly what read_skill returns")
	fl.IntVar(&opts.Request.Offset, "offset", 0, "begin at `LINE` of the body or file, counted from 1")
	return cmd
}

// oneSkill wants the name of a skill; a second word is most likely one of its files.
func oneSkill(cmd *cobra.Command, args []string) error {
	if len(args) == 2 {
		return usageError{
			message: fmt.Sprintf("%s wants the name of one skill, got %q and %q", cmd.CommandPath(), args[0], args[1]),
			hint:    fmt.Sprintf("a file of the skill: %s %s --path %s", cmd.CommandPath(), args[0], args[1]),
		}
	}
	return exactArgs(1, "the name of a skill")(cmd, args)
}

func runSkillRead(ctx context.Context, o *skillReadOptions) error {
	if o.Request.Offset < 0 {
		return usageError{message: fmt.Sprintf("--offset %d is no line", o.Request.Offset), hint: "lines are counted from 1"}
	}
	scope, err := o.scope(ctx)
	if err != nil {
		return err
	}
	l, err := o.listing(ctx, scope)
	if err != nil {
		return err
	}
	if o.ForModel {
		return o.forModel(ctx, l, scope)
	}
	res, err := l.Resolve(o.Request.Name)
	if err != nil {
		return err
	}
	printDiagnostics(o.IO, diagnosticsOf(l, res.Winner))
	if o.Request.Path != "" {
		return o.file(ctx, res.Winner)
	}
	return o.body(ctx, res.Winner)
}

// listing holds the skills that the name can mean: those of the scope, or the
// one of a folder, which is then called by its own name.
func (o *skillReadOptions) listing(ctx context.Context, scope SkillScope) (*skill.Listing, error) {
	if !isFolder(o.Request.Name) {
		l, err := loadListing(ctx, func() (skill.Resolver, error) { return o.Skills(scope) })
		if err == nil && scope.App != nil {
			l = l.Filter(scope.App.offered)
		}
		return l, err
	}
	it, ds, err := skill.Open(ctx, o.Request.Name)
	if err != nil {
		return nil, err
	}
	o.Request.Name = it.Name
	return &skill.Listing{Kind: "skill", Items: []*skill.Item{it}, Diagnostics: ds}, nil
}

// forModel prints read_skill's answer. Without an app the question is what the
// text would be, so trust does not matter; what is withheld from models stays so.
func (o *skillReadOptions) forModel(ctx context.Context, l *skill.Listing, scope SkillScope) error {
	view := skill.Withhold(l)
	if scope.App != nil {
		view = skill.ModelView(l, scope.App.offered)
	}
	text, it, err := skill.ReadForModel(ctx, view, o.Request)
	if err != nil {
		return err
	}
	if !o.JSON {
		return writeText(o.IO, text)
	}
	out, err := o.shape(ctx, it)
	if err != nil {
		return err
	}
	out.Body = text
	return writeJSON(o.IO.Out, out)
}

func (o *skillReadOptions) file(ctx context.Context, it *skill.Item) error {
	data, err := skill.ReadFile(ctx, it, o.Request.Path)
	if err != nil {
		return err
	}
	if o.JSON {
		if !utf8.Valid(data) {
			return usageError{message: fmt.Sprintf("%q is not UTF-8 text, which JSON needs", o.Request.Path), hint: "leave out --json"}
		}
		out, err := o.shape(ctx, it)
		if err != nil {
			return err
		}
		out.Body = fromLine(string(data), o.Request.Offset)
		return writeJSON(o.IO.Out, out)
	}
	return writeText(o.IO, fromLine(string(data), o.Request.Offset))
}

func (o *skillReadOptions) body(ctx context.Context, it *skill.Item) error {
	text := fromLine(it.Value.Body, o.Request.Offset)
	if o.Request.Args != "" {
		text = skill.WithArguments(text, o.Request.Args)
	}
	if o.JSON {
		out, err := o.shape(ctx, it)
		if err != nil {
			return err
		}
		out.Body = text
		return writeJSON(o.IO.Out, out)
	}
	if o.IO.OutTTY {
		return renderMarkdown(o.IO, text)
	}
	return writeText(o.IO, text)
}

// fromLine is the text from a line on, counted from 1; 0 means all of it.
func fromLine(text string, line int) string {
	for ; line > 1 && text != ""; line-- {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

func (o *skillReadOptions) shape(ctx context.Context, it *skill.Item) (skillReadJSON, error) {
	dir, err := skill.Dir(ctx, it)
	if err != nil {
		return skillReadJSON{}, err
	}
	files, err := skill.Files(ctx, it)
	if err != nil {
		return skillReadJSON{}, err
	}
	digest, err := archive.Digest(ctx, it.FS, archive.ScanOptions{Keep: archive.Exported})
	if err != nil {
		warn(o.IO, "the skill has no digest: %v", err)
		digest = ""
	}
	s := it.Value
	out := skillReadJSON{
		Name: it.Name, Description: squeeze(s.Description), Source: it.Source.Name, Dir: dir, File: it.File(), Body: s.Body,
		Files: list(files), Digest: digest, AllowedTools: list(s.AllowedTools), UserInvocable: s.UserInvocable,
		DisableModelInvocation: s.DisableModelInvocation, ArgumentHint: s.ArgumentHint, Frontmatter: map[string]string{},
	}
	for _, key := range s.Doc.Keys() {
		out.Frontmatter[key] = s.Doc.Raw(key)
	}
	return out, nil
}
