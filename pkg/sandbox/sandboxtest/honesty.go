package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

func honestyCases() []Case {
	return []Case{{60, "what the doctor says is what the cases find", "", doctorAgrees}}
}

// doctorAgrees holds each row of the probe against the cases that stand for it,
// which it runs where that has not happened yet.
func doctorAgrees(ctx context.Context, e *Env) error {
	report := e.Backend.Probe(ctx)
	if len(report.Protections) != len(sandbox.AllFeatures()) {
		return fmt.Errorf("the report has %d rows, want one for each of %d features: %s", len(report.Protections), len(sandbox.AllFeatures()), report.Reason)
	}
	var errs []error
	for _, row := range report.Protections {
		cases := standFor(row.Feature)
		if len(cases) == 0 {
			return fmt.Errorf("no case stands for %s", row.Feature)
		}
		if row.Proof == "" || row.How == "" {
			errs = append(errs, fmt.Errorf("the row of %s proves nothing", row.Feature))
		}
		for _, c := range cases {
			err, ran := e.found[c.Number]
			if !ran {
				err = c.Check(ctx, e)
			}
			if row.State == sandbox.Enforced && err != nil {
				errs = append(errs, fmt.Errorf("%s is said to be enforced, but case %d finds: %w", row.Feature, c.Number, err))
			}
		}
	}
	return errors.Join(errs...)
}

func standFor(f sandbox.Feature) []Case {
	return slices.DeleteFunc(Cases(), func(c Case) bool { return c.Feature != f })
}
