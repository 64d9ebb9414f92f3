//go:build !linux

package sandboxtest

import (
	"context"
	"errors"
)

var errLinuxOnly = errors.New("this case needs Linux")

func leak(string) (fd int, release func(), err error) { return 0, nil, errLinuxOnly }

func lockFree(string) (bool, error) { return false, errLinuxOnly }

func terminalCase(context.Context, *Env) error { return errLinuxOnly }
