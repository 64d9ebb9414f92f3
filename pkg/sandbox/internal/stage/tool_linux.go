package stage

import (
	"errors"
	"strings"
	"syscall"
	"time"
)

// runTool limits this process and becomes the command. The order matters: what
// a later step needs must not be taken away by an earlier one, and RLIMIT_DATA
// comes last because the Go runtime crashes at random below it.
func runTool(cfg *Config) {
	if err := syscall.Chdir(cfg.Dir); err != nil {
		fail(StatusDir, err.Error())
	}
	_, _ = syscall.Setsid() // fails for a leader, which is as good
	syscall.Umask(0o022)
	data := setLimits(cfg.Rlimits)
	check("drop capabilities", dropCapabilities())
	check("no_new_privs", prctl(prSetNoNewPrivs, 1))
	check("landlock", restrict(cfg.Landlock))
	program, err := lookup(cfg.Args[0], cfg.Env)
	check("arguments", validate(cfg.Args, cfg.Env))
	check("seccomp", loadFilter(cfg.Filter))
	if data != nil {
		check("limit of data", setrlimit(*data))
	}
	tell(StatusReady)
	if err == nil {
		err = execve(program, cfg)
	}
	fail(StatusExec, explainExec(program, err))
}

// explainExec tells a missing program from a missing interpreter, for which the
// kernel has the same number.
func explainExec(program string, err error) string {
	if errors.Is(err, syscall.ENOENT) && executable(program) == nil {
		return "0 its interpreter (first line, or ELF loader) does not exist here"
	}
	return errnoText(err)
}

// execve retries a busy text file: a program that was written a moment ago may
// still be open for writing in a child of the writer (golang/go#22315).
func execve(program string, cfg *Config) error {
	var err error
	for try := range 10 {
		if err = syscall.Exec(program, cfg.Args, cfg.Env); err != syscall.ETXTBSY {
			return err
		}
		time.Sleep(time.Duration(try+1) * time.Millisecond)
	}
	return err
}

// validate finds what execve could only report as a bare "invalid argument".
func validate(lists ...[]string) error {
	for _, list := range lists {
		for _, s := range list {
			if strings.IndexByte(s, 0) >= 0 {
				return syscall.EINVAL
			}
		}
	}
	return nil
}

// lookup finds a bare name on the PATH of the environment. A name with a slash
// is left to the kernel.
func lookup(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	var path string
	for _, kv := range env {
		if p, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = p
		}
	}
	found := error(syscall.ENOENT)
	for dir := range strings.SplitSeq(path, ":") {
		file := dir + "/" + name
		err := executable(file)
		if err == nil {
			return file, nil
		}
		if errors.Is(err, syscall.EACCES) {
			found = err
		}
	}
	return "", found
}

func executable(file string) error {
	var st syscall.Stat_t
	if err := syscall.Stat(file, &st); err != nil {
		return err
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG || st.Mode&0o111 == 0 {
		return syscall.EACCES
	}
	return nil
}
