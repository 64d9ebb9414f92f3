package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/internal/archive"
	"github.com/agentctl/agentctl/internal/suggest"
	"github.com/agentctl/agentctl/internal/uv"
	"github.com/agentctl/agentctl/pkg/skill"
)

// skillKind maps the errors of pkg/skill.
func skillKind(err error) (kind string, exit int, hint string, ok bool) {
	if e, ok := as[*skill.WithheldError](err); ok {
		return "refused", exitRefused, withheldHint(e), true
	}
	if e, ok := as[*skill.FileNotFoundError](err); ok {
		return "not_found", exitUsage, fileHint(e), true
	}
	if _, ok := as[*skill.NotSkillError](err); ok {
		return "not_found", exitUsage, "name the folder that holds the " + skill.ManifestName, true
	}
	if e, ok := as[*skill.RefusedError](err); ok {
		return "invalid_" + orWord(e.Field, "request"), exitUsage, flagOf[e.Field], true
	}
	if _, ok := as[*skill.ExistsError](err); ok {
		return "exists", exitFailed, "pass --force to replace it", true
	}
	if _, ok := as[*skill.NameError](err); ok {
		return "refused_content", exitFailed, "give the skill another name: in the name: line of its " + skill.ManifestName + ", and as its folder", true
	}
	return archiveKind(err)
}

// flagOf says which flag gives what a refused request lacks.
var flagOf = map[string]string{
	"dir":         "the flag is --dir DIR, for another folder of skills",
	"description": "the flag is -d TEXT",
	"body":        "the flag is --body FILE, or --body - for stdin",
}

// archiveKind maps what keeps a folder or archive from moving: with the same
// content it cannot work.
func archiveKind(err error) (kind string, exit int, hint string, ok bool) {
	if _, ok := as[*archive.FormatError](err); ok {
		return "invalid_archive", exitFailed, "give a zip archive, or a folder", true
	}
	if e, ok := as[*archive.LayoutError](err); ok {
		return "invalid_archive", exitFailed, layoutHint(e), true
	}
	if _, ok := as[*archive.PathError](err); ok {
		return "refused_content", exitFailed, "", true
	}
	if _, ok := as[*archive.LimitError](err); ok {
		return "limit", exitFailed, "", true
	}
	if e, ok := as[*uv.NotInstalledError](err); ok {
		return "missing_program", exitFailed, e.Cure(), true
	}
	if e, ok := as[*uv.NoPythonError](err); ok {
		return "missing_program", exitFailed, e.Cure(), true
	}
	if _, ok := as[*uv.RunError](err); ok {
		return "failed", exitFailed, "a package that has no wheel needs --allow-builds; uv's own settings say where packages come from", true
	}
	if _, ok := as[*skill.NoRequirementsError](err); ok {
		return "nothing_to_do", exitFailed, "write a requirements.txt, one package a line", true
	}
	if _, ok := as[*skill.NoGitError](err); ok {
		return "missing_program", exitFailed, "install git", true
	}
	return "", 0, "", false
}

func layoutHint(e *archive.LayoutError) string {
	if len(e.Found) > 1 {
		return "import one after the other: agentctl skill import FOLDER/" + e.Found[0] + " (an archive of several has to be unpacked first)"
	}
	return "name the folder that holds the " + e.Manifest + ", or an archive of it"
}

func orWord(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func withheldHint(e *skill.WithheldError) string {
	if strings.Contains(e.Reason, "disabled") {
		return "agentctl skill enable " + e.Name
	}
	return fmt.Sprintf("people read it with: agentctl skill read %s", e.Name)
}

func fileHint(e *skill.FileNotFoundError) string {
	hint := "the skill has no files besides " + skill.ManifestName
	if len(e.Files) > 0 {
		hint = "files: " + shorten(e.Files, 20)
	}
	if near := suggest.Nearest(e.Path, e.Files, 1); len(near) > 0 {
		hint = "did you mean " + near[0] + "?\n" + hint
	}
	return hint
}

// isBrokenSkill tells whether the error is about a skill that does not load.
func isBrokenSkill(err error) bool {
	_, ok := errors.AsType[*skill.BrokenError](err)
	return ok
}
