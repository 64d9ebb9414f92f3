// Package cli is the command tree. Each command lives in a file noun_verb.go and
// does three things: bind flags, call one library function, print.
//
// Results go to stdout and nothing else does; what is meant for people goes to
// stderr. report in exit.go is the only place that prints an error.
package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Main runs the command line of this process and returns its exit code.
func Main() int {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup makes it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process, whatever it hangs on
	return Run(ctx, NewFactory(), os.Args[1:])
}

// Run runs one command line.
func Run(ctx context.Context, f *Factory, args []string) int {
	root := newRootCmd(f)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && ctx.Err() != nil {
		err = interruptedError{err}
	}
	return report(f.IO, err, wantsJSON(args))
}

// wantsJSON tells whether the user asked for JSON, also on a command line whose
// flags could not be parsed.
func wantsJSON(args []string) bool {
	for i, a := range args {
		switch a {
		case "--":
			return false
		case "--json", "--json=true", "--output=json":
			return true
		case "--output":
			return i+1 < len(args) && args[i+1] == "json"
		}
	}
	return false
}
