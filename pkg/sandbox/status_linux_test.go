package sandbox

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestOutcome(t *testing.T) {
	t.Parallel()
	var o outcome
	for _, line := range []string{"ready", "exit 137 9 1500000 1", "something new"} {
		o.parse(line)
	}
	want := exitInfo{code: 137, signal: syscall.SIGKILL, cpu: 1500 * time.Millisecond, orphans: true}
	if !o.ready || o.exit == nil || *o.exit != want {
		t.Errorf("got %+v, %+v", o, o.exit)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	l := &launch{backend: "b", plan: &plan{dir: "/w"}, explain: func(s string) (string, string) { return "said " + s, "cure" }}
	c := Command{Args: []string{"prog"}}
	tests := []struct {
		name string
		line string
		is   func(error) bool
	}{
		{"missing program", "exec 2 no such file or directory", as[*NotFoundError]},
		{"a file in the way", "exec 20 not a directory", as[*NotFoundError]},
		{"no permission", "exec 13 permission denied", as[*NotExecutableError]},
		{"no interpreter", "exec 0 its interpreter", as[*NotExecutableError]},
		{"working directory", "dir no such file or directory", as[*PolicyError]},
		{"fault", "fault landlock: x", as[*Fault]},
		{"silence", "", as[*Fault]},
		{"ready", "ready", func(err error) bool { return err == nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var o outcome
			o.parse(tt.line)
			if err := l.failure(o, c, Result{}); !tt.is(err) {
				t.Errorf("error is %T %v", err, err)
			}
		})
	}
	if err := l.failure(outcome{}, c, Result{Canceled: true}); err != nil {
		t.Errorf("cancelled before it began: %v", err)
	}
}

func as[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

func TestDescribeEnd(t *testing.T) {
	t.Parallel()
	limits := Limits{CPU: time.Second, FileSize: 10}
	tests := []struct {
		name string
		exit *exitInfo
		want Result
	}{
		{"plain", &exitInfo{code: 3}, Result{Exit: 3}},
		{"soft CPU limit", &exitInfo{code: 152, signal: syscall.SIGXCPU}, Result{Exit: 152, Signal: "SIGXCPU", CPULimit: true}},
		{"hard CPU limit", &exitInfo{code: 137, signal: syscall.SIGKILL, cpu: time.Second}, Result{Exit: 137, Signal: "SIGKILL", CPULimit: true}},
		{"killed early", &exitInfo{code: 137, signal: syscall.SIGKILL}, Result{Exit: 137, Signal: "SIGKILL"}},
		{"file limit", &exitInfo{code: 153, signal: syscall.SIGXFSZ}, Result{Exit: 153, Signal: "SIGXFSZ", FileLimit: true}},
		{"no report", nil, Result{Exit: 137, Signal: "SIGKILL"}},
		{"realtime signal", &exitInfo{code: 162, signal: 34}, Result{Exit: 162, Signal: "signal 34"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got Result
			got.describeEnd(tt.exit, limits)
			if got.Exit != tt.want.Exit || got.Signal != tt.want.Signal || got.CPULimit != tt.want.CPULimit || got.FileLimit != tt.want.FileLimit {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func FuzzOutcome(f *testing.F) {
	for _, line := range []string{"ready", "exit 1 0 5 0", "exec 2 x", "fault", "dir ", "exit 1 2 3", "exit a b c d", ""} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var o outcome
		o.parse(line)
		if o.exit != nil && len(strings.Fields(line)) != 5 {
			t.Errorf("%q was taken for an exit", line)
		}
	})
}
