package cli

import (
	"context"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/skill"
)

type skillSaveOptions struct {
	outputOptions
	writeDir
	Request skill.SaveRequest
	Body    string
}

type skillSaveJSON struct {
	Name    string `json:"name"`
	Dir     string `json:"dir"`
	File    string `json:"file"`
	Created bool   `json:"created"`
}

func newSkillSaveCmd(f *Factory, run func(context.Context, *skillSaveOptions) error) *cobra.Command {
	opts := &skillSaveOptions{outputOptions: outputOptions{IO: f.IO}, writeDir: newWriteDir(f)}
	if run == nil {
		run = runSkillSave
	}
	cmd := &cobra.Command{
		Use: "save NAME [-d TEXT]", Short: "Write a skill, as a model's save_skill does",
		Long: `Write a skill into the workspace. A skill that exists under that name or folder is
changed where it lies, also in .agents/skills and .claude/skills: what is not given
stays as it is, other keys and comments included. A new one needs a description and
a body. The folder is the name in kebab-case ASCII.
The file is replaced in one step.`,
		Example: "  agentctl skill save csv-summary -d \"Summarises CSV files. Use when …\" --body draft.md\n  agentctl skill save csv-summary -d \"A better description.\"",
		Args:    exactArgs(1, "the name of a skill"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Request.Name = args[0]
			opts.Request.KeepDescription = !cmd.Flags().Changed("description")
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	opts.addDirFlag(cmd)
	fl := cmd.Flags()
	fl.StringVarP(&opts.Request.Description, "description", "d", "", "what the skill does and when to use it")
	fl.StringVar(&opts.Request.WhenToUse, "when-to-use", "", "more about when to use it, for the index")
	fl.StringVar(&opts.Body, "body", "", "take the body from `FILE`, - for stdin; without it the old body stays")
	return cmd
}

func runSkillSave(ctx context.Context, o *skillSaveOptions) error {
	if o.Body != "" {
		body, err := readText(ctx, o.IO, o.Body)
		if err != nil {
			return err
		}
		o.Request.Body = &body
	}
	var err error
	if o.Request.Dir, o.Request.Workspace, err = o.place(); err != nil {
		return err
	}
	var res skill.SaveResult
	err = o.writing(ctx, o.IO, func() error {
		res, err = skill.Save(ctx, o.Request)
		return err
	})
	if o.Request.Body != nil && skill.HasFrontMatter(*o.Request.Body) && err != nil {
		return hintedError{err: err, hint: "to take over a whole SKILL.md, put it into a folder of its own and run: agentctl skill import FOLDER"}
	}
	if err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(o.IO.Out, skillSaveJSON(res))
	}
	_, err = fmt.Fprintln(o.IO.Out, termtext.Line(res.File))
	return err
}

// maxText is how much is read from a file or stdin for a body: more than any
// verb takes, so that it can say how long the text is.
const maxText = 4 << 20

// readText reads a file that was named on the command line, - for stdin.
func readText(ctx context.Context, s *iostreams.IOStreams, name string) (string, error) {
	in := interruptible(ctx, s.In)
	if name != "-" {
		f, err := openFile(ctx, name)
		if err != nil && ctx.Err() == nil {
			return "", usageError{message: fmt.Sprintf("file %q cannot be read: %v", name, err), hint: "give an existing file, or - for stdin"}
		}
		if err != nil {
			return "", err
		}
		defer func() { _ = f.Close() }()
		in = interruptible(ctx, f)
	}
	data, err := io.ReadAll(io.LimitReader(in, maxText+1))
	switch {
	case name != "-" && isDir(name):
		return "", usageError{message: fmt.Sprintf("%q is a folder", name), hint: "give a file, or - for stdin"}
	case err != nil:
		return "", fmt.Errorf("read %s: %w", name, err)
	case len(data) > maxText:
		return "", usageError{message: fmt.Sprintf("%q has more than %d MiB", name, maxText>>20), hint: "a body has at most 50,000 characters"}
	case !utf8.Valid(data):
		return "", usageError{message: fmt.Sprintf("%q is not UTF-8 text", name), hint: "save it as UTF-8"}
	}
	return string(data), nil
}
