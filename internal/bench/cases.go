package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/agenttest"
	"github.com/agentctl/agentctl/pkg/agent/model/scripted"
)

// benchCase is one question about speed.
type benchCase struct {
	name    string
	measure func(*bench, context.Context) error
}

var cases = []benchCase{
	{"startup", (*bench).startup},
	{"list", (*bench).list},
	{"lint", (*bench).lint},
	{"chat", (*bench).chat},
	{"pieces", (*bench).pieces},
	{"prebuild", (*bench).prebuild},
	{"invoke", (*bench).invoke},
	{"sandbox", (*bench).sandbox},
	{"memory", (*bench).memory},
}

// startup compares a command that does nothing with a program that does nothing.
func (b *bench) startup(ctx context.Context) error {
	empty, err := b.emptyProgram(ctx)
	if err != nil {
		return err
	}
	got, err := measure(ctx, b.runs, subject{name: "empty", argv: []string{empty}}, b.agentctl("version", b.tmp, "version"))
	if err != nil {
		return err
	}
	b.row("startup", "empty Go program", got[0], ratios{})
	b.row("startup", "agentctl version", got[1], to(got[1], got[0], "this to the empty program"))
	return nil
}

// list shows what finding skills costs and that it grows in step with their number.
func (b *bench) list(ctx context.Context) error {
	few, many := filepath.Join(b.tmp, "skills-100"), filepath.Join(b.tmp, "skills-10000")
	if err := writeSkills(few, 100); err != nil {
		return err
	}
	if err := writeSkills(many, 10_000); err != nil {
		return err
	}
	got, err := measure(ctx, b.runs, b.agentctl("version", few, "version"),
		b.agentctl("100", few, "skill", "list"), b.agentctl("10,000", many, "skill", "list"))
	if err != nil {
		return err
	}
	hundred, rest := less(got[1], got[0]), less(got[2], got[0])
	hundredfold := sample{wall: 100 * hundred.wall, cpu: 100 * hundred.cpu}
	b.row("list", "agentctl version", got[0], ratios{})
	b.row("list", "100 skills", got[1], to(got[1], got[0], "this to version"))
	b.row("list", "10,000 skills", got[2], to(rest, hundredfold, "this to 100 times the cost of 100, both beyond version"))
	return nil
}

// lint checks a thousand skills.
func (b *bench) lint(ctx context.Context) error {
	dir := filepath.Join(b.tmp, "skills-1000")
	if err := writeSkills(dir, 1000); err != nil {
		return err
	}
	got, err := measure(ctx, min(b.runs, 5), b.agentctl("version", dir, "version"), b.agentctl("lint", dir, "skill", "lint"))
	if err != nil {
		return err
	}
	b.row("lint", "1,000 skills", got[1], to(got[1], got[0], "this to version"))
	return nil
}

// chat is a whole one-shot chat with one tool call, against a server on this
// machine that answers at once.
func (b *bench) chat(ctx context.Context) error {
	dir := filepath.Join(b.tmp, "chat")
	if err := writeSkills(dir, 10); err != nil {
		return err
	}
	server, chat, err := b.served(ctx, "chat", dir, chatScript)
	if err != nil {
		return err
	}
	defer server.Close()
	got, err := measure(ctx, b.runs, b.agentctl("version", dir, "version"), chat)
	if err != nil {
		return err
	}
	b.row("chat", "one tool call", got[1], to(got[1], got[0], "this to version"))
	b.note("chat", fmt.Sprintf("%.1f", float64(len(server.Requests()))/float64(b.runs+1)), "requests a run")
	return nil
}

// served is a chat with a server that answers by a script.
func (b *bench) served(ctx context.Context, name, dir, text string) (*agenttest.Server, subject, error) {
	script, err := scripted.Load(name+".yaml", []byte(text))
	if err != nil {
		return nil, subject{}, err
	}
	server, err := agenttest.Start(ctx, script)
	if err != nil {
		return nil, subject{}, err
	}
	chat := b.agentctl(name, dir, "chat", "--model", "bench", "--trust-workspace", "--no-session", "-p", "what is in this folder?")
	chat.env = append(chat.env, "AGENTCTL_BASE_URL="+server.BaseURL, "AGENTCTL_API_KEY=none")
	return server, chat, nil
}

// pieces shows that an answer costs in step with the number of pieces in which it
// comes: a thought and a text before a call, which the next request has to tell.
func (b *bench) pieces(ctx context.Context) error {
	dir := filepath.Join(b.tmp, "pieces")
	if err := writeSkills(dir, 1); err != nil {
		return err
	}
	const few, many = 2_000, 20_000
	subjects := []subject{b.agentctl("version", dir, "version")}
	for _, n := range []int{few, many} {
		server, chat, err := b.served(ctx, "pieces", dir, piecesScript(n))
		if err != nil {
			return err
		}
		defer server.Close()
		subjects = append(subjects, chat)
	}
	got, err := measure(ctx, min(b.runs, 5), subjects...)
	if err != nil {
		return err
	}
	some, rest := less(got[1], got[0]), less(got[2], got[0])
	tenfold := sample{wall: many / few * some.wall, cpu: many / few * some.cpu}
	b.row("pieces", "an answer in 2,000 pieces", got[1], to(got[1], got[0], "this to version"))
	b.row("pieces", "an answer in 20,000 pieces", got[2], to(rest, tenfold, "this to 10 times the cost of 2,000, both beyond version"))
	return nil
}

// prebuild has nothing to do; what it cannot save is hashing the sources.
func (b *bench) prebuild(ctx context.Context) error {
	dir := filepath.Join(b.tmp, "prebuild")
	source := filepath.Join(dir, "tools", "bench-tool")
	if err := writeTool(source); err != nil {
		return err
	}
	if out, err := b.agentctl("prebuild", dir, "tool", "prebuild").output(ctx); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	got, err := measure(ctx, b.runs, b.agentctl("version", dir, "version"), b.agentctl("prebuild", dir, "tool", "prebuild"))
	if err != nil {
		return err
	}
	took, err := hashTree(source, b.runs)
	if err != nil {
		return err
	}
	hashing := sample{wall: took, cpu: took}
	b.row("prebuild", "hashing the sources", hashing, ratios{})
	b.row("prebuild", "nothing to do", got[1], to(less(got[1], got[0]), hashing, "this beyond version to hashing"))
	return nil
}

// invoke compares a call by agentctl with the launcher called by hand; describe
// and list read frozen files and start nothing.
func (b *bench) invoke(ctx context.Context) error {
	dir := filepath.Join(b.tmp, "invoke")
	if err := writeTool(filepath.Join(dir, "tools", "bench-tool")); err != nil {
		return err
	}
	if out, err := b.agentctl("prebuild", dir, "tool", "prebuild").output(ctx); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	launch, err := filepath.Glob(filepath.Join(dir, ".agentctl", "prebuilt", "bench-tool", "*", "launch"))
	if err != nil || len(launch) != 1 {
		return fmt.Errorf("one launcher is wanted, got %q, %w", launch, err)
	}
	got, err := measure(ctx, b.runs,
		b.agentctl("version", dir, "version"),
		subject{name: "launcher", argv: []string{launch[0], "hello", "{}"}},
		b.agentctl("invoke", dir, "tool", "invoke", "bench-tool:hello", "{}"),
		b.agentctl("describe", dir, "tool", "describe", "bench-tool"),
		b.agentctl("list", dir, "tool", "list"))
	if err != nil {
		return err
	}
	b.row("invoke", "launcher by hand", got[1], ratios{})
	b.row("invoke", "tool invoke", got[2], to(less(got[2], got[0]), got[1], "this beyond version to the launcher"))
	b.row("invoke", "tool describe", got[3], to(got[3], got[0], "this to version"))
	b.row("invoke", "tool list", got[4], to(got[4], got[0], "this to version"))
	return nil
}

// sandbox is what confinement adds to a program that does nothing.
func (b *bench) sandbox(ctx context.Context) error {
	// The system's own where there is one, as in BenchmarkSpawn. Ask it where it is:
	// what PATH has may be a shim, which costs more than it.
	name := "python3"
	if _, err := os.Stat("/usr/bin/python3"); err == nil {
		name = "/usr/bin/python3"
	}
	where := subject{argv: []string{name, "-c", "import sys; print(sys.executable)"}}
	python, err := where.output(ctx)
	if err != nil {
		return err
	}
	subjects := []subject{
		{name: "true", argv: []string{"true"}},
		{name: "python", argv: []string{strings.TrimSpace(string(python)), "-c", "pass"}},
		b.agentctl("version", b.tmp, "version"),
	}
	backends := []string{"none", "native", "bwrap"}
	for _, backend := range backends {
		subjects = append(subjects, b.agentctl(backend, b.tmp, "sandbox", "run", "--sandbox", backend, "--", "true"))
	}
	got, err := measure(ctx, b.runs, subjects...)
	if err != nil {
		return err
	}
	b.row("sandbox", "true", got[0], ratios{})
	b.row("sandbox", "python3 -c pass", got[1], to(got[1], got[0], "this to plain true"))
	for i, backend := range backends {
		b.row("sandbox", backend, got[3+i], to(less(got[3+i], got[2]), got[1], "this beyond version to python3 -c pass"))
	}
	return nil
}

// memory reads a gigabyte from a tool.
func (b *bench) memory(ctx context.Context) error {
	const size = "1073741824"
	got, err := measure(ctx, 1,
		b.agentctl("small", b.tmp, "sandbox", "run", "--json", "--", "head", "-c", "1", "/dev/zero"),
		b.agentctl("large", b.tmp, "sandbox", "run", "--json", "--", "head", "-c", size, "/dev/zero"))
	if err != nil {
		return err
	}
	b.row("memory", "1 byte of output", got[0], ratios{})
	b.row("memory", "1 GiB of output", got[1], ratios{})
	b.note("memory", quotient(time.Duration(got[1].rss), time.Duration(got[0].rss)), fmt.Sprintf("resident size, %d to %d MiB", got[1].rss>>20, got[0].rss>>20))
	return nil
}
