//go:build !unix

package cli

import "os"

// waiting is not known here.
func waiting(*os.File) int { return 0 }
