package cli

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

// scriptCondition knows [sandbox]: a backend works on this machine. With
// AGENTCTL_TEST_NO_SKIP=1 it always holds, so that nothing is skipped unseen.
func scriptCondition(cond string) (bool, error) {
	if cond != "sandbox" {
		return false, fmt.Errorf("unknown condition %q", cond)
	}
	return os.Getenv("AGENTCTL_TEST_NO_SKIP") == "1" || sandboxWorks(), nil
}

var sandboxWorks = sync.OnceValue(func() bool {
	_, err := sandbox.Open(context.Background(), sandbox.Options{})
	return err == nil
})
