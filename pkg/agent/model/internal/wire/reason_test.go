package wire

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

// What Go tells of the transport is put into words, and is still there for programs.
func TestReason(t *testing.T) {
	t.Parallel()
	dial := func(err error) error {
		return fmt.Errorf("post: %w", &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}, Err: err})
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), syscall.ECONNREFUSED.Error()},
		{dial(&net.DNSError{Err: "no such host", Name: "x.invalid", IsNotFound: true}), `no host is named "x.invalid"`},
		{dial(&net.DNSError{Err: "server misbehaving", Name: "x.invalid"}), `the name "x.invalid" cannot be looked up: server misbehaving`},
		{dial(&net.AddrError{Err: "invalid port", Addr: "99999"}), "address 99999: invalid port"},
		{dial(os.ErrDeadlineExceeded), "the server did not answer in time"},
		{tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, "the server does not speak TLS there: the address may have to begin with http://"},
		{errors.New("http: server gave HTTP response to HTTPS client"), "the server does not speak TLS there: the address may have to begin with http://"},
		{io.EOF, "the server closed the connection"},
		{fmt.Errorf("body: %w", io.ErrUnexpectedEOF), "the server closed the connection"},
		{errors.New("something else"), "something else"},
	} {
		if got := reason(tt.err); got.Error() != tt.want || !errors.Is(got, tt.err) {
			t.Errorf("%v: got %q, want %q", tt.err, got, tt.want)
		}
	}
}

// An answer that broke off says so in the same words.
func TestCut(t *testing.T) {
	t.Parallel()
	c := &Client{Provider: "p"}
	for want, err := range map[string]error{
		"the answer of p broke off: the server closed the connection": io.EOF,
		"the answer of p broke off: it is larger than 3 MiB":          &http.MaxBytesError{Limit: 3 << 20},
	} {
		got := c.Cut(err)
		cut, ok := errors.AsType[*model.CutStreamError](got)
		if !ok || cut.Error() != want || strings.Contains(got.Error(), "EOF") {
			t.Errorf("got %v, want %q", got, want)
		}
	}
}
