package sandbox

import "context"

// proveContainer lets the engine's container deny what it must deny.
func proveContainer(ctx context.Context, c *container, o Options) (Backend, error) {
	if err := prove(ctx, c, o); err != nil {
		return nil, err
	}
	return c, nil
}

// Probe tries each protection. See [Backend].
func (c *container) Probe(ctx context.Context) Report { return probeReport(ctx, c, c.host, c.how) }

func (c *container) how(Feature) string { return c.engine + ", image " + c.image }

func (c *container) setMissing(fs []Feature) { c.missing = fs }

func (c *container) identity() string { return c.engine + " " + c.image + " " + c.runtime }
