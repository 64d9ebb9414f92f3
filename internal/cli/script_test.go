package cli

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite expected output in scripts and golden files")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"agentctl": func() { os.Exit(Main()) },
	})
}

// TestScript runs testdata/script: the contract of the program, seen from
// outside. Each script has its own home folder, so it neither sees nor changes
// the user's configuration. The work folder is the workspace.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup:               setupScript,
		Cmds:                scriptCommands,
		Condition:           scriptCondition,
	})
}

// setupScript gives a script a home folder of its own and the fixed PATH.
func setupScript(env *testscript.Env) error {
	env.Values[serverKey{}] = map[any]any{}
	// Beside the work folder: a workspace above the home folder is none.
	home := env.WorkDir + "-home"
	for name, dir := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"),
		"XDG_STATE_HOME": filepath.Join(home, ".state"), "XDG_CACHE_HOME": filepath.Join(home, ".cache"),
	} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		env.Setenv(name, dir)
	}
	repo, err := filepath.Abs(filepath.Join("..", ".."))
	env.Setenv("REPO", repo)
	for name, value := range goFolders() {
		env.Setenv(name, value)
	}
	for name, value := range uvPlaces() {
		env.Setenv(name, value)
	}
	return err
}

// goFolders are Go's caches of the user, so that scripts that build Go packages
// neither download nor compile everything anew.
var goFolders = sync.OnceValue(func() map[string]string {
	folders := map[string]string{}
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		out, err := exec.Command("go", "env", name).Output()
		if err == nil {
			folders[name] = strings.TrimSpace(string(out))
		}
	}
	return folders
})
