package sandbox

import "context"

// OpenLandlock opens the lower level where namespaces would work.
func OpenLandlock(ctx context.Context, o Options) (Backend, error) {
	return openLandlock(ctx, o.withDefaults())
}
