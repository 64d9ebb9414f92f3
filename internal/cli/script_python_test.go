package cli

import (
	"archive/zip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agentctl/agentctl/internal/uv"
)

// pythonWorks tells whether uv and an interpreter that sandboxes have are here.
var pythonWorks = sync.OnceValue(func() bool {
	if _, err := uv.Find(context.Background(), os.Environ()); err != nil {
		return false
	}
	_, err := uv.FindPython(uv.Want{Requires: ">=3.11", Preference: "only-system"}, nil, []string{"/usr/local/bin", "/usr/bin"})
	return err == nil
})

// uvPlaces are uv's cache of the user, so that scripts do not download anew what
// is there, and where this machine gets packages from.
var uvPlaces = sync.OnceValue(func() map[string]string {
	places := map[string]string{}
	out, err := exec.Command("uv", "cache", "dir", "--color", "never").Output()
	if err != nil {
		return places
	}
	places["UV_CACHE_DIR"] = strings.TrimSpace(string(out))
	for _, name := range []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "UV_DEFAULT_INDEX", "UV_INDEX_URL"} {
		if value := os.Getenv(name); value != "" {
			places[name] = value
		}
	}
	return places
})

// wheelCommand makes the smallest wheel that can be installed, with one module:
// wheel DIR NAME VERSION MODULE.py
func wheelCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: wheel DIR NAME VERSION MODULE.py")
	}
	dir, name, version := ts.MkAbs(args[0]), args[1], args[2]
	ts.Check(os.MkdirAll(dir, 0o755))
	f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%s-%s-py3-none-any.whl", name, version)))
	ts.Check(err)
	w := zip.NewWriter(f)
	info := fmt.Sprintf("%s-%s.dist-info/", name, version)
	for _, entry := range [][2]string{
		{name + ".py", ts.ReadFile(args[3])},
		{info + "METADATA", fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: %s\n", name, version)},
		{info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{info + "RECORD", fmt.Sprintf("%s.py,,\n%sMETADATA,,\n%sWHEEL,,\n%sRECORD,,\n", name, info, info, info)},
	} {
		out, err := w.Create(entry[0])
		ts.Check(err)
		_, err = out.Write([]byte(entry[1]))
		ts.Check(err)
	}
	ts.Check(w.Close())
	ts.Check(f.Close())
}
