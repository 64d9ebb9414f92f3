package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"

	"github.com/agentctl/agentctl/pkg/skill"
)

// checkOutput refuses a file to write that exists, unless forced, and a folder
// that does not: verbs make the file that was named and nothing else.
func checkOutput(file string, force bool) error {
	if dir := filepath.Dir(file); !isDir(dir) {
		return usageError{message: fmt.Sprintf("the folder %s does not exist", dir), hint: "make it first: mkdir -p " + dir}
	}
	if isDir(file) {
		return usageError{message: file + " is a folder", hint: "name a file in it"}
	}
	if _, err := os.Lstat(file); err == nil && !force {
		return &skill.ExistsError{Path: file}
	}
	return nil
}

// writeOutput writes the file in one step. An error tells about the file, not
// about the temporary one beside it.
//
// What is no regular file, such as a device or a pipe, is written to and not
// replaced; of a link, the file that it leads to.
func writeOutput(file string, data []byte, mode os.FileMode) error {
	to := file
	if real, err := filepath.EvalSymlinks(file); err == nil {
		to = real
	}
	write := maybe.WriteFile
	if info, err := os.Stat(to); err == nil && !info.Mode().IsRegular() {
		write = os.WriteFile
	}
	err := write(to, data, mode)
	if err == nil {
		return nil
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	} else if link, ok := errors.AsType[*os.LinkError](err); ok {
		err = link.Err
	}
	return fmt.Errorf("write %s: %w", file, err)
}
