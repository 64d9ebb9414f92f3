package sandbox_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

// Auto is what a program wants; "none" is used here so that the example runs
// everywhere.
func ExampleOpen() {
	ctx := context.Background()
	b, err := sandbox.Open(ctx, sandbox.Options{Name: sandbox.NameNone})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := b.Run(ctx, sandbox.Policy{}, sandbox.Command{Args: []string{"sh", "-c", "echo hello; exit 3"}})
	fmt.Printf("%s%d %s %v\n", res.Stdout.Head, res.Exit, res.Backend, err)

	_, err = b.Run(ctx, sandbox.Policy{}, sandbox.Command{Args: []string{"no-such-program"}})
	missing := (*sandbox.NotFoundError)(nil)
	fmt.Println(errors.As(err, &missing), err)
	// Output:
	// hello
	// 3 none <nil>
	// true program "no-such-program" does not exist in the sandbox
}
