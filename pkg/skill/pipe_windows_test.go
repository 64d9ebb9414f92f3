package skill

import (
	"os"
	"testing"
)

// makePipe makes a folder in its place: Windows has no pipes in folders.
func makePipe(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
}
