package cli

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

// scriptCondition knows [sandbox]: a backend works on this machine, and [python]:
// uv and an interpreter are there. With AGENTCTL_TEST_NO_SKIP=1 they always
// hold, so that nothing is skipped unseen.
func scriptCondition(cond string) (bool, error) {
	works, ok := map[string]func() bool{"sandbox": sandboxWorks, "python": pythonWorks}[cond]
	if !ok {
		return false, fmt.Errorf("unknown condition %q", cond)
	}
	return os.Getenv("AGENTCTL_TEST_NO_SKIP") == "1" || works(), nil
}

var sandboxWorks = sync.OnceValue(func() bool {
	_, err := sandbox.Open(context.Background(), sandbox.Options{})
	return err == nil
})
