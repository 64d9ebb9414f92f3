package cli

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestCookbook runs the recipes of docs/cookbook.md: the blocks of the page, in
// the workspaces of testdata/cookbook. There `recipe N` runs recipe N with sh -eu
// and compares what it prints with the page; model.yaml, if there, is the model.
func TestCookbook(t *testing.T) {
	recipes := readRecipes(t)
	if got := slices.Sorted(maps.Keys(recipes)); len(got) < 10 || got[len(got)-1] != len(got) {
		t.Errorf("the recipes of the page are %v, want 1 to 10 or more", got)
	}
	dir := filepath.Join("testdata", "cookbook")
	for n := range recipes {
		if files, _ := filepath.Glob(filepath.Join(dir, strconv.Itoa(100 + n)[1:]+"_*.txtar")); len(files) != 1 {
			t.Errorf("recipe %d has %d scripts in %s", n, len(files), dir)
		}
	}
	commands := maps.Clone(scriptCommands)
	commands["recipe"] = func(ts *testscript.TestScript, neg bool, args []string) { runRecipe(ts, recipes, neg, args) }
	testscript.Run(t, testscript.Params{
		Dir: dir, RequireExplicitExec: true, RequireUniqueNames: true, Cmds: commands, Condition: scriptCondition,
		Setup: func(env *testscript.Env) error {
			env.Setenv("AGENTCTL_MODEL", "scripted:"+filepath.Join(env.WorkDir, "model.yaml"))
			return setupScript(env)
		},
	})
}

// block is something that a reader types, and what it prints if the page says so.
type block struct {
	code, want string
	prints     bool
}

var fence = regexp.MustCompile("(?ms)^```(sh|text)\n(.*?)^```$")

// readRecipes returns the blocks of each numbered heading of the page.
func readRecipes(t *testing.T) map[int][]block {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "cookbook.md"))
	if err != nil {
		t.Fatal(err)
	}
	recipes := map[int][]block{}
	for _, section := range strings.Split(string(page), "\n### ")[1:] {
		number, _, _ := strings.Cut(section, ".")
		n, err := strconv.Atoi(number)
		if err != nil || recipes[n] != nil {
			t.Fatalf("the heading %.40q has no number of its own", section)
		}
		for _, m := range fence.FindAllStringSubmatch(section, -1) {
			if m[1] == "sh" {
				recipes[n] = append(recipes[n], block{code: m[2]})
				continue
			}
			last := &recipes[n][len(recipes[n])-1]
			last.want, last.prints = m[2], true
		}
		if recipes[n] == nil {
			t.Errorf("recipe %d has no block", n)
		}
	}
	return recipes
}

var digest = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

// runRecipe is the command recipe of the scripts: [!] recipe N.
func runRecipe(ts *testscript.TestScript, recipes map[int][]block, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] recipe N")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	for _, b := range recipes[n] {
		err := ts.Exec("sh", "-euc", b.code)
		if neg && err != nil {
			return
		}
		if err != nil {
			ts.Fatalf("recipe %d: %v", n, err)
		}
		if got := digest.ReplaceAllString(ts.ReadFile("stdout"), "DIGEST"); b.prints && got != b.want {
			ts.Fatalf("recipe %d prints\n%s\nand the page says\n%s", n, got, b.want)
		}
	}
	if neg || recipes[n] == nil {
		ts.Fatalf("recipe %d: unexpected success, or there is no such recipe", n)
	}
}
