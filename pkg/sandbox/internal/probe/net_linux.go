package probe

import (
	"context"
	"net"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The time that a try may take. Resolving gets so much that a resolver which
// waits for an answer is told from one that knows that there is none.
const (
	netTimeout     = 2 * time.Second
	resolveTimeout = 20 * time.Second
)

func tcp(a []string) (string, error) { return dial("tcp", a[0]) }

func unixDial(a []string) (string, error) { return dial("unix", a[0]) }

func dial(network, address string) (string, error) {
	c, err := net.DialTimeout(network, address, netTimeout)
	if err != nil {
		return "", err
	}
	return "connected", c.Close()
}

// udp sends a datagram. That alone says little: the host must look whether it
// arrived.
func udp(a []string) (string, error) {
	c, err := net.DialTimeout("udp", a[0], netTimeout)
	if err != nil {
		return "", err
	}
	defer func() { _ = c.Close() }()
	_, err = c.Write([]byte("probe"))
	return "sent", err
}

func resolve(a []string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), resolveTimeout)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupHost(ctx, a[0])
	return "resolved to " + strings.Join(addrs, " "), err
}

// socket opens one by number: family, type, protocol.
func socket(a []string) (string, error) {
	var n [3]int
	for i := range n {
		n[i], _ = strconv.Atoi(a[i])
	}
	fd, err := unix.Socket(n[0], n[1], n[2])
	if err != nil {
		return "", err
	}
	return "opened", unix.Close(fd)
}
