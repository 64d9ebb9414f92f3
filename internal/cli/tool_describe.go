package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

type toolDescribeOptions struct {
	outputOptions
	toolsFactory
	Name   string
	Schema bool
	Prompt bool
	Format string
}

type toolDescribeJSON struct {
	Name        string                 `json:"name"`
	Version     string                 `json:"version"`
	Description string                 `json:"description"`
	Builder     string                 `json:"builder"`
	Platform    string                 `json:"platform"`
	Digest      string                 `json:"digest"`
	Dir         string                 `json:"dir"`
	Network     bool                   `json:"network"`
	Workspace   string                 `json:"workspace" jsonschema:"enum=rw,enum=ro,enum=none"`
	Timeout     string                 `json:"timeout"`
	Memory      int64                  `json:"memory"`
	Env         []toolpkg.EnvVar       `json:"env"`
	Commands    []toolDescribedCommand `json:"commands"`
}

type toolDescribedCommand struct {
	Name         string          `json:"name"`
	Tool         string          `json:"tool"`
	Description  string          `json:"description"`
	Parameters   json.RawMessage `json:"parameters"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
}

type toolPromptJSON struct {
	Text string `json:"text"`
}

const toolReadExitCodes = `  0    done
  1    failed
  2    wrong arguments, or there is no such package or command
  126  the prebuilt package is damaged or foreign
  127  the package has a source and no build
  130  interrupted`

func newToolDescribeCmd(f *Factory, run func(context.Context, *toolDescribeOptions) error) *cobra.Command {
	opts := &toolDescribeOptions{outputOptions: outputOptions{IO: f.IO}, toolsFactory: f.tools()}
	if run == nil {
		run = runToolDescribe
	}
	cmd := &cobra.Command{
		Use: "describe PKG[:CMD]", Short: "Print what a tool package takes and may do",
		Long: `Print a prebuilt package, or one of its commands: what it may do, and the
arguments of each command. Everything is read from files; nothing is run.

--schema prints the schema of the arguments as its author wrote it (of a package:
an object with one schema a command), --prompt the inventory as a model's prompt
has it, --format the tools as a provider's request or an MCP tools/list result
has them. What --schema and --format print is JSON of that form, with --json or
without.`,
		Example:           "  agentctl tool describe data-fetch\n  agentctl tool describe data-fetch:data-fetch --schema\n  agentctl tool describe data-fetch --format openai",
		Args:              exactArgs(1, "the name of a package, or PKG:CMD"),
		Annotations:       map[string]string{exitCodes: toolReadExitCodes},
		ValidArgsFunction: firstArg(f.complete(f.packageNames, f.commandNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Name = args[0]
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	cmd.Flags().BoolVar(&opts.Schema, "schema", false, "print the schema of the arguments")
	cmd.Flags().BoolVar(&opts.Prompt, "prompt", false, "print the inventory for a prompt")
	cmd.Flags().StringVar(&opts.Format, "format", "", "print the tools as `FORMAT` wants them: "+strings.Join(toolpkg.Formats(), ", "))
	cmd.MarkFlagsMutuallyExclusive("schema", "prompt", "format")
	completeFlag(cmd, "format", oneOfWords(toolpkg.Formats()...))
	return cmd
}

func runToolDescribe(ctx context.Context, o *toolDescribeOptions) error {
	if o.Format != "" && !slices.Contains(toolpkg.Formats(), o.Format) {
		return oneOf("format", o.Format, toolpkg.Formats()...)
	}
	c, err := o.Catalog(ctx)
	if err != nil {
		return err
	}
	if o.Name == "*" && o.Format == "" && !o.Prompt {
		return usageError{message: `"*" means every package, which only --format and --prompt print`, hint: "name one package"}
	}
	fns, err := c.Select(toolpkg.Selection{Selectors: []string{o.Name}})
	if err != nil {
		return err
	}
	switch {
	case o.Schema:
		return o.printSchema(fns)
	case o.Format != "":
		text, err := toolpkg.Format(o.Format, fns)
		if err != nil {
			return err
		}
		return printLine(o.IO.Out, text)
	case o.Prompt:
		return o.printPrompt(fns)
	case o.JSON:
		return writeJSON(o.IO.Out, describeShape(fns))
	}
	_, err = io.WriteString(o.IO.Out, termtext.Block(toolpkg.DescribeText(fns[0].Package, fns)))
	return err
}

func printLine(w io.Writer, text []byte) error {
	_, err := fmt.Fprintf(w, "%s\n", text)
	return err
}

// printSchema prints the one schema of PKG:CMD, or those of a package by command.
func (o *toolDescribeOptions) printSchema(fns []toolpkg.Function) error {
	if strings.Contains(o.Name, ":") {
		return writeJSON(o.IO.Out, fns[0].Command.Params)
	}
	schemas := map[string]json.RawMessage{}
	for _, f := range fns {
		schemas[f.Command.Name] = f.Command.Params
	}
	return writeJSON(o.IO.Out, schemas)
}

func (o *toolDescribeOptions) printPrompt(fns []toolpkg.Function) error {
	specs := make([]toolpkg.Spec, len(fns))
	for i, f := range fns {
		specs[i] = f.Spec()
	}
	text := toolpkg.Inventory(specs)
	if o.JSON {
		return writeJSON(o.IO.Out, toolPromptJSON{text})
	}
	if o.IO.OutTTY {
		text = termtext.Block(text)
	}
	_, err := io.WriteString(o.IO.Out, text)
	return err
}

func describeShape(fns []toolpkg.Function) toolDescribeJSON {
	p := fns[0].Package
	out := toolDescribeJSON{
		Name: p.Name, Version: p.Version, Description: squeeze(p.Description), Builder: p.Builder, Platform: p.Platform,
		Digest: p.Digest, Dir: p.Dir, Network: p.Network, Workspace: p.Workspace, Timeout: p.Timeout, Memory: p.Memory,
		Env: list(p.Env), Commands: []toolDescribedCommand{},
	}
	for _, f := range fns {
		c := f.Command
		out.Commands = append(out.Commands, toolDescribedCommand{c.Name, f.Name, c.Description, c.Params, c.Annotations, c.OutputSchema})
	}
	return out
}
