// Command data-fetch is a sample tool package with one command: it copies a
// small sample dataset into the workspace.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/tools/data-fetch/internal/dispatch"
)

//go:embed samples/*.csv
var samples embed.FS

// Args are the arguments of data-fetch.
type Args struct {
	Name   string `json:"name" jsonschema:"enum=bike-rides,enum=city-temperatures" jsonschema_description:"Which sample dataset to fetch."`
	Output string `json:"output" jsonschema:"minLength=1" jsonschema_description:"File to write, relative to the current folder, for example data/rides.csv. Folders are made as needed."`
}

// Fetched is what data-fetch prints.
type Fetched struct {
	Dataset string   `json:"dataset"`
	Path    string   `json:"path"`
	Rows    int      `json:"rows"`
	Bytes   int      `json:"bytes"`
	Columns []string `json:"columns"`
	SHA256  string   `json:"sha256"` // of the file, to tell later whether it was changed
}

func main() {
	dispatch.Register("data-fetch",
		"Copy a sample dataset (bike-rides or city-temperatures) into the workspace as a CSV file with a header line. Use it when a sample table is needed to work with.",
		func(_ context.Context, a Args) (any, error) { return fetch(".", a) })
	dispatch.Main()
}

// fetch writes the dataset below root. It never leaves root, also not through a
// symbolic link, and an existing file of other content is left alone.
func fetch(root string, a Args) (*Fetched, error) {
	data, err := samples.ReadFile(path.Join("samples", a.Name+".csv"))
	if err != nil {
		return nil, dispatch.InvalidArgs("name", fmt.Sprintf("there is no dataset %q; choose one of %s", a.Name, strings.Join(names(), ", ")))
	}
	output := filepath.FromSlash(a.Output)
	if !filepath.IsLocal(output) || filepath.Clean(output) == "." {
		return nil, dispatch.InvalidArgs("output", fmt.Sprintf("%q is not a file below the current folder; give a relative path without ..", a.Output))
	}
	table, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, err
	}
	if err := write(root, output, data); err != nil {
		return nil, err
	}
	return &Fetched{
		Dataset: a.Name, Path: filepath.ToSlash(filepath.Clean(output)),
		Rows: len(table) - 1, Bytes: len(data), Columns: table[0],
		SHA256: fmt.Sprintf("%x", sha256.Sum256(data)),
	}, nil
}

func write(dir, output string, data []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if old, err := root.ReadFile(output); err == nil && !bytes.Equal(old, data) {
		return dispatch.InvalidArgs("output", fmt.Sprintf("%q exists and holds something else; choose another name", filepath.ToSlash(output)))
	}
	if err := root.MkdirAll(filepath.Dir(output), 0o755); err != nil {
		return refused(output, err)
	}
	if err := root.WriteFile(output, data, 0o644); err != nil {
		return refused(output, err)
	}
	return nil
}

// refused blames the argument where another path would do.
func refused(output string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrExist) || strings.Contains(err.Error(), "escapes") || isNotDir(err) {
		return dispatch.InvalidArgs("output", fmt.Sprintf("cannot write %q: %v", filepath.ToSlash(output), err))
	}
	return err
}

func isNotDir(err error) bool {
	return strings.Contains(err.Error(), "not a directory") || strings.Contains(err.Error(), "is a directory")
}

func names() []string {
	entries, _ := samples.ReadDir("samples") // embedded: it is there
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".csv"))
	}
	slices.Sort(out)
	return out
}
