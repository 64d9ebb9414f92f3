package skill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentctl/agentctl/internal/archive"
	"github.com/agentctl/agentctl/internal/fspath"
	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/internal/workspace"
)

// PromoteRequest copies a skill into a shared folder.
type PromoteRequest struct {
	Item *Item
	// To is the folder of shared skills; it is made where it is missing.
	To string
	// Force replaces a skill that differs.
	Force bool
	Lint  LintOptions
}

// PromoteResult says what was copied.
type PromoteResult struct {
	Name, Dir, Digest string
	// CommitMessage is a proposal; nothing is committed.
	CommitMessage string
	// Findings are those of the linter.
	Findings LintResult
	// Unchanged: the same content was there already.
	Unchanged bool
}

// LintError reports a skill that has lint errors and may not go on.
type LintError struct {
	Name   string
	Result LintResult
}

func (e *LintError) Error() string {
	return fmt.Sprintf("skill %q has %s", e.Name, termtext.Count(e.Result.Summary.Errors, "lint error"))
}

// Promote copies a skill without lint errors to a shared folder, whole or not at
// all: the set that Export packs. The error is a [*LintError], an [*ExistsError]
// for a skill that differs, or that of the file system.
func Promote(ctx context.Context, req PromoteRequest) (PromoteResult, error) {
	it := req.Item
	res := PromoteResult{Name: it.Name, Dir: filepath.Join(req.To, ArchiveName(it))}
	if file := fileOnTheWay(req.To); file != "" {
		return res, refuse("to", "%s is a file; name a folder of skills, which is made where it is missing", file)
	}
	if inside(it, res.Dir) {
		return res, refuse("to", "%s lies inside the skill that is copied; name a folder outside of %s", req.To, it.Dir)
	}
	if err := checkProfile(req.To); err != nil {
		return res, err
	}
	var err error
	if res.Findings, err = LintAll(ctx, []*Item{it}, nil, req.Lint); err != nil {
		return res, err
	}
	if res.Findings.HasErrors() {
		return res, &LintError{Name: it.Name, Result: res.Findings}
	}
	files, err := exported(ctx, it)
	if err != nil {
		return res, err
	}
	if res.Digest, err = Digest(ctx, it); err != nil {
		return res, err
	}
	have, err := digestOfDir(ctx, res.Dir)
	if err != nil {
		return res, err
	}
	res.CommitMessage = commitMessage(it, res.Digest, have)
	switch have {
	case res.Digest:
		res.Unchanged = true
		return res, nil
	case "":
	default:
		if !req.Force {
			return res, &ExistsError{Path: res.Dir}
		}
	}
	return res, place(ctx, files, req.To, res.Dir)
}

// checkProfile refuses to begin a folder among the profiles of an app: without an
// APP.md that would be a profile which does not load.
func checkProfile(to string) error {
	profile := filepath.Dir(to)
	profiles := filepath.Dir(profile)
	if filepath.Base(to) != workspace.SkillDir || filepath.Base(profiles) != "profiles" || isFile(profile, "APP.md") {
		return nil
	}
	var have []string
	entries, _ := os.ReadDir(profiles) // none when there is no such folder yet
	for _, e := range entries {
		if isFile(filepath.Join(profiles, e.Name()), "APP.md") {
			have = append(have, e.Name())
		}
	}
	return refuse("to", "%s is no profile: it holds no APP.md; write one first, or name one of these: %s", profile, cmp.Or(strings.Join(have, ", "), "none yet"))
}

// fileOnTheWay is the file that keeps a folder from being made, "" for none.
func fileOnTheWay(dir string) string {
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil && !info.IsDir():
			return dir
		case err == nil || dir == filepath.Dir(dir):
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

func isFile(parts ...string) bool {
	info, err := os.Stat(filepath.Join(parts...))
	return err == nil && info.Mode().IsRegular()
}

// inside tells whether dir lies below the skill's own folder.
func inside(it *Item, dir string) bool {
	rel, ok := fspath.Below(it.Dir, dir)
	return onDisk(it) && ok && rel != "."
}

// digestOfDir is the digest of a folder, "" when it is not there or empty.
func digestOfDir(ctx context.Context, dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	digest, err := archive.Digest(ctx, os.DirFS(dir), archive.ScanOptions{Keep: archive.Exported})
	if _, odd := errors.AsType[*archive.PathError](err); odd {
		return "something else", nil
	}
	return digest, err
}

// place writes files to dir below root in one step.
func place(ctx context.Context, files []archive.File, root, dir string) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	unlock, err := lockDir(ctx, root)
	if err != nil {
		return err
	}
	defer unlock()
	stage, err := os.MkdirTemp(root, registry.StagingPrefix+"*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	tree := filepath.Join(stage, filepath.Base(dir))
	if err := os.Mkdir(tree, 0o755); err != nil {
		return err
	}
	if err := archive.Extract(ctx, files, tree); err != nil {
		return err
	}
	return replaceFolder(tree, dir, filepath.Join(stage, asideName))
}

func commitMessage(it *Item, digest, have string) string {
	verb := "Add"
	if have != "" {
		verb = "Update"
	}
	return fmt.Sprintf("%s skill %s\n\n%s\n\nDigest: %s\n", verb, oneLine(it.Name), wrap(oneLine(it.Value.Description), 72), digest)
}

// wrap breaks a text into lines of at most width characters, as far as its words allow.
func wrap(text string, width int) string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	return strings.Join(append(lines, line), "\n")
}
