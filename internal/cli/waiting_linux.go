package cli

import "golang.org/x/sys/unix"

const ioctlReadable = unix.TIOCINQ
