package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// fakeEngine is a docker whose containers are plain shells: it records what it
// is told and answers as the real one does.
const fakeEngine = `#!/bin/sh
dir=$(dirname "$0")
echo "$@" >> "$dir/calls"
case $1 in
info) test -e "$dir/down" && { echo "Cannot connect to the daemon" >&2; exit 1; }; exit 0 ;;
create) printf '%s\n' "$@" > "$dir/args"; env > "$dir/env"; test -e "$dir/no-image" && { echo "pull access denied" >&2; exit 125; }; echo the-id ;;
start) sh "$dir/program" & echo $! > "$dir/pid"; wait $!; code=$?; echo $code > "$dir/code"; exit $code ;;
inspect) test -e "$dir/state" && { cat "$dir/state"; exit; }
	printf '{"ExitCode":%s,"OOMKilled":false,"Error":"","StartedAt":"2026-01-01T00:00:00Z"}' "$(cat "$dir/code" 2>/dev/null || echo 137)" ;;
kill) kill -9 "$(cat "$dir/pid")"; exit 0 ;;
rm) exit 0 ;;
esac
`

func fakeContainer(t *testing.T, program string) (*container, string) {
	t.Helper()
	dir := t.TempDir()
	put := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	put("docker", fakeEngine, 0o755)
	put("program", program, 0o644)
	return &container{engine: filepath.Join(dir, "docker"), image: "an/image"}, dir
}

func lines(t *testing.T, parts ...string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func TestContainerArguments(t *testing.T) {
	t.Parallel()
	c, dir := fakeContainer(t, "exit 0")
	c.runtime = "runsc"
	ws := realTemp(t)
	odd := mkdir(t, ws, `a,"b"`)
	p := Policy{
		ReadWrite: []Mount{{Host: ws}}, ReadOnly: []Mount{{Host: odd, Guest: "/opt/odd"}}, Dir: ws,
		Env: map[string]string{"API_TOKEN": "s3cret", "LANG": "de_DE"},
	}
	if _, err := c.Run(t.Context(), p, Command{Args: []string{"prog", "-x"}}); err != nil {
		t.Fatal(err)
	}
	args := lines(t, dir, "args")
	pairs := [][]string{
		{"--network", "none"},
		{"--cap-drop", "ALL"},
		{"--security-opt", "no-new-privileges"},
		{"--runtime", "runsc"},
		{"--pids-limit", "256"},
		{"--ulimit", "data=2147483648:2147483648"},
		{"--ulimit", "cpu=60:61"},
		{"--memory", "3221225472"},
		{"--mount", "type=bind,source=" + ws + ",target=" + ws},
		{"--env", "API_TOKEN"},
		{"--env", "LANG=de_DE"},
		{"--mount", `type=bind,"source=` + strings.ReplaceAll(odd, `"`, `""`) + `",target=/opt/odd,readonly`},
		{"--", "an/image", "prog", "-x"},
	}
	for _, want := range pairs {
		if !containsRun(args, want) {
			t.Errorf("the arguments lack %q: %q", want, args)
		}
	}
	if strings.Contains(strings.Join(args, " "), "s3cret") || !slices.Contains(lines(t, dir, "env"), "API_TOKEN=s3cret") {
		t.Error("the secret must be in the client's environment and nowhere in its arguments")
	}
	calls := strings.Join(lines(t, dir, "calls"), "\n")
	if strings.Contains(calls, "kill the-id") {
		t.Errorf("a container that ended by itself was killed: %s", calls)
	}
	if !strings.HasSuffix(calls, "rm --force --volumes the-id") {
		t.Errorf("the container is not removed: %s", calls)
	}
}

func containsRun(list, run []string) bool {
	for i := range list {
		if len(list)-i >= len(run) && slices.Equal(list[i:i+len(run)], run) {
			return true
		}
	}
	return false
}

func TestContainerEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, program, state string
		want                 Result
		is                   func(error) bool
	}{
		{"exit code", "echo out; echo err >&2; exit 125", "", Result{Exit: 125}, nil},
		{"out of memory", "exit 137", `{"ExitCode":137,"OOMKilled":true,"StartedAt":"2026"}`, Result{Exit: 137, OOM: true, Signal: "SIGKILL"}, nil},
		{"file limit", "exit 153", "", Result{Exit: 153, FileLimit: true, Signal: "SIGXFSZ"}, nil},
		{"no program", "exit 127", `{"ExitCode":127,"Error":"exec: \"x\": executable file not found in $PATH"}`, Result{}, as[*NotFoundError]},
		{"not executable", "exit 126", `{"ExitCode":126,"Error":"exec /x: permission denied"}`, Result{}, as[*NotExecutableError]},
		{"engine", "exit 125", `{"ExitCode":128,"Error":"failed to create shim task"}`, Result{}, as[*Fault]},
		{"never started", "exit 1", `{"ExitCode":0,"StartedAt":"0001-01-01T00:00:00Z"}`, Result{}, as[*Fault]},
		{"no program, said by catatonit", "echo 'ERROR (catatonit:2): failed to exec pid1: No such file or directory' >&2; exit 1", "", Result{}, as[*NotFoundError]},
		{"no program, said by tini", "echo '[FATAL tini (7)] exec x failed: No such file or directory' >&2; exit 127", "", Result{}, as[*NotFoundError]},
		{"not executable, said by tini", "echo '[FATAL tini (7)] exec ./x failed: Permission denied' >&2; exit 126", "", Result{}, as[*NotExecutableError]},
		{"a command that quotes catatonit", "echo out; echo 'ERROR (catatonit:2): failed to exec pid1: No such file or directory' >&2; exit 1", "", Result{Exit: 1}, nil},
		{"nonsense", "exit 1", "what?", Result{}, as[*Fault]},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, dir := fakeContainer(t, tt.program)
			if tt.state != "" {
				if err := os.WriteFile(filepath.Join(dir, "state"), []byte(tt.state), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got, err := c.Run(t.Context(), Policy{}, Command{Args: []string{"x"}, Stdin: strings.NewReader("")})
			if tt.is != nil {
				if !tt.is(err) {
					t.Errorf("error is %T %v", err, err)
				}
				return
			}
			if err != nil || got.Exit != tt.want.Exit || got.OOM != tt.want.OOM || got.Signal != tt.want.Signal || got.FileLimit != tt.want.FileLimit {
				t.Errorf("got %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
}

func TestContainerTimesOut(t *testing.T) {
	t.Parallel()
	c, dir := fakeContainer(t, "exec sleep 30")
	began := time.Now()
	res, err := c.Run(t.Context(), Policy{Limits: Limits{Wall: 200 * time.Millisecond}}, Command{Args: []string{"x"}})
	if err != nil || !res.TimedOut || time.Since(began) > 10*time.Second {
		t.Errorf("%+v after %s, %v", res, time.Since(began), err)
	}
	if calls := strings.Join(lines(t, dir, "calls"), "\n"); !strings.Contains(calls, "kill --signal TERM the-id") {
		t.Errorf("it was not asked to end: %s", calls)
	}
}

func TestContainerRefusals(t *testing.T) {
	t.Parallel()
	c, dir := fakeContainer(t, "exit 0")
	ctx, x := t.Context(), Command{Args: []string{"x"}}
	_, err := c.Run(ctx, Policy{Env: map[string]string{"DOCKER_HOST": "tcp://evil"}}, x)
	if !as[*PolicyError](err) {
		t.Errorf("a variable that steers the engine: %v", err)
	}
	c.missing = []Feature{Network}
	if _, err := c.Run(ctx, Policy{}, x); !as[*Fault](err) {
		t.Errorf("a required protection is missing: %v", err)
	}
	c.missing = nil
	if err := os.WriteFile(filepath.Join(dir, "no-image"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	f := (*Fault)(nil)
	if _, err := c.Run(ctx, Policy{}, x); !errors.As(err, &f) || !strings.Contains(f.Reason, "pull access denied") {
		t.Errorf("no image: %v", err)
	}
}

// The network is not used to find out whether a backend works.
func TestContainerImageIsNotFetched(t *testing.T) {
	t.Parallel()
	c, dir := fakeContainer(t, "exit 0")
	if _, err := c.Run(t.Context(), Policy{}, Command{Args: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	if args := lines(t, dir, "args"); !containsRun(args, []string{"--pull", "never"}) {
		t.Errorf("the image may be fetched: %q", args)
	}
	for _, said := range []string{"Error: an/image: image not known", "Error response from daemon: No such image: an/image"} {
		f := (*Fault)(nil)
		if err := c.createFault(said, errors.New("exit 125")); !errors.As(err, &f) || f.Cure != "fetch it: docker pull an/image" {
			t.Errorf("%q gives %v", said, err)
		}
	}
}

// What a killed caller leaves behind ends the container.
func TestContainerWatch(t *testing.T) {
	t.Parallel()
	c, dir := fakeContainer(t, "exit 0")
	stop := c.watch("the-id")
	stop()
	if exists(filepath.Join(dir, "calls")) {
		t.Error("a watch that was called off ended the container")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := c.watchCommand("the-id", r)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	closeAll([]*os.File{r, w}) // what the kernel does for a caller that is killed
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(lines(t, dir, "calls"), "\n"); got != "kill the-id\nrm --force --volumes the-id" {
		t.Errorf("the engine was told %q", got)
	}
}

// A client without a daemon is no backend, nor is an engine that does not confine.
func TestOpenContainer(t *testing.T) {
	t.Parallel()
	_, dir := fakeContainer(t, "exit 0")
	open := func() *Fault {
		t.Helper()
		_, err := openContainer(context.Background(), Options{Path: dir})
		f := (*Fault)(nil)
		if !errors.As(err, &f) {
			t.Fatalf("error is %v, want a Fault", err)
		}
		return f
	}
	if f := open(); f.Backend != NameContainer {
		t.Errorf("an engine that runs nothing: %+v", f)
	}
	if err := os.WriteFile(filepath.Join(dir, "down"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if f := open(); !strings.Contains(f.Reason, "Cannot connect") || f.Cure == "" {
		t.Errorf("no daemon: %+v", f)
	}
	if _, err := openContainer(t.Context(), Options{Path: t.TempDir()}); !as[*Fault](err) {
		t.Errorf("no client: %v", err)
	}
}
