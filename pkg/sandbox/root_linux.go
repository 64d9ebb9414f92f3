package sandbox

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentctl/agentctl/pkg/sandbox/internal/stage"
)

// etcNames are what programs read to find libraries, certificates, time zones
// and types; nothing in them is about this machine's users or secrets.
var etcNames = []string{
	"alternatives", "ca-certificates", "fonts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime",
	"magic", "mime.types", "pki/ca-trust/extracted", "pki/tls/certs", "protocols", "services",
	"ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf",
}

// rootMounts lists how the root that the command sees is built: the system's
// programs and libraries, a few files of /etc, private /proc, /dev and /tmp, and
// the grants. Everything that the command may not write is read-only, the folders
// that only lead to a mount too.
func (pl *plan) rootMounts() []stage.Mount {
	ms := systemMounts()
	ms = append(ms, etcMounts(pl.net)...)
	ms = append(ms,
		stage.Mount{Kind: stage.Proc, Target: "/proc"},
		// As root the command owns files such as /proc/sys/kernel/core_pattern.
		stage.Mount{Kind: stage.RemountRO, Target: "/proc"},
		stage.Mount{Kind: stage.Dev, Target: "/dev"},
		stage.Mount{Kind: stage.Tmpfs, Target: "/dev/shm", Size: pl.limits.Tmp, Mode: 0o1777},
		stage.Mount{Kind: stage.RemountRO, Target: "/dev"},
		stage.Mount{Kind: stage.Tmpfs, Target: guestTmp, Size: pl.limits.Tmp, Mode: 0o1777},
		stage.Mount{Kind: stage.Dir, Target: guestHome, Mode: 0o700},
	)
	for _, g := range pl.grants {
		kind := stage.BindRO
		if g.write {
			kind = stage.BindRW
		}
		ms = append(ms, stage.Mount{Kind: kind, Source: g.host, Target: g.guest})
	}
	return append(ms, stage.Mount{Kind: stage.RemountRO, Target: "/"})
}

// systemMounts copies the host's layout: /bin and its like are links on a merged
// /usr and folders elsewhere.
func systemMounts() []stage.Mount {
	ms := []stage.Mount{{Kind: stage.BindRO, Source: "/usr", Target: "/usr"}}
	for _, dir := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"} {
		if link, err := os.Readlink(dir); err == nil {
			ms = append(ms, stage.Mount{Kind: stage.Symlink, Source: link, Target: dir})
		} else if isDir(dir) {
			ms = append(ms, stage.Mount{Kind: stage.BindRO, Source: dir, Target: dir})
		}
	}
	return ms
}

func etcMounts(net NetworkMode) []stage.Mount {
	var ms []stage.Mount
	names := etcNames
	if net == NetworkFull {
		names = append([]string{"resolv.conf", "hosts"}, names...)
	} else {
		ms = append(ms, etcFile("hosts", "127.0.0.1 localhost\n::1 localhost\n"))
	}
	for _, name := range names {
		target := filepath.Join("/etc", name)
		if real, err := filepath.EvalSymlinks(target); err == nil {
			ms = append(ms, stage.Mount{Kind: stage.BindRO, Source: real, Target: target})
		}
	}
	return append(ms,
		etcFile("passwd", fmt.Sprintf("sandbox:x:%d:%d:sandbox:%s:/bin/sh\n", os.Getuid(), os.Getgid(), guestHome)),
		etcFile("group", fmt.Sprintf("sandbox:x:%d:\n", os.Getgid())),
		etcFile("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n"),
	)
}

func etcFile(name, text string) stage.Mount {
	return stage.Mount{Kind: stage.File, Target: filepath.Join("/etc", name), Data: []byte(text), Mode: 0o444}
}
