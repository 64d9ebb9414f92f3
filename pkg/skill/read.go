package skill

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/suggest"
)

// MaxBody is how much of a body a model gets at once and the most that Save
// takes, in characters. A longer body drowns the task that it should help with.
const MaxBody = 50_000

// maxListed is how many files of a skill are named to a model; the rest is
// counted. A skill of 99 in 100 has fewer than 70.
const maxListed = 50

// ReadRequest is a call of read_skill.
type ReadRequest struct {
	Name string
	// Path reads one file of the skill instead of its body.
	Path string
	// Args are appended for the skill to work on.
	Args string
	// Offset is the first line to return, from 1; 0 means 1.
	Offset int
	// Tools are the names of all tools of the chat, for the warning about
	// allowed-tools; nil means unknown.
	Tools []string
}

// ReadError is an error of [ReadForModel] with the text that a model gets.
type ReadError struct {
	// Text says what is wrong and how to do better.
	Text string
	Err  error
}

func (e *ReadError) Error() string { return e.Err.Error() }
func (e *ReadError) Unwrap() error { return e.Err }

// ReadForModel is the whole answer of read_skill: the skill's folder, files and
// tools, its body and the arguments, or one file of it. view is what the model
// may see, see [ModelView].
//
// Every error about the request is a [*ReadError]; it wraps a [*NotFoundError],
// [*BrokenError], [*WithheldError], [*FileNotFoundError] or [*RefusedError].
func ReadForModel(ctx context.Context, view *Listing, req ReadRequest) (string, *Item, error) {
	res, err := view.Resolve(strings.TrimPrefix(strings.TrimSpace(req.Name), "/"))
	if err != nil {
		return "", nil, &ReadError{Text: nameText(view, req.Name, err), Err: err}
	}
	it := res.Winner
	var text string
	if req.Path != "" {
		text, err = fileForModel(ctx, it, req)
	} else {
		text, err = bodyForModel(ctx, res, req)
	}
	if err != nil {
		return "", it, readError(err)
	}
	return text, it, nil
}

// readError gives an error about the request its text; others stay as they are.
func readError(err error) error {
	if e, ok := errors.AsType[*FileNotFoundError](err); ok {
		return &ReadError{Text: fileText(e), Err: err}
	}
	if _, ok := errors.AsType[*RefusedError](err); ok {
		return &ReadError{Text: err.Error(), Err: err}
	}
	return err
}

// nameText is the answer to a name that gives no skill.
func nameText(view *Listing, name string, err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v.", err)
	var names []string
	for _, it := range view.Winners() {
		names = append(names, it.Name)
	}
	if near := suggest.Nearest(name, names, 3); len(near) > 0 {
		fmt.Fprintf(&b, " Did you mean %s?", strings.Join(near, " or "))
	}
	if len(names) == 0 {
		b.WriteString(" There are no skills here; go on without one.")
	} else {
		fmt.Fprintf(&b, "\nSkills: %s", strings.Join(names, ", "))
	}
	return b.String()
}

func fileText(e *FileNotFoundError) string {
	text := e.Error() + "."
	if near := suggest.Nearest(e.Path, e.Files, 3); len(near) > 0 {
		text += " Did you mean " + strings.Join(near, " or ") + "?"
	}
	return text + "\n" + fileList(e.Files)
}

func fileList(files []string) string {
	if len(files) == 0 {
		return "Files: none besides SKILL.md\n"
	}
	more := ""
	if len(files) > maxListed {
		files, more = files[:maxListed], fmt.Sprintf(" and %d more", len(files)-maxListed)
	}
	shown := make([]string, len(files))
	for i, f := range files {
		shown[i] = onOneLine(f)
	}
	return fmt.Sprintf("Files: %s%s\n", strings.Join(shown, ", "), more)
}

// onOneLine is a path as a model may see it: one that could pass for a line of ours,
// or hides something, is quoted.
func onOneLine(path string) string {
	if path == oneLine(path) {
		return path
	}
	return strconv.Quote(path)
}

func bodyForModel(ctx context.Context, res registry.Resolution[*Skill], req ReadRequest) (string, error) {
	head, err := header(ctx, res.Winner, req.Tools)
	if err != nil {
		return "", err
	}
	head = originLine(res) + head
	body, err := window(res.Winner.Value.Body, req, "")
	if err != nil {
		return "", err
	}
	text := head + "\n" + strings.TrimLeft(body, "\n")
	if req.Args != "" {
		text = WithArguments(text, req.Args)
	}
	return text, nil
}

// WithArguments appends what a skill was called with to its body.
func WithArguments(body, args string) string {
	return strings.TrimRight(body, "\n") + "\n\n## Invocation Arguments\n\n" + args + "\n"
}

// originPrefix begins the first line of a body's answer.
const originPrefix = "Skill: "

// originLine says which skill this is, by its source, and which of the same name
// it is not.
func originLine(res registry.Resolution[*Skill]) string {
	text := originPrefix + oneLine(res.Winner.Name) + " (" + res.Winner.Source.Name
	var behind []string
	for _, o := range res.Others {
		if o.By == registry.ByName && !slices.Contains(behind, o.Item.Source.Name) {
			behind = append(behind, o.Item.Source.Name)
		}
	}
	if len(behind) > 0 {
		text += ", ahead of " + strings.Join(behind, " and ")
	}
	return text + ")\n"
}

// Origin is what the answer of [ReadForModel] says about where the skill is from,
// "" for the answer about one of its files.
func Origin(answer string) string {
	first, _, _ := strings.Cut(answer, "\n")
	origin, _ := strings.CutPrefix(first, originPrefix)
	if origin == first {
		return ""
	}
	return origin
}

// header tells a model what it needs to use a body.
func header(ctx context.Context, it *Item, tools []string) (string, error) {
	dir, err := Dir(ctx, it)
	if err != nil {
		return "", err
	}
	files, err := Files(ctx, it)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Folder: %s\nRelative paths in this skill resolve there, not in the current folder.\n", onOneLine(dir))
	b.WriteString(fileList(files))
	b.WriteString(scriptTools(it))
	if unknown := UnknownTools(it.Value.AllowedTools, tools); tools != nil && len(unknown) > 0 {
		fmt.Fprintf(&b, "Warning: this skill asks for tools that this chat does not have: %s. Do these steps in another way, or say that they cannot be done.\n", oneLine(strings.Join(unknown, ", ")))
	}
	return b.String(), nil
}

func fileForModel(ctx context.Context, it *Item, req ReadRequest) (string, error) {
	data, err := ReadFile(ctx, it, req.Path)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(data) || strings.ContainsRune(string(data), 0) {
		return "", refuse("path", "%q of skill %q is not a text file (%d bytes)", req.Path, it.Name, len(data))
	}
	return window(string(data), req, req.Path)
}

// window is the part of a text that a call returns: from the line Offset on, at
// most MaxBody characters, cut at a line, with the call that goes on.
func window(text string, req ReadRequest, path string) (string, error) {
	if req.Offset <= 1 && utf8.RuneCountInString(text) <= MaxBody {
		return text, nil
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	first := max(req.Offset, 1) - 1
	if first >= len(lines) {
		return "", refuse("offset", "offset %d is behind the end: there are %d lines", req.Offset, len(lines))
	}
	var b strings.Builder
	room := MaxBody
	for i, line := range lines[first:] {
		n := utf8.RuneCountInString(line)
		if n > room && i > 0 {
			return b.String() + moreText(req.Name, path, first+i+1, len(lines)), nil
		}
		if n > room { // a single line over the limit: its end cannot be asked for
			line = string([]rune(line)[:room]) + fmt.Sprintf("\n[%d characters of this line were cut]\n", n-room)
		}
		b.WriteString(line)
		room -= min(n, room)
	}
	return b.String(), nil
}

func moreText(name, path string, line, total int) string {
	args := fmt.Sprintf("name=%q", name)
	if path != "" {
		args += fmt.Sprintf(", path=%q", path)
	}
	return fmt.Sprintf("\n[cut at line %d of %d: call read_skill(%s, offset=%d) for the rest]\n", line-1, total, args, line)
}
