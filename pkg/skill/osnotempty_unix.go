//go:build !windows

package skill

import (
	"errors"
	"syscall"
)

// isNotEmpty tells whether a rename failed since the target folder holds files.
func isNotEmpty(err error) bool { return errors.Is(err, syscall.ENOTEMPTY) }
