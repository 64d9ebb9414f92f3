package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

const execName = "exec"

type execArgs struct {
	Argv []string `json:"argv" jsonschema:"minItems=1" jsonschema_description:"program, then one item for each argument"`
}

func (e *Env) exec() agent.Tool {
	return asking[execArgs]{
		tool: newTool(execName, "Run a program in the workspace, sandboxed, without network. No shell: for pipes use [\"sh\",\"-c\",\"…\"].", func(ctx context.Context, c agent.Call, args execArgs) (agent.Output, error) {
			if err := e.checkArgv(ctx, args.Argv); err != nil {
				return agent.Output{}, err
			}
			out, err := e.run(ctx, c, command{policy: e.policy(), argv: args.Argv})
			return e.withHint(ctx, out), err
		}),
		ask: func(ctx context.Context, args execArgs) (agent.ApprovalRequest, error) {
			if err := e.checkArgv(ctx, args.Argv); err != nil {
				return agent.ApprovalRequest{}, err
			}
			key := execName + ":" + args.Argv[0]
			summary, detail := shown("run ", shellLine(args.Argv))
			return agent.ApprovalRequest{
				Key: key, Covers: fmt.Sprintf(`every "%s …"`, shellLine(args.Argv[:1])), Names: []string{execName, key}, Ask: true,
				Summary: summary, Detail: detail + e.reach(sandbox.WorkspaceRW, false),
			}, nil
		},
	}
}

// policy is the default of everything that runs here.
func (e *Env) policy() sandbox.Policy { return sandbox.WorkspacePolicy(e.workspace()) }

// checkArgv refuses what is no program, with the call that is meant.
func (e *Env) checkArgv(ctx context.Context, argv []string) error {
	if len(argv) == 0 || strings.TrimSpace(argv[0]) == "" {
		return refuse(`argv is empty. Call exec(argv=["ls", "-l"]) for example.`)
	}
	if len(argv) == 1 && strings.ContainsAny(argv[0], " \t\n") && !isFile(argv[0]) {
		return refuse("argv is one string. Give each argument as an item: exec(argv=%s).", splitLine(argv[0]))
	}
	for _, program := range programs(argv) {
		if err := e.redirect(ctx, program); err != nil {
			return err
		}
	}
	return nil
}

// splitLine writes a command line as argv, through a shell if it needs one.
func splitLine(line string) string {
	argv := strings.Fields(line)
	if strings.ContainsAny(line, "|&;<>()$`\\\"'*?[]{}~\n") {
		argv = []string{"sh", "-c", line}
	}
	return quoteList(argv)
}

func quoteList(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = fmt.Sprintf("%q", item)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

var shells = []string{"sh", "bash", "dash", "zsh", "ash"}

// programs are the names that a command runs first: its program, and with
// sh -c the first word of the line.
func programs(argv []string) []string {
	names := []string{argv[0]}
	if !slices.Contains(shells, filepath.Base(argv[0])) {
		return names
	}
	for i, arg := range argv[1:] {
		if strings.HasPrefix(arg, "-") && strings.HasSuffix(arg, "c") && i+2 < len(argv) {
			if words := strings.Fields(argv[i+2]); len(words) > 0 {
				names = append(names, words[0])
			}
			break
		}
	}
	return names
}

// redirect says what to call instead of a program that is none: the name of a
// tool or of a skill. A real program of that name is run.
func (e *Env) redirect(ctx context.Context, program string) error {
	if isProgram(program) {
		return nil
	}
	if functions := e.functionsOf(program); len(functions) > 0 {
		return refuse("%s is a tool of this chat, not a program. Call the function %s.", program, strings.Join(functions, " or "))
	}
	if name, err := e.skillNamed(ctx, program); err != nil || name != "" {
		if err != nil {
			return err
		}
		return refuse("%s is a skill, not a program. Call %s and follow it.", program, call(readSkillName, "name", name))
	}
	return nil
}

// notFound is how shells report a program that does not exist.
var notFound = regexp.MustCompile(`([^\s:]+): (?:command )?not found`)

// withHint says what to call instead where a shell did not find a tool or a skill.
func (e *Env) withHint(ctx context.Context, out agent.Output) agent.Output {
	if !out.Failed {
		return out
	}
	for _, m := range notFound.FindAllStringSubmatch(out.Text, maxHints) {
		if bad, ok := errors.AsType[*agent.ModelError](e.redirect(ctx, m[1])); ok {
			out.Text += "hint: " + strings.TrimPrefix(bad.Text, "error: ") + "\n"
			return out
		}
	}
	return out
}

// maxHints is how many names in an output are looked at.
const maxHints = 5

// skillNamed returns the name of the skill that answers to name, "" for none.
func (e *Env) skillNamed(ctx context.Context, name string) (string, error) {
	if e.Skills == nil {
		return "", nil
	}
	view, err := e.Skills(ctx)
	if err != nil {
		return "", err
	}
	res, err := view.Resolve(name)
	if err != nil {
		return "", nil //nolint:nilerr // no skill is an answer
	}
	return res.Winner.Name, nil
}

// systemPath are the folders of programs inside every sandbox.
var systemPath = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}

// isProgram tells whether a name is a path, or a program of the system.
func isProgram(name string) bool {
	if strings.ContainsRune(name, '/') {
		return true
	}
	return slices.ContainsFunc(systemPath, func(dir string) bool { return isFile(filepath.Join(dir, name)) })
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// command is what run runs.
type command struct {
	policy sandbox.Policy
	argv   []string
	stdin  string
	// artifacts gives the command a folder of its own for files that it makes.
	artifacts bool
}

// run runs a command and tells the model how it ended. The error is a fault of
// the sandbox.
func (e *Env) run(ctx context.Context, c agent.Call, cmd command) (agent.Output, error) {
	if e.Backend == nil {
		return agent.Output{}, refuse("programs cannot be run in this chat. Go on without.")
	}
	backend, err := e.Backend(ctx)
	if err != nil {
		return agent.Output{}, err
	}
	dir, own := e.newCallDir(), ""
	defer dir.close()
	if cmd.artifacts {
		own = dir.forCommand()
		cmd.give(own)
	}
	out := newStreams(c, dir)
	res, err := backend.Run(ctx, cmd.policy, sandbox.Command{
		Args: cmd.argv, Stdin: strings.NewReader(cmd.stdin), Stdout: out.stdout, Stderr: out.stderr,
	})
	answer := out.output(res, dir.collect(own)) // also closes its files
	if err != nil {
		return agent.Output{}, notRun(err)
	}
	answer.Same = e.same(answer.Text)
	return answer, ctx.Err()
}

// give lets the command write into a folder for artifacts, as tool packages may.
func (c *command) give(dir string) {
	c.policy.Env = map[string]string{"AGENTCTL_CONTRACT": fmt.Sprint(toolpkg.ContractVersion)}
	if dir != "" {
		c.policy.Env["AGENTCTL_OUTPUT_DIR"] = dir
		c.policy.ReadWrite = append(c.policy.ReadWrite, sandbox.Mount{Host: dir})
	}
}

// notRun is the answer to a program that could not be started; faults of the
// sandbox stay errors.
func notRun(err error) error {
	if nf, ok := errors.AsType[*sandbox.NotFoundError](err); ok {
		return refuse("there is no program %q in the sandbox. Use another program, or tell the user that it is missing.", nf.Program)
	}
	if ne, ok := errors.AsType[*sandbox.NotExecutableError](err); ok {
		return refuse("%q cannot be executed: %s. Run it by its interpreter, such as [\"python3\", …] or [\"sh\", …].", ne.Program, ne.Reason)
	}
	if pe, ok := errors.AsType[*sandbox.PolicyError](err); ok {
		return refuse("the sandbox refuses this: %s %s. Tell the user: %s.", pe.Path, pe.Reason, pe.Cure)
	}
	return err
}
