//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// waiting returns how many bytes can be read from f at once, 0 when it is not
// known. It never blocks.
func waiting(f *os.File) int {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	if info.Mode().IsRegular() {
		return int(info.Size())
	}
	if info.Mode()&os.ModeNamedPipe == 0 {
		return 0
	}
	n, err := unix.IoctlGetInt(int(f.Fd()), ioctlReadable)
	if err != nil {
		return 0
	}
	return n
}
