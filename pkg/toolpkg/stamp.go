package toolpkg

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/archive"
)

// stampVersion changes when a new agentctl must not take over what an old one
// built.
const stampVersion = 2

// stampName is the stamp's file in a prebuilt folder.
const stampName = "stamp.json"

// Stamp is everything that decides the result of a build. It holds contents,
// never times or absolute paths, so that a checkout, a copy or a CI cache finds
// a build that is still good.
type Stamp struct {
	Version   int               `json:"version"`
	Builder   string            `json:"builder"`
	Platform  string            `json:"platform"`
	Toolchain map[string]string `json:"toolchain"`
	// Env has a hash for each declared build variable, so that no value is written.
	Env map[string]string `json:"env"`
	// Files has "mode sha256" for each source file.
	Files map[string]string `json:"files"`
}

// newStamp reads the source and the toolchain.
func newStamp(ctx context.Context, b Builder, job *Build, getenv func(string) string) (Stamp, error) {
	filter := newSourceFilter(job.Source.Dir)
	entries, err := archive.Scan(ctx, os.DirFS(job.Source.Dir), archive.ScanOptions{Keep: filter.keep, Links: true})
	if err != nil {
		return Stamp{}, fmt.Errorf("read %s: %w", job.Source.Dir, err)
	}
	s := Stamp{
		Version: stampVersion, Builder: b.Name(), Platform: Platform(),
		Env: map[string]string{}, Files: make(map[string]string, len(entries)),
	}
	for _, e := range entries {
		s.Files[e.Path] = e.Mode + " " + e.Sum
		job.Files = append(job.Files, e.Path)
	}
	for _, name := range job.Source.Manifest.BuildEnv {
		sum := sha256.Sum256([]byte(name + "=" + getenv(name)))
		s.Env[name] = hex.EncodeToString(sum[:])
	}
	s.Toolchain, err = b.Toolchain(ctx, *job)
	return s, err
}

// Key is a short name of everything in the stamp, for caches.
func (s Stamp) Key() string {
	text, _ := json.Marshal(s) // maps of strings: it cannot fail, and keys are sorted
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Explain says what differs between the stamp of a build and the present one,
// one line each: "changed main.go", "go: go1.25 is now go1.26". None: fresh.
func (s Stamp) Explain(now Stamp) []string {
	var out []string
	add := func(name, was, is string) {
		if was != is {
			out = append(out, fmt.Sprintf("%s: %q is now %q", name, was, is))
		}
	}
	add("stamp version", fmt.Sprint(s.Version), fmt.Sprint(now.Version))
	add("builder", s.Builder, now.Builder)
	add("platform", s.Platform, now.Platform)
	for _, name := range bothKeys(s.Toolchain, now.Toolchain) {
		add(name, s.Toolchain[name], now.Toolchain[name])
	}
	for _, name := range bothKeys(s.Env, now.Env) {
		if s.Env[name] != now.Env[name] {
			out = append(out, "variable "+name+" changed")
		}
	}
	for _, name := range bothKeys(s.Files, now.Files) {
		if text := fileChange(s.Files[name], now.Files[name]); text != "" {
			out = append(out, text+" "+name)
		}
	}
	return out
}

func fileChange(was, is string) string {
	switch {
	case was == is:
		return ""
	case was == "":
		return "added"
	case is == "":
		return "removed"
	}
	_, oldSum, _ := strings.Cut(was, " ")
	_, newSum, _ := strings.Cut(is, " ")
	if oldSum == newSum {
		return "changed mode of"
	}
	return "changed"
}

func bothKeys(a, b map[string]string) []string {
	keys := slices.Collect(maps.Keys(a))
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// readStamp reads the stamp of a prebuilt folder.
func readStamp(dir string) (Stamp, error) {
	var s Stamp
	data, err := os.ReadFile(filepath.Join(dir, stampName))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}
