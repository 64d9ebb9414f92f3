package toolpkg

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testCatalog has alpha (run, a.b, only-a), beta (run), ported (new, behind a
// foreign one), a broken and a foreign package, and the sources gamma and alpha.
func testCatalog(t *testing.T) *Catalog {
	t.Helper()
	ws := tempDir(t)
	out, second := filepath.Join(ws, "prebuilt"), filepath.Join(ws, "more")
	frozen(t, out, "alpha", cmd("run"), cmd("a.b"), cmd("only-a"))
	frozen(t, out, "beta", cmd("run"))
	frozen(t, second, "beta", cmd("hidden"))
	writeTree(t, filepath.Join(out, "broken"), map[string]string{currentName: "nonsense\n"})
	frozen(t, out, "foreign", cmd("run"))
	frozen(t, out, "ported", cmd("old"))
	frozen(t, second, "ported", cmd("new"))
	for _, name := range []string{"foreign", "ported"} {
		meta := filepath.Join(out, name, strings.Repeat("a", 64), metaName)
		text, err := os.ReadFile(meta)
		if err != nil {
			t.Fatal(err)
		}
		writeTree(t, filepath.Dir(meta), map[string]string{metaName: strings.Replace(string(text), Platform(), "plan9/mips", 1)})
	}
	writeTree(t, filepath.Join(ws, "tools"), map[string]string{"gamma/launch*": "#!/bin/sh\n", "alpha/launch*": "#!/bin/sh\n"})
	sources, err := LoadSources(t.Context(), SourceRoots(ws, nil))
	if err != nil {
		t.Fatal(err)
	}
	c, err := LoadCatalog(t.Context(), []string{out, second}, sources)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	c := testCatalog(t)
	var names []string
	for _, p := range c.Packages {
		for _, command := range p.Commands {
			names = append(names, p.Name+":"+command.Name)
		}
	}
	if got, want := strings.Join(names, " "), "alpha:a.b alpha:only-a alpha:run beta:run ported:new"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if strings.Join(c.Unbuilt, " ") != "gamma" || len(c.Broken) != 2 || len(c.Diagnostics) != 4 || c.Diagnostics[0].Fix != "agentctl tool prebuild --force broken" {
		t.Errorf("unbuilt %v, broken %v, diagnostics %v", c.Unbuilt, c.Broken, c.Diagnostics)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	c := testCatalog(t)
	tests := []struct{ in, want, wantErr string }{
		{"alpha:run", "alpha:run", ""},
		{"alpha:a_b", "alpha:a.b", ""},
		{"only_a", "alpha:only-a", ""},
		{"only-a", "alpha:only-a", ""},
		{"run", "", `command "run" belongs to several packages; say which: alpha:run, beta:run`},
		{"gamma:run", "", `tool package "gamma" is not built`},
		{"foreign:run", "", `prebuilt tool package "foreign" cannot be used: it was built for plan9/mips`},
		{"ported:new", "ported:new", ""},
		{"broken:run", "", `prebuilt tool package "broken" cannot be used: file current holds "nonsense"`},
		{"alfa:run", "", `tool package "alfa" not found`},
		{"beta:rn", "", `command "beta:rn" not found`},
		{"only", "", `tool "only" not found`},
	}
	for _, tt := range tests {
		p, command, err := c.Find(tt.in)
		if !strings.HasPrefix(errText(err), tt.wantErr) || (err == nil) != (tt.wantErr == "") {
			t.Errorf("%s: got %v, want %s", tt.in, err, tt.wantErr)
		}
		if err == nil && p.Name+":"+command.Name != tt.want {
			t.Errorf("%s: got %s:%s", tt.in, p.Name, command.Name)
		}
	}
	_, _, err := c.Find("onlya")
	nf, ok := errors.AsType[*NotFoundError](err)
	if !ok || !strings.Contains(strings.Join(nf.Nearest, " "), "alpha:only-a") || len(nf.Available) != 5 || len(nf.Looked) != 2 {
		t.Errorf("got %+v", nf)
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	c := testCatalog(t)
	tests := []struct {
		name    string
		in      Selection
		want    string
		wantErr string
	}{
		{"nothing", Selection{}, "", ""},
		{"a package", Selection{Selectors: []string{"alpha"}}, "a_b only_a run", ""},
		{"a command, twice and in both spellings", Selection{Selectors: []string{"alpha:a.b", "alpha:a_b"}}, "a_b", ""},
		{"all with an alias", Selection{Selectors: []string{"*"}, Aliases: map[string]string{"beta-run": "beta:run"}}, "a_b only_a run beta_run new", ""},
		{"all", Selection{Selectors: []string{"*"}}, "", `two tools are called "run": alpha:run and beta:run`},
		{"a built-in", Selection{Selectors: []string{"beta"}, Reserved: []string{"run"}}, "", `two tools are called "run": built-in run and beta:run`},
		{"an alias onto a taken name", Selection{Selectors: []string{"alpha"}, Aliases: map[string]string{"run": "alpha:only-a"}}, "", `two tools are called "run"`},
		{"an unknown package", Selection{Selectors: []string{"delta", "alfa"}}, "", `tool package "delta" not found` + "\n" + `tool package "alfa" not found`},
		{"an unknown command", Selection{Selectors: []string{"alpha:no"}}, "", `command "alpha:no" not found`},
		{"one that is not built", Selection{Selectors: []string{"gamma"}}, "", `tool package "gamma" is not built`},
		{"an alias for nothing", Selection{Aliases: map[string]string{"x": "alpha:no"}}, "", `command "alpha:no" not found`},
		{"an alias without a package", Selection{Aliases: map[string]string{"x": "run"}}, "", `argument "run" in aliases wants the form pkg:cmd`},
		{"an alias that is no name", Selection{Aliases: map[string]string{"X Y": "alpha:run"}}, "", `argument "X Y" as an alias is no function name`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fns, err := c.Select(tt.in)
			if errText(err) != tt.wantErr && (tt.wantErr == "" || !strings.HasPrefix(errText(err), tt.wantErr)) {
				t.Fatalf("got %v, want %s", err, tt.wantErr)
			}
			var names []string
			for _, f := range fns {
				names = append(names, f.Name)
			}
			if got := strings.Join(names, " "); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestTheFixOfACollisionWorks(t *testing.T) {
	t.Parallel()
	c := testCatalog(t)
	_, err := c.Select(Selection{Selectors: []string{"*"}})
	collision, ok := errors.AsType[*CollisionError](err)
	if !ok || collision.Fix() != `aliases: {beta_run: "beta:run"}` {
		t.Fatalf("got %v", err)
	}
	if _, err := c.Select(Selection{Selectors: []string{"*"}, Aliases: map[string]string{collision.Alias: collision.Second}}); err != nil {
		t.Errorf("the fix gives %v", err)
	}
}

func TestLoadPackageRefuses(t *testing.T) {
	t.Parallel()
	digest := strings.Repeat("a", 64)
	tests := []struct {
		name, remove string
		write        map[string]string
		want         string
	}{
		{name: "no meta", remove: metaName, want: "its agentctl-package.json cannot be read"},
		{name: "bad meta", write: map[string]string{metaName: "{"}, want: "its agentctl-package.json is no valid JSON"},
		{name: "a newer format", write: map[string]string{metaName: `{"format":9}`}, want: "it was made by another version of agentctl (format 9, contract 0)"},
		{name: "another name", write: map[string]string{metaName: `{"format":1,"contract":1,"name":"other"}`}, want: `it calls itself "other"`},
		{name: "no commands", write: map[string]string{commandsName: "[]"}, want: "commands.json lists no command"},
		{name: "a path as a command", write: map[string]string{commandsName: `[{"name":"../../x"}]`}, want: `command "../../x" cannot be a function name`},
		{name: "no schema", remove: "schemas/run.json", want: "its run.json cannot be read"},
		{name: "no launch", remove: launchName, want: "its launch is missing"},
		{name: "no folder", remove: ".", want: "cannot be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := tempDir(t)
			frozen(t, out, "pkg", cmd("run"))
			dir := filepath.Join(out, "pkg", digest)
			writeTree(t, dir, tt.write)
			if tt.remove != "" {
				if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(tt.remove))); err != nil {
					t.Fatal(err)
				}
			}
			_, err := LoadPackage(filepath.Join(out, "pkg"))
			if _, ok := errors.AsType[*BrokenError](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestSchemaOfABrokenCommand(t *testing.T) {
	t.Parallel()
	out := tempDir(t)
	frozen(t, out, "pkg", Command{Name: "run", Params: []byte(`{"type":"nonsense"}`)})
	p, err := LoadPackage(filepath.Join(out, "pkg"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Schema(p.Commands[0]); err == nil || !strings.Contains(err.Error(), "schema of run: invalid schema") {
		t.Errorf("got %v", err)
	}
}

func TestFunctionName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"data-fetch": "data_fetch", "a.b": "a_b", "_x1": "_x1", "1x": "", "Data": "", "": "", strings.Repeat("a", 65): "", "ü": "",
	} {
		got, ok := FunctionName(in)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q: got %q, %v", in, got, ok)
		}
	}
}

func FuzzLoadPackage(f *testing.F) {
	f.Add(`{"format":1,"contract":1,"name":"pkg"}`, `[{"name":"run"}]`, `{"type":"object"}`)
	f.Add(`{}`, `[]`, `true`)
	f.Add(`{"format":1,"contract":1,"name":"pkg","timeout":"-5s","platform":"any"}`, `[{"name":"run"},{"name":"r.n"}]`, `{"$ref":"#"}`)
	f.Fuzz(func(t *testing.T, meta, commands, params string) {
		root := filepath.Join(t.TempDir(), "pkg")
		digest := strings.Repeat("b", 64)
		writeTree(t, root, map[string]string{
			currentName: digest, digest + "/" + metaName: meta, digest + "/" + commandsName: commands,
			digest + "/schemas/run.json": params, digest + "/launch*": "#!/bin/sh\n",
		})
		p, err := LoadPackage(root)
		if err != nil {
			return
		}
		if p.timeout() <= 0 {
			t.Errorf("timeout %v", p.timeout())
		}
		for _, c := range p.Commands {
			if s, err := p.Schema(c); err == nil {
				_, _ = s.Arguments([]byte(`{"a":1}`))
			}
		}
		DescribeText(p, functions(p))
	})
}
