package sandbox

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// createArgs spells a plan as options of docker and podman. Values of the
// policy's variables travel in the environment of the client, never in its
// arguments, which every user can read.
func (c *container) createArgs(pl *plan, extra map[string]string, cmd Command) (args, env []string, err error) {
	args = []string{
		// What an image is, and whether it may be fetched, is for a person to say.
		"create", "--pull", "never", "--init", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
		"--hostname", "sandbox", "--log-driver", "none", "--workdir", pl.dir,
		"--tmpfs", guestTmp + ":" + tmpfsOptions(pl.limits.Tmp), "--tmpfs", guestHome + ":" + tmpfsOptions(pl.limits.Tmp),
	}
	if pl.limits.Tmp > 0 {
		args = append(args, "--shm-size", strconv.FormatInt(pl.limits.Tmp, 10))
	}
	if uid := os.Getuid(); uid >= 0 {
		args = append(args, "--user", strconv.Itoa(uid)+":"+strconv.Itoa(os.Getgid()))
	}
	if c.rootless() {
		// Without it the caller is user 0 inside, and the user above is nobody's.
		args = append(args, "--userns", "keep-id")
	}
	if c.runtime != "" {
		args = append(args, "--runtime", c.runtime)
	}
	if pl.net == NetworkNone {
		args = append(args, "--network", "none")
	}
	if cmd.Stdin != nil {
		args = append(args, "--interactive")
	}
	args = append(args, limitArgs(pl.limits)...)
	for _, g := range pl.grants {
		m, err := mountOption(g)
		if err != nil {
			return nil, nil, err
		}
		args = append(args, "--mount", m)
	}
	envArgs, env, err := envOptions(pl.env, extra)
	if err != nil {
		return nil, nil, err
	}
	args = append(args, envArgs...)
	return append(append(args, "--entrypoint", "", "--", c.image), cmd.Args...), env, nil
}

// rootless tells whether the engine runs as the caller, who is not root.
func (c *container) rootless() bool {
	return filepath.Base(c.engine) == "podman" && os.Getuid() > 0
}

func tmpfsOptions(size int64) string {
	const options = "rw,exec,nosuid,nodev,mode=1777"
	if size < 0 {
		return options
	}
	return options + ",size=" + strconv.FormatInt(size, 10)
}

func limitArgs(l Limits) []string {
	args := []string{"--ulimit", "core=0:0"}
	add := func(name string, n int64) {
		if n >= 0 {
			v := strconv.FormatInt(n, 10)
			args = append(args, "--ulimit", name+"="+v+":"+v)
		}
	}
	add("data", l.Data)
	add("fsize", l.FileSize)
	add("nofile", int64(l.Files))
	add("nproc", processCeiling())
	if l.CPU >= 0 {
		secs := int64((l.CPU + time.Second - 1) / time.Second)
		args = append(args, "--ulimit", "cpu="+strconv.FormatInt(secs, 10)+":"+strconv.FormatInt(secs+1, 10))
	}
	if l.Processes >= 0 {
		args = append(args, "--pids-limit", strconv.Itoa(l.Processes))
	}
	if l.Data >= 0 && l.Tmp >= 0 {
		total := strconv.FormatInt(l.Data+l.Tmp, 10) // the private tmp lies in memory
		args = append(args, "--memory", total, "--memory-swap", total)
	}
	return args
}

// mountOption is one line of CSV, since a path may hold a comma.
func mountOption(g grant) (string, error) {
	fields := []string{"type=bind", "source=" + g.host, "target=" + g.guest}
	if !g.write {
		fields = append(fields, "readonly")
	}
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	if err := w.Write(fields); err != nil {
		return "", err
	}
	w.Flush()
	return strings.TrimSuffix(buf.String(), "\n"), w.Error()
}

// envOptions names the variables. What steers the client itself cannot be passed
// by name.
func envOptions(all []string, extra map[string]string) (args, env []string, err error) {
	for _, kv := range all {
		name, _, _ := strings.Cut(kv, "=")
		_, given := extra[name]
		switch {
		case !given || slices.Contains([]string{"PATH", "HOME", "TMPDIR", "LANG", "TZ"}, name):
			args = append(args, "--env", kv)
		case strings.HasPrefix(name, "DOCKER_"), strings.HasPrefix(name, "CONTAINER"), strings.HasPrefix(name, "PODMAN_"):
			return nil, nil, &PolicyError{Path: name, Reason: "would steer the container engine itself", Cure: "give the variable another name"}
		default:
			args, env = append(args, "--env", name), append(env, kv)
		}
	}
	return args, env, nil
}
