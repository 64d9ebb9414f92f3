package skill

import (
	"errors"
	"io/fs"
)

// isNotEmpty tells whether a rename failed since the target folder exists, which
// Windows reports as a lack of permission.
func isNotEmpty(err error) bool { return errors.Is(err, fs.ErrPermission) }
