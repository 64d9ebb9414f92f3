package sandbox

import (
	"io/fs"
	"syscall"
)

// changeTime is when the kernel last saw a change, which no program can set.
func changeTime(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano()
	}
	return 0
}
