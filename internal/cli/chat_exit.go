package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/agent/chat"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
	"github.com/agentctl/agentctl/pkg/agent/model/scripted"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// stopExits is the exit code of each reason to stop.
var stopExits = map[session.Stop]int{
	session.StopAnswer:      exitOK,
	session.StopDenied:      exitRefused,
	session.StopLimit:       exitNoAnswer,
	session.StopLoop:        exitNoAnswer,
	session.StopEmpty:       exitNoAnswer,
	session.StopNeedsInput:  exitNoAnswer,
	session.StopOverflow:    exitOverflow,
	session.StopTimeout:     exitTimeout,
	session.StopInterrupted: exitInterrupted,
	session.StopError:       exitFailed,
}

func exitOfStop(s session.Stop) int {
	if code, ok := stopExits[s]; ok {
		return code
	}
	return exitFailed
}

// stopOfExit is the reason for a run that ended in an error.
func stopOfExit(exit int) session.Stop {
	switch exit {
	case exitRefused:
		return session.StopDenied
	case exitOverflow:
		return session.StopOverflow
	case exitTimeout:
		return session.StopTimeout
	case exitInterrupted:
		return session.StopInterrupted
	}
	return session.StopError
}

// stopFailure says why a run without an error did not end in an answer.
func stopFailure(res session.Result) failure {
	f := failure{Origin: "host", Kind: string(res.Stop), Exit: res.Exit}
	switch res.Stop {
	case session.StopDenied:
		f.Message = "a call was denied"
		f.Hint = deniedHint(res)
	case session.StopLimit:
		f.Message = fmt.Sprintf("stopped after %s without an answer", termtext.Count(res.Steps, "step"))
		f.Hint = "raise --max-steps, or go on with --continue"
	case session.StopLoop:
		f.Message = "stopped: the model repeats itself: the same call, calls that cannot run, or the same words again and again"
		f.Hint = "ask in another way, or try another model"
	case session.StopEmpty:
		f.Message = "the model gave an empty answer"
		f.Hint = "try again, or another model"
	case session.StopNeedsInput:
		f.Message = "the model asks a question"
		f.Hint = "answer with: agentctl chat --continue -p TEXT"
	}
	return f
}

func deniedHint(res session.Result) string {
	if len(res.Denied) == 0 {
		return "chat.approvals.deny of your configuration denies it (agentctl config show)"
	}
	return "allow it with --allow " + shellWord(strings.Join(res.Denied, ","))
}

// chatError maps what a signal or --timeout interrupted to its own code.
func chatError(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return hintedError{err: lateError("there was no answer in time"), hint: "raise --timeout, or go on with --continue"}
	}
	if ctx.Err() != nil {
		return interruptedError{err}
	}
	return err
}

// lateError reports what --timeout ended.
type lateError string

func (e lateError) Error() string { return string(e) }
func (lateError) Unwrap() error   { return context.DeadlineExceeded }

func failureOf(e *session.Error) failure {
	return failure{Origin: e.Origin, Kind: e.Kind, Message: e.Message, Hint: e.Hint, Exit: e.Exit}
}

// appRefusedError reports an app that may not start a chat.
type appRefusedError struct {
	app      string
	findings []diag.Diagnostic // at least one
}

func (e *appRefusedError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "app %q cannot start", e.app)
	for _, d := range e.findings {
		text.WriteString("\n" + d.String())
	}
	return text.String()
}

// hint has the fix of each finding.
func (e *appRefusedError) hint() string {
	var fixes []string
	for _, d := range e.findings {
		if d.Fix != "" && !slices.Contains(fixes, d.Fix) {
			fixes = append(fixes, d.Fix)
		}
	}
	return strings.Join(fixes, "\n")
}

// noModelHint has the three ways on for somebody without a model.
const noModelHint = `name one: agentctl chat --model ollama/qwen3:14b
or set a key: export OPENAI_API_KEY=…
(or ANTHROPIC_API_KEY, OPENROUTER_API_KEY, AGENTCTL_BASE_URL)
or try it without a model: agentctl chat --model scripted:demo`

// agentKind maps the errors of chats and models.
func agentKind(err error) (kind string, exit int, hint string, ok bool) {
	if e, ok := as[*appRefusedError](err); ok {
		return "app_refused", exitCheck, e.hint(), true
	}
	if _, ok := as[*chat.AppError](err); ok {
		return "app_refused", exitCheck, "agentctl app lint shows what is wrong", true
	}
	if e, ok := as[*choose.UnknownError](err); ok {
		return "not_found", exitUsage, fmt.Sprintf("models in the configuration: %s\nor SERVER/ID with one of: %s",
			orNone(e.Models), strings.Join(e.Providers, ", ")), true
	}
	if e, ok := as[*choose.UnknownProviderError](err); ok {
		return "not_found", exitUsage, "providers: " + strings.Join(e.Known, ", "), true
	}
	if _, ok := as[*choose.BaseURLError](err); ok {
		return "usage", exitUsage, "", true
	}
	if _, ok := as[*choose.NoneError](err); ok {
		return "no_model", exitUsage, noModelHint, true
	}
	if e, ok := as[*choose.SeveralError](err); ok {
		return "several_models", exitUsage, "choose one: --model " + e.Names[0], true
	}
	if _, ok := as[*choose.ScriptError](err); ok {
		return "script", exitUsage, scriptHint(err), true
	}
	if kind, exit, hint, ok := checkKind(err); ok {
		return kind, exit, hint, true
	}
	return modelKind(err)
}

func scriptHint(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "give the path of a script, from the current folder, or scripted:demo"
	}
	return "see docs/models.md for the format"
}

func modelKind(err error) (kind string, exit int, hint string, ok bool) {
	if e, ok := as[*model.AuthError](err); ok {
		return "auth", exitFailed, keyHint(e), true
	}
	if e, ok := as[*model.RateError](err); ok {
		return "rate", exitFailed, rateHint(e), true
	}
	if _, ok := as[*model.OverflowError](err); ok {
		return "overflow", exitOverflow, "shorten the prompt, start a new session, or use a model with a larger window", true
	}
	if _, ok := as[*model.ToolsUnsupportedError](err); ok {
		return "tools_unsupported", exitFailed, "set tool_mode: auto or text for this model, or use an app with tools: []", true
	}
	if _, ok := as[*model.CutStreamError](err); ok {
		return "cut_stream", exitFailed, "try again; the session keeps what came", true
	}
	if e, ok := as[*model.ServerError](err); ok {
		return "server", exitFailed, serverHint(e), true
	}
	if _, ok := as[*scripted.MismatchError](err); ok {
		return "script_mismatch", exitFailed, "", true
	}
	return sessionKind(err)
}

func rateHint(e *model.RateError) string {
	switch {
	case e.Quota:
		return "raise the limit of the account, or use another model"
	case e.After > 0:
		return "try again after that time, or use another model"
	}
	return "wait a little and try again"
}

func serverHint(e *model.ServerError) string {
	switch {
	case e.Status == http.StatusNotFound:
		return "check the name of the model and the address: agentctl chat --check, agentctl config show"
	case e.Status >= http.StatusInternalServerError:
		return "the server failed: try again, and look at its log if it is yours"
	case e.Status >= http.StatusBadRequest:
		return "the server refused the request: agentctl chat --check tells what it takes"
	}
	return "check the address and that the server runs (agentctl config show)"
}

func keyHint(e *model.AuthError) string {
	if e.KeyEnv == "" {
		return "the server wants an API key: set api_key_env of its provider, or AGENTCTL_API_KEY with AGENTCTL_BASE_URL"
	}
	if e.Missing {
		return fmt.Sprintf("set it: export %s=…, or choose another model with --model", e.KeyEnv)
	}
	return "check the value of " + e.KeyEnv
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
