package sandbox

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// bench is what a probe is let loose on: a file, sockets and a descriptor of the
// host that it must not reach, and a folder that it may write.
type bench struct {
	outside, work string // folders: not granted, granted
	secret, lock  string // files: outside, in work
	tcp           net.Listener
	udp           net.PacketConn
	path, name    net.Listener // unix sockets: by path, abstract
	fd            int          // open and inheritable
	closers       []func() error
}

// leakedFD is where the inheritable descriptor is put: above anything that a
// probe opens by itself.
const leakedFD = 250

func newBench() (b *bench, err error) {
	b = &bench{}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	// Two folders side by side: the way to a granted one is visible inside.
	for _, dir := range []*string{&b.outside, &b.work} {
		if *dir, err = b.tempDir(); err != nil {
			return b, err
		}
	}
	b.secret, b.lock = filepath.Join(b.outside, "secret"), filepath.Join(b.work, "lock")
	for _, f := range []string{b.secret, b.lock} {
		if err := os.WriteFile(f, []byte("a secret of the host\n"), 0o600); err != nil {
			return b, err
		}
	}
	if err := b.listen(); err != nil {
		return b, err
	}
	return b, b.leak()
}

func (b *bench) tempDir() (string, error) {
	dir, err := os.MkdirTemp("", "agentctl-probe-")
	if err != nil {
		return "", err
	}
	b.closers = append(b.closers, func() error { return os.RemoveAll(dir) })
	return filepath.EvalSymlinks(dir)
}

func (b *bench) listen() (err error) {
	if b.tcp, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	b.closers = append(b.closers, b.tcp.Close)
	if b.udp, err = net.ListenPacket("udp", "127.0.0.1:0"); err != nil {
		return err
	}
	b.closers = append(b.closers, b.udp.Close)
	if b.path, err = net.Listen("unix", filepath.Join(b.outside, "socket")); err != nil {
		return err
	}
	b.closers = append(b.closers, b.path.Close)
	b.name, err = net.Listen("unix", "@agentctl-probe-"+strconv.Itoa(os.Getpid())+filepath.Base(b.outside))
	if err == nil {
		b.closers = append(b.closers, b.name.Close)
	}
	return err
}

// leak opens a descriptor that every child inherits unless someone closes it.
func (b *bench) leak() error {
	f, err := os.Open(b.secret)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if b.fd, err = unix.FcntlInt(f.Fd(), unix.F_DUPFD, leakedFD); err != nil {
		return fmt.Errorf("duplicate a descriptor: %w", err)
	}
	b.closers = append(b.closers, func() error { return unix.Close(b.fd) })
	return nil
}

func (b *bench) close() {
	for _, v := range slices.Backward(b.closers) {
		_ = v() // a probe leaves nothing that matters
	}
}

// datagramArrived tells whether the probe's datagram came through.
func (b *bench) datagramArrived() bool {
	_ = b.udp.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	_, _, err := b.udp.ReadFrom(make([]byte, 64))
	return err == nil
}

// lockFree tells whether the process that was left behind is gone.
func (b *bench) lockFree() bool {
	f, err := os.OpenFile(b.lock, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}
