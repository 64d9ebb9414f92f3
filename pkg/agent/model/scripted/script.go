// Package scripted is a model that follows a script: a YAML file that says, step
// by step, which request is expected and what is answered. It serves a first run
// without any model, tests of skills and tools, and tests of agentctl itself.
//
// A script answers over the wire format of chat completions or messages, in
// process ([Script.Model]) or as an HTTP handler ([Script.Handler], see package
// agenttest), so what it drives is the real client either way.
//
// # Steps
//
// A request takes the next step, whose `when` has to match; a request that does
// not match, one too many, and a step that no request took are errors. That is
// strict mode, the default, and it describes one run of the program: a
// conversation over several runs (--continue) has one file a run, and `messages`
// or `user` tell that the earlier turns are there.
//
// With `strict: false` a request takes the first unused step whose `when`
// matches, and steps may be left over. So one file can hold a whole conversation
// for several runs: every run takes the steps that fit its requests. With
// `loop: true` all steps count as unused again when none fits.
package scripted

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/agentctl/agentctl/internal/frontmatter"
)

// Script is a loaded script and how far it has been followed. It is safe for
// concurrent use; it describes one run.
type Script struct {
	file string
	spec spec

	mu     sync.Mutex
	used   []int             // how often each step was taken
	ids    map[string]string // id in the script -> id that was sent
	missed *MismatchError
	asked  int // requests so far, for the record
}

// Info is what a script says about the model that it plays.
type Info struct {
	// ContextWindow in tokens; 0 is unknown.
	ContextWindow int `yaml:"context_window"`
	// Tools is native (calls are calls), text (calls are written into the text)
	// or none (the same, and a request that offers tools is refused); "" is native.
	Tools string `yaml:"tools"`
	// Parallel says whether one answer may hold several calls; unset means yes.
	Parallel *bool `yaml:"parallel"`
}

type spec struct {
	Version int    `yaml:"version"`
	Model   Info   `yaml:"model"`
	Strict  *bool  `yaml:"strict"`
	Loop    bool   `yaml:"loop"`
	Record  string `yaml:"record"`
	Steps   []step `yaml:"steps"`
}

type step struct {
	When  when   `yaml:"when"`
	Reply *reply `yaml:"reply"`
	Fail  *fail  `yaml:"fail"`
	SSE   any    `yaml:"sse"` // a text, or a list of lines
}

type when struct {
	User           string      `yaml:"user"`
	ToolResult     *toolResult `yaml:"tool_result"`
	SystemContains string      `yaml:"system_contains"`
	Tools          []string    `yaml:"tools"` // nil: not checked; empty: none
	ToolsInclude   []string    `yaml:"tools_include"`
	Messages       *int        `yaml:"messages"`
}

type toolResult struct {
	Name     string `yaml:"name"`
	Contains string `yaml:"contains"`
}

type reply struct {
	Text      string     `yaml:"text"`
	Thinking  string     `yaml:"thinking"`
	ToolCalls []toolCall `yaml:"tool_calls"`
	Finish    string     `yaml:"finish"`
	Usage     *usage     `yaml:"usage"`
	Chunk     int        `yaml:"chunk"` // bytes of text in one event; 0 = all
	Delay     string     `yaml:"delay"` // before each event
}

type toolCall struct {
	ID      *string        `yaml:"id"` // unset: call_1, call_2, …; "": none is sent
	Name    string         `yaml:"name"`
	Args    map[string]any `yaml:"args"`
	RawArgs *string        `yaml:"raw_args"`
}

type usage struct {
	In     int `yaml:"in"`
	Out    int `yaml:"out"`
	Cached int `yaml:"cached"`
}

type fail struct {
	Status     int               `yaml:"status"`
	Headers    map[string]string `yaml:"headers"`
	Body       string            `yaml:"body"`
	AfterBytes *int              `yaml:"after_bytes"`
	Hang       bool              `yaml:"hang"`
	Times      int               `yaml:"times"`
}

// Load reads a script; file is its path, for messages and as the place that a
// relative `record` starts from. Everything that can be checked without a request
// is checked here.
func Load(file string, data []byte) (*Script, error) {
	s := &Script{file: file, ids: map[string]string{}}
	if err := frontmatter.UnmarshalStrict(file, data, &s.spec); err != nil {
		return nil, err
	}
	if err := s.spec.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s.spec.number()
	s.used = make([]int, len(s.spec.Steps))
	return s, nil
}

// Info returns what the script says about its model.
func (s *Script) Info() Info { return s.spec.Model }

func (s *spec) check() error {
	if s.Version != 1 {
		return fmt.Errorf("version is %d; this program reads scripts with `version: 1`", s.Version)
	}
	if t := s.Model.Tools; t != "" && t != "native" && t != "text" && t != "none" {
		return fmt.Errorf("model.tools is %q; it must be native, text or none", t)
	}
	if len(s.Steps) == 0 {
		return fmt.Errorf("steps is empty; a script needs at least one step")
	}
	for i, st := range s.Steps {
		if err := st.check(s.Model); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

func (st step) check(info Info) error {
	if _, err := regexp.Compile(st.When.User); err != nil {
		return fmt.Errorf("when.user: %w", err)
	}
	if _, err := st.lines(); err != nil {
		return err
	}
	if st.Reply != nil && st.SSE != nil {
		return fmt.Errorf("has both reply and sse; a step answers with one of them")
	}
	if st.Reply == nil && st.SSE == nil && st.Fail == nil {
		return fmt.Errorf("has no reply, fail or sse; it needs one of them")
	}
	if st.Fail != nil && st.Fail.Status != 0 && (st.Reply != nil || st.SSE != nil) {
		return fmt.Errorf("has an answer and fail.status; only after_bytes and hang go together with an answer")
	}
	if st.Reply != nil {
		return st.Reply.check(info)
	}
	return nil
}

func (r *reply) check(info Info) error {
	if info.Parallel != nil && !*info.Parallel && len(r.ToolCalls) > 1 {
		return fmt.Errorf("has %d tool calls, but model.parallel is false", len(r.ToolCalls))
	}
	if _, err := r.delay(); err != nil {
		return fmt.Errorf("reply.delay: %w", err)
	}
	texts := []string{r.Text, r.Thinking}
	for _, c := range r.ToolCalls {
		if c.Args != nil && c.RawArgs != nil {
			return fmt.Errorf("tool call %q has both args and raw_args; use one", c.Name)
		}
		if _, err := json.Marshal(c.Args); err != nil {
			return fmt.Errorf("tool call %q: args: %w", c.Name, err)
		}
		texts = append(texts, stringsIn(c.Args)...)
		if c.RawArgs != nil {
			texts = append(texts, *c.RawArgs)
		}
	}
	for _, text := range texts {
		if _, err := parse(text, nil); err != nil {
			return err
		}
	}
	return nil
}

func (r *reply) delay() (time.Duration, error) {
	if r.Delay == "" {
		return 0, nil
	}
	return time.ParseDuration(r.Delay)
}

// number gives every call without an id one by its place in the file, so that
// templates can name it.
func (s *spec) number() {
	n := 0
	for _, st := range s.Steps {
		if st.Reply == nil {
			continue
		}
		for i := range st.Reply.ToolCalls {
			n++
			if st.Reply.ToolCalls[i].ID == nil {
				id := fmt.Sprintf("call_%d", n)
				st.Reply.ToolCalls[i].ID = &id
			}
		}
	}
}

// times is how many requests a step answers.
func (st step) times() int {
	if st.Fail != nil && st.Fail.Times > 1 {
		return st.Fail.Times
	}
	return 1
}
