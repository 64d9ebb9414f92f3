package toolpkg

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

// openSandbox opens the machine's sandbox once for all tests.
var openSandbox = sync.OnceValues(func() (sandbox.Backend, error) {
	return sandbox.Open(context.Background(), sandbox.Options{})
})

// sandboxRun is the real sandbox. A machine without one skips, which fails
// where AGENTCTL_TEST_NO_SKIP=1.
func sandboxRun(t *testing.T) sandbox.RunFunc {
	t.Helper()
	b, err := openSandbox()
	if err != nil {
		skip(t, "no sandbox on this machine: "+err.Error())
	}
	return b.Run
}

func skip(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("AGENTCTL_TEST_NO_SKIP") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// tempDir is a folder by its real path, so that paths in results compare equal.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// writeTree writes files below dir; a name that ends in * is executable.
func writeTree(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		mode := os.FileMode(0o644)
		if short, ok := strings.CutSuffix(name, "*"); ok {
			name, mode = short, 0o755
		}
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// shellTool is a package whose commands show what a call gets.
const shellTool = `#!/bin/sh
. "$(dirname "$0")/lib.sh"
schema='{"type":"object","additionalProperties":false,"required":["text"],"properties":{"text":{"type":"string","description":"What to do."},"count":{"type":"integer","description":"How often."}}}'
case "$1" in
'') echo '[{"name":"echo-text","description":"Do something."}]'; exit ;;
echo-text) ;;
*) echo "unknown command $1" >&2; exit 2 ;;
esac
case $# in 1) printf '{"name":"echo-text","description":"Do something.","params_json_schema":%s}\n' "$schema"; exit ;; esac
args=$2
[ "$args" = - ] && args=$(cat)
case "$args" in '{'*'}') ;; *) echo "not an object" >&2; exit 2 ;; esac
run "$args"
`

// shellLib has what its one command does, by a word in its arguments.
const shellLib = `run() {
case "$1" in
*:pwd*) pwd ;;
*:env*) echo "contract=$AGENTCTL_CONTRACT out=$AGENTCTL_OUTPUT_DIR token=$API_TOKEN host=$HOST_ONLY" ;;
*:artifact*) echo plot > "$AGENTCTL_OUTPUT_DIR/plot.txt"; ln -s /etc/passwd "$AGENTCTL_OUTPUT_DIR/link" ;;
*:write*) echo new > out.txt && echo wrote ;;
*:bad*) echo "text: no such thing" >&2; echo 'agentctl-error: {"kind":"invalid_arguments","message":"no such thing","field":"text"}' >&2; exit 2 ;;
*:two*) echo "usage" >&2; exit 2 ;;
*:read:*) file=${1#*:read:}; cat "${file%%:*}" || exit 1 ;;
*:config*) echo "no key" >&2; exit 3 ;;
*:later*) exit 4 ;;
*:fail*) echo "broken" >&2; exit 1 ;;
*:kill*) kill -9 $$ ;;
*:sleep*) sleep 30 ;;
*:flood*) head -c 400000 /dev/zero | tr '\0' x; echo END ;;
*:long*) head -c 40000 /dev/zero | tr '\0' y; echo END ;;
*:size*) printf '%s' "$1" | wc -c ;;
*) printf '%s\n' "$1" ;;
esac
}
`

const shellManifest = "---\nversion: 1.2.3\ndescription: A test package.\ntimeout: 5s\nenv:\n" +
	"  - {name: API_TOKEN, required: true, secret: true, description: Key of the service.}\n---\nBody.\n"

// shellSource writes the package echo below dir and returns its source.
func shellSource(t *testing.T, dir string) *Source {
	t.Helper()
	root := filepath.Join(dir, "echo")
	writeTree(t, root, map[string]string{"launch*": shellTool, "lib.sh": shellLib, ManifestName: shellManifest})
	src, err := ReadSource(root)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func prebuilder(t *testing.T, out string) *Prebuilder {
	t.Helper()
	return &Prebuilder{
		Out: out, Getenv: os.Getenv,
		Sandbox: func(context.Context) (sandbox.RunFunc, error) { return sandboxRun(t), nil },
	}
}

// build prebuilds sources and fails the test unless all succeed.
func build(t *testing.T, out string, sources ...*Source) []Outcome {
	t.Helper()
	outcomes, err := prebuilder(t, out).Prebuild(t.Context(), sources)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		if o.Err != nil {
			t.Fatalf("%s: %v", o.Name, o.Err)
		}
	}
	return outcomes
}

// frozen writes a prebuilt package as prebuild leaves it, without building.
func frozen(t *testing.T, out, name string, commands ...Command) {
	t.Helper()
	digest := strings.Repeat("a", 64)
	dir := filepath.Join(out, name, digest)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	src := &Source{Name: name, Manifest: defaultManifest()}
	if err := freeze(dir, newMeta(src, ExecBuilder{}, Runtime{Portable: true}), commands, Stamp{}); err != nil {
		t.Fatal(err)
	}
	writeTree(t, dir, map[string]string{"launch*": "#!/bin/sh\n"})
	writeTree(t, filepath.Join(out, name), map[string]string{currentName: digest + "\n"})
}

func cmd(name string) Command {
	return Command{Name: name, Description: "Does " + name + ".", Params: []byte(`{"type":"object","properties":{}}`)}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

var errNoSandbox = errors.New("no sandbox")
