package wire

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
)

// worded is an error of the transport in words for a person.
type worded struct {
	text string
	err  error
}

func (e *worded) Error() string { return e.text }
func (e *worded) Unwrap() error { return e.err }

// reason words an error of the transport. What Go tells of its way there, such as
// "dial tcp 127.0.0.1:80: connect:", repeats the address that the message has.
func reason(err error) error {
	text := err.Error()
	dns, isDNS := errors.AsType[*net.DNSError](err)
	addr, isAddr := errors.AsType[*net.AddrError](err)
	errno, isErrno := errors.AsType[syscall.Errno](err)
	late, isNet := errors.AsType[net.Error](err)
	switch {
	case isDNS && dns.IsNotFound:
		text = fmt.Sprintf("no host is named %q", dns.Name)
	case isDNS:
		text = fmt.Sprintf("the name %q cannot be looked up: %s", dns.Name, dns.Err)
	case isAddr:
		text = addr.Error()
	case isErrno:
		text = errno.Error()
	case noTLS(err):
		text = "the server does not speak TLS there: the address may have to begin with http://"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		text = "the server closed the connection"
	case isNet && late.Timeout():
		text = "the server did not answer in time"
	}
	return &worded{text, err}
}

// noTLS tells whether https was tried on a server that has none.
func noTLS(err error) bool {
	_, record := errors.AsType[tls.RecordHeaderError](err)
	return record || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}
