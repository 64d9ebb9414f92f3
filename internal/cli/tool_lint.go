package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/frontmatter"
	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

type toolLintOptions struct {
	outputOptions
	toolsFactory
	sandboxFlags
	Names []string
	Open  func(ctx context.Context, name string) (sandbox.Backend, error)
}

func newToolLintCmd(f *Factory, run func(context.Context, *toolLintOptions) error) *cobra.Command {
	opts := &toolLintOptions{
		outputOptions: outputOptions{IO: f.IO}, toolsFactory: f.tools(),
		Open: func(ctx context.Context, name string) (sandbox.Backend, error) { return f.Sandbox(ctx, name) },
	}
	if run == nil {
		run = runToolLint
	}
	cmd := &cobra.Command{
		Use: "lint [PKG or DIR …]", Short: "Check tool packages against the contract and the rules of providers",
		Long: `Run the contract suite against packages, source or prebuilt: what a launcher
lists and describes, how it answers unknown commands and bad JSON, and whether
providers take its schemas. Without names all sources are checked. A source is
built in a temporary folder; the build in use is not touched. No command is run
with arguments that it accepts.`,
		Example: "  agentctl tool lint\n  agentctl tool lint data-fetch\n  agentctl tool lint ./tools/data-fetch --json",
		Annotations: map[string]string{exitCodes: `  0    no errors; there can be warnings
  1    failed
  2    wrong arguments, or there is no such package, or none at all
  3    there are lint errors
  125  no sandbox can be used
  130  interrupted`},
		ValidArgsFunction: eachOnce(orFolder(f.complete(f.sourceNames, brokenNames(f.toolSources), f.packageNames, f.folderNames))),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Names = args
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	opts.addSandboxFlag(cmd)
	return cmd
}

func runToolLint(ctx context.Context, o *toolLintOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	c := newFindings()
	if len(o.Names) == 0 {
		if err := o.all(ctx, c); err != nil {
			return err
		}
	}
	for _, name := range o.Names {
		found, err := o.lint(ctx, name)
		if broken, ok := as[*registry.BrokenError](err); ok {
			found, err = broken.Diagnostics, nil
		}
		if err := c.checked(name, found, err); err != nil {
			return err
		}
	}
	return c.print(o.outputOptions)
}

// checked adds what was found in a package; one that does not load has its findings
// in the error.
func (c *findings) checked(name string, found []diag.Diagnostic, err error) error {
	if strict, ok := as[*frontmatter.StrictError](err); ok {
		found, err = strict.Diagnostics, nil
	}
	c.files[name] = true
	c.add(found...)
	return err
}

// all checks each source package.
func (o *toolLintOptions) all(ctx context.Context, c *findings) error {
	l, err := o.Sources(ctx)
	if err != nil {
		return err
	}
	winners := l.Winners()
	if len(winners)+len(l.Broken) == 0 {
		return noToolSources("check", l.Looked)
	}
	c.add(l.Diagnostics...)
	for _, b := range l.Broken {
		c.files[b.Name] = true
	}
	for _, it := range winners {
		found, err := o.source(ctx, it.Value)
		if err := c.checked(it.Value.Name, found, err); err != nil {
			return fmt.Errorf("%s: %w", it.Value.Name, err)
		}
	}
	return nil
}

// lint checks the source of that name if there is one, else the prebuilt package.
func (o *toolLintOptions) lint(ctx context.Context, name string) ([]diag.Diagnostic, error) {
	cwd, err := o.Cwd()
	if err != nil {
		return nil, err
	}
	if dir, ok := toolDir(cwd, name); ok {
		if _, err := os.Lstat(filepath.Join(dir, "current")); err == nil {
			return o.prebuilt(ctx, dir)
		}
		src, err := readSourceDir(dir)
		if err != nil {
			return nil, err
		}
		return o.source(ctx, src)
	}
	l, err := o.Sources(ctx)
	if err != nil {
		return nil, err
	}
	res, err := l.Resolve(name)
	if _, missing := as[*registry.NotFoundError](err); missing {
		c, err := o.Catalog(ctx)
		if err != nil {
			return nil, err
		}
		p, err := c.Package(name)
		if err != nil {
			return nil, err
		}
		return o.prebuilt(ctx, p.Root)
	}
	if err != nil {
		return nil, err
	}
	return o.source(ctx, res.Winner.Value)
}

// source builds into a temporary folder and checks what comes out.
func (o *toolLintOptions) source(ctx context.Context, src *toolpkg.Source) ([]diag.Diagnostic, error) {
	p, err := o.Prebuilder(o.Sandbox)
	if err != nil {
		return nil, err
	}
	if p.Out, err = os.MkdirTemp("", "agentctl-lint-"); err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(p.Out) }()
	outcomes, err := p.Prebuild(ctx, []*toolpkg.Source{src})
	if err != nil {
		return nil, err
	}
	if err := outcomes[0].Err; err != nil {
		return buildFinding(src, outcomes[0].Diagnostics, err)
	}
	built, err := toolpkg.LoadPackage(filepath.Join(p.Out, src.Name))
	if err != nil {
		return nil, err
	}
	found, err := o.suite(ctx, built)
	return toolpkg.InSource(src.Dir, found), err
}

// buildFinding is a package that does not build, as a finding: findings that say
// so already are enough. What is wrong with the machine is an error.
func buildFinding(src *toolpkg.Source, found []diag.Diagnostic, err error) ([]diag.Diagnostic, error) {
	if diag.HasErrors(found) {
		return found, nil
	}
	d := diag.Diagnostic{File: src.Dir, Severity: diag.Error, Message: err.Error()}
	if bad, ok := errors.AsType[*toolpkg.BuildError](err); ok {
		d.Code = "tool.build"
		if file, line, column := bad.Position(src.Dir); file != "" {
			d.File, d.Line, d.Column = file, line, column
		}
	} else if _, ok := errors.AsType[*toolpkg.DescribeError](err); ok {
		d.Code = "contract.describe"
	}
	if d.Code == "" {
		return nil, err
	}
	return append(found, d), nil
}

// prebuilt checks a package that is built; root is its folder.
func (o *toolLintOptions) prebuilt(ctx context.Context, root string) ([]diag.Diagnostic, error) {
	p, err := toolpkg.LoadPackage(root)
	if err != nil {
		return []diag.Diagnostic{{File: root, Severity: diag.Error, Code: "tool.broken", Message: err.Error()}}, nil
	}
	if err := p.Damaged(); err != nil {
		return []diag.Diagnostic{{File: p.Dir, Severity: diag.Error, Code: "tool.broken", Message: err.Error()}}, nil
	}
	found, err := o.suite(ctx, p)
	return toolpkg.InSource(p.Dir, found), err
}

// suite is what the contract suite finds; its files are those of a package.
func (o *toolLintOptions) suite(ctx context.Context, p *toolpkg.Package) ([]diag.Diagnostic, error) {
	if err := p.Usable(); err != nil {
		return []diag.Diagnostic{{Severity: diag.Error, Code: "tool.unusable", Message: err.Error()}}, nil
	}
	b, err := o.Open(ctx, o.Sandbox)
	if err != nil {
		return nil, err
	}
	return toolpkg.CheckLauncher(ctx, toolpkg.SandboxLauncher(b.Run, p.Dir))
}
