package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

func networkCases() []Case {
	return []Case{
		{19, "TCP to a listener of the host", sandbox.Network, tcpToHost},
		{20, "a datagram to the host", "", datagram},
		{21, "resolving a name fails fast", "", resolveFast},
		{22, "the cloud's metadata address", "", func(ctx context.Context, e *Env) error {
			return e.denied(ctx, act("tcp", "169.254.169.254:80"))
		}},
		{23, "a unix socket by path", sandbox.UnixSockets, pathSocket},
		{24, "an abstract unix socket", "", abstractSocket},
		{25, "vsock, netlink, packet and raw sockets", "", func(ctx context.Context, e *Env) error {
			return e.denied(ctx, act("socket", "40", "1", "0"), act("socket", "16", "3", "0"), act("socket", "17", "3", "0"), act("socket", "2", "3", "1"))
		}},
		{26, "bash's /dev/tcp", "", devTCP},
	}
}

func listen(network, address string) (net.Listener, error) {
	var lc net.ListenConfig
	return lc.Listen(context.Background(), network, address)
}

func tcpToHost(ctx context.Context, e *Env) error {
	l, err := listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	return e.denied(ctx, act("tcp", l.Addr().String()))
}

func datagram(ctx context.Context, e *Env) error {
	c, err := new(net.ListenConfig).ListenPacket(ctx, "udp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if _, _, err := e.try(ctx, e.Policy(), act("udp", c.LocalAddr().String())); err != nil {
		return err
	}
	if err := c.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		return err
	}
	if _, _, err := c.ReadFrom(make([]byte, 16)); err == nil {
		return errors.New("the datagram arrived")
	}
	return nil
}

func resolveFast(ctx context.Context, e *Env) error {
	began := time.Now()
	if err := e.denied(ctx, act("resolve", "example.com")); err != nil {
		return err
	}
	if took := time.Since(began); took > 2*time.Second+e.slow {
		return fmt.Errorf("it took %s to fail", took)
	}
	return nil
}

func pathSocket(ctx context.Context, e *Env) error {
	l, err := listen("unix", filepath.Join(e.Outside, "socket"))
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	return e.denied(ctx, act("unix", l.Addr().String()))
}

func abstractSocket(ctx context.Context, e *Env) error {
	l, err := listen("unix", "@"+filepath.Base(e.Outside))
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	return e.denied(ctx, act("unix", l.Addr().String()))
}

func devTCP(ctx context.Context, e *Env) error {
	l, err := listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	res, err := e.Backend.Run(ctx, e.Policy(), sandbox.Command{Args: []string{"bash", "-c", "echo x > /dev/tcp/127.0.0.1/" + port}})
	if missing := (*sandbox.NotFoundError)(nil); errors.As(err, &missing) {
		return nil // no bash, no /dev/tcp
	}
	if err == nil && res.Exit == 0 {
		return errors.New("bash connected")
	}
	return err
}
