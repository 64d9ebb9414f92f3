//go:build unix

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"
)

// TestTerminal runs testdata/pty: what a person sees on a terminal. Besides
// testscript's own words there are
//
//	term WIDTHxHEIGHT [NAME=VALUE…] PROGRAM ARGS…   start a program on a terminal
//	type TEXT…       type words, with blanks between them
//	key NAME…        press keys: enter, esc, tab, up, ctrl+c, alt+enter, …
//	paste FILE       paste the text of a file as a terminal does
//	resize WIDTHxHEIGHT
//	shows TEXT       wait until the screen shows a text (\n begins a line); ! shows TEXT
//	                 until it does not
//	decide KEY       press a key that answers a request, after reading it
//	screen FILE      wait until the screen is what the file says; -update writes it
//	transcript FILE  the same with what was scrolled away above it
//	ended CODE       wait until the program ends with this exit code
//	signal NAME      send INT or TERM
//	capture NAME [FROM]  keep what the terminal showed as a screen of a document, or
//	                 what stands there from a line with FROM on
//	document FROM TO compare FROM, with its {{NAME}} replaced by those screens, with
//	                 the file TO of the repository
func TestTerminal(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: ptyDir, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: setupTerminal, Cmds: withCommands(terminalCommands),
		Condition: scriptCondition,
	})
}

var ptyDir = filepath.Join("testdata", "pty")

// reading is how long a person looks at a request before a key: one that comes at
// once was meant for something else.
const reading = 600 * time.Millisecond

// patience is how long a screen may take. It is only waited for when a test fails.
const patience = 20 * time.Second

func withCommands(more map[string]func(*testscript.TestScript, bool, []string)) map[string]func(*testscript.TestScript, bool, []string) {
	all := maps.Clone(scriptCommands)
	maps.Copy(all, more)
	return all
}

func setupTerminal(env *testscript.Env) error {
	if err := setupScript(env); err != nil {
		return err
	}
	env.Values[terminalKey{}] = &terminal{updates: map[string]string{}, screens: map[string]string{}}
	env.Setenv("TERM", "xterm-256color")
	env.Setenv("LANG", "C.UTF-8")
	env.Setenv("TZ", "UTC")
	return nil
}

type terminalKey struct{}

// terminal is a program on a pseudo-terminal with an emulator behind it.
type terminal struct {
	cmd     *exec.Cmd
	pty     *os.File
	mu      sync.Mutex // of emu
	emu     *vt.Emulator
	done    chan struct{}
	line    string            // as a person would have typed it
	updates map[string]string // golden screens to write
	screens map[string]string // what capture kept
}

var terminalCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"term": func(ts *testscript.TestScript, _ bool, args []string) { terminalOf(ts).start(ts, args) },
	"type": func(ts *testscript.TestScript, _ bool, args []string) {
		terminalOf(ts).send(ts, strings.Join(args, " "))
	},
	"key": func(ts *testscript.TestScript, _ bool, args []string) {
		for _, name := range args {
			terminalOf(ts).send(ts, keySequence(ts, name))
		}
	},
	"paste": func(ts *testscript.TestScript, _ bool, args []string) {
		terminalOf(ts).send(ts, "\x1b[200~"+strings.TrimSuffix(ts.ReadFile(args[0]), "\n")+"\x1b[201~")
	},
	"decide": func(ts *testscript.TestScript, _ bool, args []string) {
		time.Sleep(reading)
		terminalOf(ts).send(ts, keySequence(ts, args[0]))
	},
	"resize": func(ts *testscript.TestScript, _ bool, args []string) { terminalOf(ts).resize(ts, args[0]) },
	"shows": func(ts *testscript.TestScript, neg bool, args []string) {
		terminalOf(ts).wait(ts, strings.ReplaceAll(strings.Join(args, " "), `\n`, "\n"), !neg)
	},
	"screen":     func(ts *testscript.TestScript, _ bool, args []string) { terminalOf(ts).golden(ts, args[0], false) },
	"transcript": func(ts *testscript.TestScript, _ bool, args []string) { terminalOf(ts).golden(ts, args[0], true) },
	"ended":      func(ts *testscript.TestScript, _ bool, args []string) { terminalOf(ts).ended(ts, args[0]) },
	"signal":     func(ts *testscript.TestScript, _ bool, args []string) { terminalOf(ts).signal(ts, args[0]) },
	"capture":    func(ts *testscript.TestScript, _ bool, args []string) { terminalOf(ts).capture(ts, args) },
	"document":   func(ts *testscript.TestScript, _ bool, args []string) { terminalOf(ts).document(ts, args[0], args[1]) },
}

func terminalOf(ts *testscript.TestScript) *terminal { return ts.Value(terminalKey{}).(*terminal) }

func (t *terminal) start(ts *testscript.TestScript, args []string) {
	size, args := sizeOf(ts, args[0]), args[1:]
	var env []string
	for _, name := range []string{"HOME", "PATH", "TERM", "LANG", "TZ", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR", "AGENTCTL_MODEL", "GOCOVERDIR"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	for len(args) > 0 && strings.Contains(args[0], "=") {
		env, args = append(env, args[0]), args[1:]
	}
	if t.pty != nil {
		_ = t.pty.Close() // of the program before
	}
	t.line = commandLine(args)
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	t.cmd = exec.Command(path, args[1:]...)
	t.cmd.Dir, t.cmd.Env = ts.Getenv("WORK"), env
	t.pty, err = pty.StartWithSize(t.cmd, size)
	ts.Check(err)
	t.emu = vt.NewEmulator(int(size.Cols), int(size.Rows))
	t.done = make(chan struct{})
	tty, emu, done := t.pty, t.emu, t.done   // a script can start another program
	go func() { _, _ = io.Copy(tty, emu) }() // what the terminal answers
	go func() {
		defer close(done)
		_, _ = io.Copy(locked{&t.mu, emu}, tty)
	}()
	ts.Defer(func() { t.stop(ts) })
}

// locked writes to the emulator while nobody looks at it.
type locked struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// stop ends a program that a failed script left behind, and writes golden screens.
func (t *terminal) stop(ts *testscript.TestScript) {
	if t.cmd.ProcessState == nil {
		_ = t.cmd.Process.Kill()
		_ = t.cmd.Wait()
	}
	_ = t.pty.Close()
	if answers, ok := t.emu.InputPipe().(io.Closer); ok {
		_ = answers.Close()
	}
	t.write(ts)
}

// write puts golden screens into the script's own archive.
func (t *terminal) write(ts *testscript.TestScript) {
	if len(t.updates) == 0 {
		return
	}
	file := filepath.Join(ts.Getenv("REPO"), "internal", "cli", ptyDir, ts.Name()+".txtar")
	archive, err := txtar.ParseFile(file)
	ts.Check(err)
	for name, text := range t.updates {
		i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
		if i < 0 {
			archive.Files = append(archive.Files, txtar.File{Name: name})
			i = len(archive.Files) - 1
		}
		archive.Files[i].Data = []byte(text)
	}
	ts.Check(os.WriteFile(file, txtar.Format(archive), 0o644))
	clear(t.updates)
}

func sizeOf(ts *testscript.TestScript, text string) *pty.Winsize {
	var size pty.Winsize
	if _, err := fmt.Sscanf(text, "%dx%d", &size.Cols, &size.Rows); err != nil {
		ts.Fatalf("%q is no size such as 80x24", text)
	}
	return &size
}

func (t *terminal) resize(ts *testscript.TestScript, text string) {
	size := sizeOf(ts, text)
	t.mu.Lock()
	t.emu.Resize(int(size.Cols), int(size.Rows))
	t.mu.Unlock()
	ts.Check(pty.Setsize(t.pty, size))
}

func (t *terminal) send(ts *testscript.TestScript, text string) {
	_, err := io.WriteString(t.pty, text)
	ts.Check(err)
}

// keys are what terminals send for keys that are no text.
var keys = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "backspace": "\x7f", "space": " ",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"delete": "\x1b[3~", "alt+enter": "\x1b\r", "pgdown": "\x1b[6~",
}

func keySequence(ts *testscript.TestScript, name string) string {
	if seq, ok := keys[name]; ok {
		return seq
	}
	if letter, ok := strings.CutPrefix(name, "ctrl+"); ok && len(letter) == 1 {
		return string(rune(letter[0] & 0x1f))
	}
	if len(name) == 1 {
		return name
	}
	ts.Fatalf("there is no key %q", name)
	return ""
}

// wait polls until the screen shows a text, or shows it no more.
func (t *terminal) wait(ts *testscript.TestScript, text string, want bool) {
	t.until(ts, fmt.Sprintf("the screen to show %q (%t)", text, want), func() bool {
		return strings.Contains(t.text(false), text) == want
	})
}

func (t *terminal) until(ts *testscript.TestScript, what string, ok func() bool) {
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("waited in vain for %s; it shows\n%s", what, t.text(true))
		}
	}
}

// golden waits until the screen is what a file says.
func (t *terminal) golden(ts *testscript.TestScript, name string, scrollback bool) {
	if *update {
		t.updates[name] = t.quiet(ts, scrollback)
		return
	}
	want := ts.ReadFile(name)
	for deadline := time.Now().Add(patience); t.text(scrollback) != want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("%s: the screen shows\n%swant\n%s", name, t.text(scrollback), want)
		}
	}
}

// quiet is the screen once it has stopped changing.
func (t *terminal) quiet(ts *testscript.TestScript, scrollback bool) string {
	last, since := t.text(scrollback), time.Now()
	t.until(ts, "a quiet screen", func() bool {
		if now := t.text(scrollback); now != last {
			last, since = now, time.Now()
		}
		return time.Since(since) > 700*time.Millisecond
	})
	return last
}

func (t *terminal) ended(ts *testscript.TestScript, code string) {
	select {
	case <-t.done:
	case <-time.After(patience):
		ts.Fatalf("the program does not end; the screen shows\n%s", t.text(true))
	}
	err := t.cmd.Wait()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		ts.Check(err)
	}
	if got := t.cmd.ProcessState.ExitCode(); strconv.Itoa(got) != code {
		ts.Fatalf("exit code %d, want %s; the screen shows\n%s", got, code, t.text(true))
	}
}

func (t *terminal) signal(ts *testscript.TestScript, name string) {
	ts.Check(t.cmd.Process.Signal(map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM}[name]))
}

// What differs from run to run is replaced by text of the same width, or left out.
var (
	sessionID = regexp.MustCompile(`\b[0-9a-f]{12}\b`)
	duration  = regexp.MustCompile(`,? \d+(\.\d+)? m?s\b`)
	clock     = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`)
)

// text is the screen as text: no blanks at the ends of lines, no empty lines at
// the end.
func (t *terminal) text(scrollback bool) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	if scrollback {
		for y := range t.emu.ScrollbackLen() {
			lines = append(lines, t.row(y, t.emu.ScrollbackCellAt))
		}
	}
	for y := range t.emu.Height() {
		lines = append(lines, t.row(y, t.emu.CellAt))
	}
	text := strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
	text = strings.ReplaceAll(text, t.cmd.Dir, "~/work")
	text = sessionID.ReplaceAllString(text, "SESSION-ID--")
	text = clock.ReplaceAllString(text, "DATE------ TIME-")
	return duration.ReplaceAllString(text, "")
}

func (t *terminal) row(y int, at func(x, y int) *uv.Cell) string {
	var row bytes.Buffer
	for x := 0; x < t.emu.Width(); {
		c := at(x, y)
		if c == nil || c.Width == 0 || c.Content == "" {
			row.WriteByte(' ')
			x++
			continue
		}
		row.WriteString(c.Content)
		x += c.Width
	}
	return strings.TrimRight(row.String(), " ")
}

func commandLine(args []string) string {
	words := slices.Clone(args)
	for i, w := range words {
		if strings.Contains(w, " ") {
			words[i] = "'" + w + "'"
		}
	}
	return strings.Join(words, " ")
}

// capture keeps the command and everything that the terminal showed, or a part.
func (t *terminal) capture(ts *testscript.TestScript, args []string) {
	if len(args) == 1 {
		t.screens[args[0]] = fmt.Sprintf("```text\n$ %s\n%s```", t.line, t.text(true))
		return
	}
	lines := strings.SplitAfter(t.text(false), "\n")
	from := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, args[1]) })
	if from < 0 {
		ts.Fatalf("no line has %q", args[1])
	}
	t.screens[args[0]] = "```text\n" + strings.Join(lines[from:], "") + "```"
}

// document puts the screens into a page and compares it.
func (t *terminal) document(ts *testscript.TestScript, from, to string) {
	page := ts.ReadFile(from)
	for name, screen := range t.screens {
		page = strings.ReplaceAll(page, "{{"+name+"}}", screen)
	}
	file := filepath.Join(ts.Getenv("REPO"), filepath.FromSlash(to))
	if *update {
		ts.Check(os.WriteFile(file, []byte(page), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	ts.Check(err)
	if page != string(want) {
		ts.Fatalf("%s is out of date (go test ./internal/cli -run TestTerminal -update); it would be\n%s", to, page)
	}
}
