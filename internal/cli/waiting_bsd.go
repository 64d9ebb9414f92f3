//go:build unix && !linux

package cli

// ioctlReadable is FIONREAD, which x/sys does not name on every system.
const ioctlReadable = 0x4004667f
