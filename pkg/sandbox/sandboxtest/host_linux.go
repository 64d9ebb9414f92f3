package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

// leak opens a file so that children inherit it.
func leak(path string) (fd int, release func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = f.Close() }()
	fd, err = unix.FcntlInt(f.Fd(), unix.F_DUPFD, 200)
	return fd, func() { _ = unix.Close(fd) }, err
}

// lockFree tells whether nobody holds the lock.
func lockFree(path string) (bool, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// terminalCase gives the command a terminal as its input.
func terminalCase(ctx context.Context, e *Env) error {
	ptmx, tty, err := pty.Open()
	if err != nil {
		return err
	}
	defer func() { _ = ptmx.Close() }()
	defer func() { _ = tty.Close() }()
	res, err := e.Backend.Run(ctx, e.Policy(), sandbox.Command{Args: []string{"sh", "-c", "test ! -t 0 && test ! -t 1 && test ! -t 2"}, Stdin: tty})
	if err != nil || res.Exit != 0 {
		return fmt.Errorf("the command holds the terminal: exit %d, %w", res.Exit, err)
	}
	return e.denied(ctx, act("terminal"))
}
