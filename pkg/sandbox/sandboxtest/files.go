package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

func fileCases() []Case {
	return []Case{
		{1, "reading a key in the home folder", sandbox.FileReads, readKey},
		{2, "listing the home folder", sandbox.FileReads, func(ctx context.Context, e *Env) error {
			return e.denied(ctx, act("list", e.Home))
		}},
		{3, "writing to $HOME stays private", "", privateHome},
		{4, "writing to /etc", sandbox.FileWrites, func(ctx context.Context, e *Env) error {
			name := "/etc/" + filepath.Base(e.Outside)
			return errors.Join(e.denied(ctx, act("write", name)), absent(name))
		}},
		{5, "writing to the host's /tmp", "", privateTmp},
		{6, "writing through a link that leads out", "", linkOut},
		{7, "linking a file outside into the work folder", "", func(ctx context.Context, e *Env) error {
			return errors.Join(e.denied(ctx, act("hardlink", e.Secret, filepath.Join(e.Work, "hard"))), e.unchanged())
		}},
		{8, "a second link is as read-only as the folder it is granted in", "", grantedLink},
		{9, "changing mode and time outside", "", func(ctx context.Context, e *Env) error {
			return e.denied(ctx, act("chmod", e.Secret), act("utime", e.Secret))
		}},
		{10, "seeing a file outside", "", func(ctx context.Context, e *Env) error { return e.denied(ctx, act("stat", e.Secret)) }},
		{11, "an output path that climbs out is refused by os.Root", "", climbingOutput},
		{12, "moving a protected folder away", "", protectedFolder},
		{13, "making a protected file that was missing is reported", "", missingProtected},
		{14, "an output link is not followed by os.Root", "", linkedOutput},
		{15, "a file over the limit", sandbox.FileSize, fileLimit},
		{16, "filling the private tmp", sandbox.PrivateTmp, fillTmp},
		{17, "making a block device", "", func(ctx context.Context, e *Env) error {
			return e.denied(ctx, act("mknod", filepath.Join(e.Work, "sda")))
		}},
		{18, "changing the own package", "", ownPackage},
	}
}

func readKey(ctx context.Context, e *Env) error {
	key := filepath.Join(e.Home, ".ssh", "id_rsa")
	if err := os.MkdirAll(filepath.Dir(key), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(key, []byte("PRIVATE KEY"), 0o600); err != nil {
		return err
	}
	return e.denied(ctx, act("read", key), act("read", e.Secret))
}

func privateHome(ctx context.Context, e *Env) error {
	name := filepath.Base(e.Outside)
	out, err := e.Output(ctx, e.Policy(), `echo mine > "$HOME/`+name+`" && cat "$HOME/`+name+`"`)
	if err != nil || out != "mine\n" {
		return fmt.Errorf("the private home is not usable: %q, %w", out, err)
	}
	return absent(filepath.Join(e.Home, name))
}

func privateTmp(ctx context.Context, e *Env) error {
	name := filepath.Base(e.Outside)
	if out, err := e.Output(ctx, e.Policy(), `echo mine > "$TMPDIR/`+name+`-a" && cat "$TMPDIR/`+name+`-a"`); err != nil || out != "mine\n" {
		return fmt.Errorf("the private tmp is not usable: %q, %w", out, err)
	}
	if _, err := e.Sh(ctx, e.Policy(), "echo x > /tmp/"+name+"-b"); err != nil {
		return err
	}
	return absent("/tmp/"+name+"-a", "/tmp/"+name+"-b")
}

func linkOut(ctx context.Context, e *Env) error {
	link := filepath.Join(e.Work, "link")
	return errors.Join(
		e.denied(ctx, act("symlink-write", link, e.Secret)), e.unchanged(),
		e.denied(ctx, act("symlink-write", link+"2", filepath.Join(e.Outside, "new"))), absent(filepath.Join(e.Outside, "new")),
	)
}

func grantedLink(ctx context.Context, e *Env) error {
	dir := tempDir(e.T)
	link := filepath.Join(dir, "link")
	if err := os.Link(e.Secret, link); err != nil {
		return err
	}
	p := e.Policy()
	p.ReadOnly = append(p.ReadOnly, sandbox.Mount{Host: dir})
	return errors.Join(e.deniedUnder(ctx, p, act("write", link)), e.unchanged())
}

func climbingOutput(_ context.Context, e *Env) error {
	root, err := os.OpenRoot(e.Work)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, name := range []string{"../" + filepath.Base(e.Outside) + "/secret", e.Secret} {
		if _, err := root.Open(name); err == nil {
			return fmt.Errorf("%q was opened", name)
		}
	}
	return nil
}

func linkedOutput(ctx context.Context, e *Env) error {
	if _, err := e.Output(ctx, e.Policy(), "ln -s /etc/passwd artifact"); err != nil {
		return err
	}
	root, err := os.OpenRoot(e.Work)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if _, err := root.Open("artifact"); err == nil {
		return errors.New("the link was followed")
	}
	return nil
}

func protectedFolder(ctx context.Context, e *Env) error {
	git, deep := filepath.Join(e.Work, ".git"), filepath.Join(e.Work, "a", "b", ".git")
	for _, dir := range []string{git, deep} {
		if err := os.MkdirAll(filepath.Join(dir, "hooks"), 0o755); err != nil {
			return err
		}
	}
	p := e.Policy()
	p.Protect = []string{git, deep}
	return errors.Join(
		e.deniedUnder(ctx, p,
			act("rename", git, git+"2"), act("write", filepath.Join(git, "hooks", "pre-commit")), act("remove", git),
			act("rename", deep, deep+"2"), act("write", filepath.Join(deep, "config")),
			act("rename", filepath.Join(e.Work, "a"), filepath.Join(e.Work, "c")),
			act("rename", filepath.Join(e.Work, "a", "b"), filepath.Join(e.Work, "c")),
		),
		absent(git+"2", filepath.Join(git, "hooks", "pre-commit")),
		e.stillWritable(ctx, p),
	)
}

// stillWritable wants the rest of the folder to be usable.
func (e *Env) stillWritable(ctx context.Context, p sandbox.Policy) error {
	_, err := e.allowed(ctx, p, act("write", filepath.Join(e.Work, "result")), act("write", filepath.Join(e.Work, "a", "b", "result")))
	return err
}

func missingProtected(ctx context.Context, e *Env) error {
	missing := filepath.Join(e.Work, ".claude")
	p := e.Policy()
	p.Protect = []string{missing}
	res, err := e.Sh(ctx, p, "true")
	if err != nil || len(res.Appeared) > 0 {
		return fmt.Errorf("a run that made nothing reports %q, %w", res.Appeared, err)
	}
	if err := absent(missing); err != nil {
		return fmt.Errorf("a stub was left: %w", err)
	}
	res, err = e.Sh(ctx, p, "mkdir .claude")
	if err != nil || !slices.Equal(res.Appeared, []string{missing}) {
		return fmt.Errorf("appeared %q, want %q (%w)", res.Appeared, missing, err)
	}
	return nil
}

func fileLimit(ctx context.Context, e *Env) error {
	p := e.Policy()
	p.Limits.FileSize = 1 << 20
	res, err := e.Sh(ctx, p, "exec head -c 2097152 /dev/zero > big")
	if err != nil {
		return err
	}
	if res.Exit != 153 || !res.FileLimit || res.Signal != "SIGXFSZ" {
		return fmt.Errorf("exit %d, signal %q, file limit %v; want 153, SIGXFSZ, true", res.Exit, res.Signal, res.FileLimit)
	}
	return e.deniedUnder(ctx, p, act("fill", filepath.Join(e.Work, "big2"), strconv.Itoa(2<<20)))
}

func fillTmp(ctx context.Context, e *Env) error {
	for _, dir := range []string{"/tmp", "/tmp/home", "/dev/shm"} {
		out, _, err := e.try(ctx, e.Policy(), act("fill", dir+"/fill", strconv.Itoa(8<<20)))
		if err != nil {
			return err
		}
		if !strings.Contains(out[0].Got, "no space left") {
			return fmt.Errorf("filling %s: %s", dir, out[0].Got)
		}
	}
	return nil
}

func ownPackage(ctx context.Context, e *Env) error {
	pkg := tempDir(e.T)
	main := filepath.Join(pkg, "main.py")
	if err := os.WriteFile(main, []byte("print(1)\n"), 0o644); err != nil {
		return err
	}
	p := e.Policy()
	p.ReadOnly = append(p.ReadOnly, sandbox.Mount{Host: pkg})
	if _, err := e.allowed(ctx, p, act("read", main)); err != nil {
		return err
	}
	return e.deniedUnder(ctx, p, act("write", main), act("write", filepath.Join(pkg, "new")), act("rename", main, main+"2"), act("remove", main))
}
