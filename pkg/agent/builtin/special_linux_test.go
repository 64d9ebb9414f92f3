package builtin_test

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe without a writer would hold a reader for ever.
func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	env := newEnv(t, nil)
	if err := syscall.Mkfifo(filepath.Join(env.Workspace, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	checkTexts(t, env, "read_file", []textTest{{"read", args{"path": "pipe"}, `error: "pipe" is no regular file and cannot be read.`, true}})
	checkTexts(t, env, "write_file", []textTest{{"write", args{"path": "pipe", "content": ""}, `error: "pipe" is no regular file and cannot be written.`, true}})
	checkTexts(t, env, "list_files", []textTest{{"list", nil, "pipe (no regular file)\n", false}})
}
