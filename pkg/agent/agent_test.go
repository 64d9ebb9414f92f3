package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

func TestTurnAnswers(t *testing.T) {
	t.Parallel()
	m := &answers{steps: [][]any{
		{model.ReasoningDelta{Text: "hm"}, say("Hel"), say("lo there"), model.Usage{Input: 10, Output: 2, Cached: 5}, model.Finish{Reason: "stop"}},
	}}
	a := newAgent(m, tool{name: "look"})
	a.MaxOutput = 77
	res, err := a.Turn(t.Context(), "hi", session.Context{Text: "<skills/>"})
	if err != nil {
		t.Fatal(err)
	}
	want := session.Result{
		Answer: "Hello there", Stop: session.StopAnswer, Steps: 1, ToolCalls: []session.CalledTool{}, SkillsRead: []string{},
		Usage: model.Usage{Input: 10, Output: 2, Cached: 5}, Model: "test",
	}
	if !reflect.DeepEqual(res, want) {
		t.Errorf("got  %+v\nwant %+v", res, want)
	}
	if got := trace(a); got != "context user reasoning_delta text_delta usage" {
		t.Errorf("records: %s", got)
	}
	req := m.requests[0]
	if wantMessages := []model.Message{{Role: model.System, Content: "be kind"}, {Role: model.User, Content: "<skills/>\n\nhi"}}; !reflect.DeepEqual(req.Messages, wantMessages) {
		t.Errorf("messages %+v, want %+v", req.Messages, wantMessages)
	}
	if req.MaxOutput != 77 || len(req.Tools) != 1 || req.Tools[0].Name != "look" {
		t.Errorf("request %+v", req)
	}
}

func TestTurnRunsTools(t *testing.T) {
	t.Parallel()
	m := &answers{steps: [][]any{
		{say("I look."), callOf("a", "look", `{"n":1}`), callOf("b", "look", `{"n":2}`), model.Usage{Input: 1}},
		{say("It is done."), model.Usage{Input: 2}},
	}}
	four := 4
	a := newAgent(m, tool{name: "look", run: func(_ context.Context, c agent.Call) (agent.Output, error) {
		c.Output("stdout", "live")
		return agent.Output{
			Text: "saw " + string(c.Args), Failed: c.ID == "b", ExitCode: &four, SkillRead: "s" + c.ID,
			Warnings: []session.Warning{{Code: "w", Text: c.ID}},
		}, nil
	}})
	var watched []session.Record
	a.Watch = func(r session.Record) { watched = append(watched, r) }
	res := turn(t, a, "go")
	if res.Answer != "It is done." || res.Steps != 2 || res.Usage.Input != 3 || !slices.Equal(res.SkillsRead, []string{"sa", "sb"}) {
		t.Errorf("result %+v", res)
	}
	want := []session.CalledTool{
		{ID: "a", Name: "look", Args: json.RawMessage(`{"n":1}`), Status: "ok", ExitCode: &four},
		{ID: "b", Name: "look", Args: json.RawMessage(`{"n":2}`), Status: "error", ExitCode: &four},
	}
	if !reflect.DeepEqual(res.ToolCalls, want) {
		t.Errorf("calls %+v, want %+v", res.ToolCalls, want)
	}
	if got := trace(a); got != "user text_delta usage tool_call tool_output warning tool_result tool_call tool_output warning tool_result text_delta usage" {
		t.Errorf("records: %s", got)
	}
	if !reflect.DeepEqual(watched, a.History) {
		t.Error("who watches sees other records")
	}
	for i, r := range watched {
		if r.Seq != i+1 {
			t.Errorf("record %d has seq %d", i+1, r.Seq)
		}
	}
	if got := m.requests[1].Messages[2:]; len(got) != 3 || len(got[0].ToolCalls) != 2 || got[1].Content != `saw {"n":1}` || got[2].CallID != "b" {
		t.Errorf("second request %+v", got)
	}
}

func TestSkillsAreCountedOnce(t *testing.T) {
	t.Parallel()
	a := newAgent(&answers{steps: [][]any{{callOf("a", "look", ""), callOf("b", "look", "")}, {say("ok")}}}, tool{name: "look", run: func(context.Context, agent.Call) (agent.Output, error) {
		return agent.Output{SkillRead: "report"}, nil
	}})
	if res := turn(t, a, "go"); !slices.Equal(res.SkillsRead, []string{"report"}) {
		t.Errorf("read %q", res.SkillsRead)
	}
}

func TestTurnStops(t *testing.T) {
	t.Parallel()
	ask := tool{name: "ask_user", run: func(context.Context, agent.Call) (agent.Output, error) {
		return agent.Output{Text: "asked", Question: &session.Question{Text: "which?"}}, nil
	}}
	deny := asking{tool: tool{name: "write"}, request: agent.ApprovalRequest{Key: "write", Names: []string{"write"}, Ask: true}}
	tests := []struct {
		name  string
		steps [][]any
		tools []agent.Tool
		want  session.Stop
		calls int
	}{
		{"empty", [][]any{{say(" \n")}}, nil, session.StopEmpty, 0},
		{"invisible", [][]any{{say("\u200b \ufeff")}}, nil, session.StopEmpty, 0},
		{"limit", [][]any{{callOf("a", "look", "")}}, []agent.Tool{tool{name: "look"}}, session.StopLimit, 4},
		{"question", [][]any{{callOf("a", "ask_user", ""), callOf("b", "ask_user", "")}}, []agent.Tool{ask}, session.StopNeedsInput, 1},
		{"denied", [][]any{{callOf("a", "write", "")}, {say("I may not.")}}, []agent.Tool{deny}, session.StopDenied, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(&answers{steps: tt.steps}, tt.tools...)
			a.MaxSteps = 4
			res := turn(t, a, "go")
			if res.Stop != tt.want || len(res.ToolCalls) != tt.calls {
				t.Errorf("stop %s after %d calls, want %s after %d", res.Stop, len(res.ToolCalls), tt.want, tt.calls)
			}
			if (res.Question != nil) != (tt.want == session.StopNeedsInput) {
				t.Errorf("question %+v", res.Question)
			}
		})
	}
}

func TestTurnFails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		want session.Stop
	}{
		{"model", errors.New("500"), session.StopError},
		{"overflow", fmt.Errorf("ask: %w", &model.OverflowError{}), session.StopOverflow},
		{"deadline", context.DeadlineExceeded, session.StopTimeout},
		{"cancelled", context.Canceled, session.StopInterrupted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(&answers{steps: [][]any{{say("half an ans"), tt.err}}})
			res, err := a.Turn(t.Context(), "go", session.Context{})
			if !errors.Is(err, tt.err) || res.Stop != tt.want || res.Answer != "half an ans" || res.Steps != 1 {
				t.Errorf("result %+v, error %v", res, err)
			}
		})
	}
}

// Ctrl-C while a tool runs: the session goes on, and the next request is valid.
func TestTurnIsInterruptedInATool(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	m := &answers{steps: [][]any{{callOf("a", "slow", ""), callOf("b", "slow", "")}, {say("fine")}}}
	a := newAgent(m, tool{name: "slow", run: func(ctx context.Context, _ agent.Call) (agent.Output, error) {
		cancel()
		return agent.Output{}, ctx.Err()
	}})
	res, err := a.Turn(ctx, "go", session.Context{})
	if !errors.Is(err, context.Canceled) || res.Stop != session.StopInterrupted {
		t.Fatalf("result %+v, error %v", res, err)
	}
	if res := turn(t, a, "go on"); res.Answer != "fine" {
		t.Errorf("result %+v", res)
	}
	got := m.requests[1].Messages
	if len(got) != 5 || got[3].Role != model.Tool || got[3].Content != session.Interrupted || got[4].Content != "go on" {
		t.Errorf("second request %+v", got)
	}
}

func TestTurnEndsOnAFaultOfATool(t *testing.T) {
	t.Parallel()
	broken := errors.New("no sandbox")
	a := newAgent(&answers{steps: [][]any{{callOf("a", "look", "")}}}, tool{name: "look", run: func(context.Context, agent.Call) (agent.Output, error) {
		return agent.Output{}, broken
	}})
	res, err := a.Turn(t.Context(), "go", session.Context{})
	if !errors.Is(err, broken) || res.Stop != session.StopError {
		t.Errorf("result %+v, error %v", res, err)
	}
}

func TestRetriesAreRecorded(t *testing.T) {
	t.Parallel()
	a := newAgent(&answers{steps: [][]any{{model.Retry{Attempt: 2, After: 1500 * time.Millisecond, Reason: "429"}, say("ok")}}})
	turn(t, a, "go")
	if got, want := bodies[session.Retry](a), []session.Retry{{Attempt: 2, AfterMS: 1500, Reason: "429"}}; !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// The texts by which a model learns to call better.
func TestCallsThatNothingRuns(t *testing.T) {
	t.Parallel()
	strict := tool{name: "sum", schema: `{"type":"object","properties":{"file":{"type":"string"},"rows":{"type":"integer"}},"required":["file"],"additionalProperties":false}`}
	tests := []struct{ name, call, args, want string }{
		{"invented", "summ", "{}", `error: there is no tool "summ". Did you mean sum? Tools: sum, read_file.`},
		{"nothing like it", "browse", "{}", `error: there is no tool "browse". Tools: sum, read_file.`},
		{"missing", "sum", "", "error: the arguments of sum were refused; nothing ran.\n- (root): missing required file\nCall sum again with arguments such as {\"file\":\"text\"}"},
		{"wrong type", "sum", `{"file":"a","rows":"many"}`, "error: the arguments of sum were refused; nothing ran.\n- rows: expected integer, got string\nCall sum again with arguments such as {\"file\":\"a\"}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			strict := strict
			strict.run = func(context.Context, agent.Call) (agent.Output, error) {
				t.Error("the tool ran")
				return agent.Output{}, nil
			}
			a := newAgent(&answers{steps: [][]any{{callOf("a", tt.call, tt.args)}, {say("ok")}}}, strict, tool{name: "read_file"})
			turn(t, a, "go")
			res := bodies[session.ToolResult](a)[0]
			if res.Content != tt.want || res.Status != "error" {
				t.Errorf("%s\n%s\nwant\n%s", res.Status, res.Content, tt.want)
			}
			if call := bodies[session.ToolCall](a)[0]; !json.Valid(call.Args) {
				t.Errorf("the record has arguments %q", call.Args)
			}
		})
	}
}

func TestTruncatedArgumentsNeverRun(t *testing.T) {
	t.Parallel()
	for _, args := range []string{`{"n":1`, `{"n":`, `{"n":12`, `{`, `nonsense`} {
		a := newAgent(&answers{steps: [][]any{{callOf("a", "look", args)}, {say("ok")}}}, tool{name: "look", run: func(context.Context, agent.Call) (agent.Output, error) {
			t.Errorf("%s ran", args)
			return agent.Output{}, nil
		}})
		turn(t, a, "go")
		if res := bodies[session.ToolResult](a)[0]; res.Status != "error" || !strings.HasPrefix(res.Content, "error: ") {
			t.Errorf("%s: %+v", args, res)
		}
	}
}

func TestCallsAreMended(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, call, args, want, what string }{
		{"as it is", "read_file", `{"n":1}`, `read_file {"n":1}`, ""},
		{"case", "Read_File", `{}`, `read_file {}`, `name "Read_File" to "read_file"`},
		{"hyphen", "read-file", `null`, `read_file {}`, `name "read-file" to "read_file"`},
		{"prefix", "functions.read_file", ``, `read_file {}`, `name "functions.read_file" to "read_file"`},
		{"package", "pkg:read-file", `{}`, `read_file {}`, `name "pkg:read-file" to "read_file"`},
		{"type", "read_file", `{"n":"7"}`, `read_file {"n":7}`, "n: string to integer"},
		{"alias", "Skill", `{"skill":7}`, `read_file {"n":7}`, `name "Skill" to "read_file"`},
		{"alias with the tool's own argument", "skill", `{"n":7}`, `read_file {"n":7}`, `name "skill" to "read_file"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(&answers{steps: [][]any{{callOf("a", tt.call, tt.args)}, {say("ok")}}},
				aliased{tool{name: "read_file"}, agent.Alias{Name: "Skill", Args: map[string]string{"skill": "n"}}}, tool{name: "other"})
			turn(t, a, "go")
			if res := bodies[session.ToolResult](a)[0]; res.Content != tt.want || res.Name != "read_file" {
				t.Errorf("%s says %q, want %q", res.Name, res.Content, tt.want)
			}
			var what []string
			for _, r := range bodies[session.Repair](a) {
				what = append(what, r.What...)
			}
			if got := strings.Join(what, "; "); got != tt.what {
				t.Errorf("mended %q, want %q", got, tt.what)
			}
		})
	}
}

func TestNamesThatCouldBeTwoAreNotGuessed(t *testing.T) {
	t.Parallel()
	a := newAgent(&answers{steps: [][]any{{callOf("a", "READ-FILE", "")}, {say("ok")}}}, tool{name: "read_file"}, tool{name: "Read_File"})
	turn(t, a, "go")
	if res := bodies[session.ToolResult](a)[0]; res.Status != "error" {
		t.Errorf("%s ran", res.Name)
	}
}

func TestAliasNeverHidesATool(t *testing.T) {
	t.Parallel()
	a := newAgent(&answers{steps: [][]any{{callOf("a", "Skill", "{}")}, {say("ok")}}},
		aliased{tool{name: "read_skill"}, agent.Alias{Name: "Skill"}}, tool{name: "skill"})
	turn(t, a, "go")
	if res := bodies[session.ToolResult](a)[0]; res.Name != "skill" {
		t.Errorf("%s ran", res.Name)
	}
}

func TestErrorsForTheModel(t *testing.T) {
	t.Parallel()
	run := tool{name: "run", run: func(context.Context, agent.Call) (agent.Output, error) {
		return agent.Output{}, &agent.ModelError{Text: "error: try again"}
	}}
	asks := asking{tool: tool{name: "asks"}, err: &agent.ModelError{Text: "error: no such file"}}
	a := newAgent(&answers{steps: [][]any{{callOf("a", "run", ""), callOf("b", "asks", "")}, {say("ok")}}}, run, asks)
	res := turn(t, a, "go")
	var got []string
	for _, r := range bodies[session.ToolResult](a) {
		got = append(got, r.Status+" "+r.Content)
	}
	if want := []string{"error error: try again", "error error: no such file"}; !slices.Equal(got, want) || res.Stop != session.StopAnswer {
		t.Errorf("got %q, stop %s", got, res.Stop)
	}
	if n := len(bodies[session.Approval](a)); n > 0 {
		t.Error("somebody was asked about a call that makes no sense")
	}
}

func TestASchemaThatIsNone(t *testing.T) {
	t.Parallel()
	a := newAgent(&answers{steps: [][]any{{say("ok")}}}, tool{name: "bad", schema: `{"type":5}`})
	if _, err := a.Turn(t.Context(), "go", session.Context{}); err == nil || !strings.HasPrefix(err.Error(), "schema of tool bad: ") {
		t.Errorf("error %v, want one that names the tool", err)
	}
	a.SetTools([]agent.Tool{tool{name: "good"}})
	if res := turn(t, a, "go"); res.Answer != "ok" {
		t.Errorf("result %+v", res)
	}
}

// A session that is resumed sends the bytes that one which never stopped sends.
func TestResumedSessionSendsTheSame(t *testing.T) {
	t.Parallel()
	steps := [][]any{{say("x"), callOf("a", "look", `{"n":1}`)}, {say("one")}, {say("two")}}
	through := &answers{steps: steps}
	a := newAgent(through, tool{name: "look"})
	turn(t, a, "first")
	records := slices.Clone(a.History)
	turn(t, a, "second")

	resumed := &answers{steps: steps[2:]}
	b := newAgent(resumed, tool{name: "look"})
	for _, r := range records { // as they come out of a file
		line, err := r.Line()
		if err != nil {
			t.Fatal(err)
		}
		var back session.Record
		if err := json.Unmarshal(line, &back); err != nil {
			t.Fatal(err)
		}
		b.History = append(b.History, back)
	}
	if err := b.Note(session.Init{Resumed: true}); err != nil {
		t.Fatal(err)
	}
	turn(t, b, "second")
	if got, want := resumed.requests[0], through.requests[2]; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// failing keeps records until one of a type comes.
type failing struct {
	session.Ephemeral
	at session.Type
}

var errFull = errors.New("disk is full")

func (f *failing) Append(step int, body session.Body) (session.Record, error) {
	if session.TypeOf(body) == f.at {
		return session.Record{}, errFull
	}
	return f.Ephemeral.Append(step, body)
}

// What cannot be recorded did not happen: the turn ends.
func TestRecordsThatCannotBeKept(t *testing.T) {
	t.Parallel()
	for _, at := range []session.Type{
		session.TypeContext, session.TypeUser, session.TypeTextDelta, session.TypeUsage, session.TypeToolCall,
		session.TypeRepair, session.TypeApproval, session.TypeWarning, session.TypeToolResult,
	} {
		t.Run(string(at), func(t *testing.T) {
			t.Parallel()
			m := &answers{steps: [][]any{{say("x"), model.Usage{}, callOf("a", "Look", "")}, {say("ok")}}}
			a := newAgent(m, asking{tool: tool{name: "look", run: func(context.Context, agent.Call) (agent.Output, error) {
				return agent.Output{Warnings: []session.Warning{{Code: "w"}}}, nil
			}}})
			a.Log = &failing{session.Ephemeral{Now: func() time.Time { return noon }}, at}
			res, err := a.Turn(t.Context(), "go", session.Context{Text: "c"})
			if !errors.Is(err, errFull) || res.Stop != session.StopError {
				t.Errorf("result %+v, error %v", res, err)
			}
		})
	}
}

// A tool's output comes from several goroutines.
func TestOutputFromManyGoroutines(t *testing.T) {
	t.Parallel()
	a := newAgent(&answers{steps: [][]any{{callOf("a", "look", "")}, {say("ok")}}}, tool{name: "look", run: func(_ context.Context, c agent.Call) (agent.Output, error) {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { c.Output("stderr", "x") })
		}
		wg.Wait()
		return agent.Output{}, nil
	}})
	turn(t, a, "go")
	if n := len(bodies[session.ToolOutput](a)); n != 8 {
		t.Errorf("%d pieces, want 8", n)
	}
}
