package wire

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

const (
	// maxErrorBody is what is read of a refusal.
	maxErrorBody = 64 << 10
	// maxDetail is what is shown of it, in runes.
	maxDetail = 1000
)

// failure is a typed error and what a retry may do about it.
type failure struct {
	err   error
	again bool
	after time.Duration // what the server asked for; 0 = it did not
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// cause is the typed error itself, which is what callers see.
func cause(err error) error {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.err
	}
	return err
}

// retry tells whether another attempt makes sense, and after which pause.
func (c *Client) retry(err error, delay time.Duration) (time.Duration, bool) {
	f, ok := errors.AsType[*failure](err)
	if !ok || !f.again || f.after > maxRetryAfter {
		return 0, false
	}
	return max(f.after, delay), true
}

// unreachable is an error before any answer.
func (c *Client) unreachable(err error, again bool) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // the rest repeats the method and the URL
	}
	return &failure{again: again, err: &model.ServerError{
		Provider: c.Provider, URL: c.clean(c.URL), Detail: c.clean(reason(err).Error()), Err: err,
	}}
}

// transient tells whether a connection may succeed a moment later.
func transient(err error) bool {
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return false
	}
	if nobodyHere(err) {
		return false
	}
	_, badCert := errors.AsType[*tls.CertificateVerificationError](err)
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, badAddress := errors.AsType[*net.AddrError](err)
	if badCert || unknown || badAddress || noTLS(err) {
		return false
	}
	text := err.Error()
	return !strings.Contains(text, "unsupported protocol scheme") && !strings.Contains(text, "no Host in request URL")
}

// nobodyHere tells whether no server listens on this machine's own port. Waiting
// starts none; a person has to.
func nobodyHere(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	if !ok || !errors.Is(err, syscall.ECONNREFUSED) {
		return false
	}
	addr, ok := op.Addr.(*net.TCPAddr)
	return ok && addr.IP.IsLoopback()
}

// refused reads an answer whose status is not 200.
func (c *Client) refused(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // what came is what can be told
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		body = fmt.Appendf(nil, "a redirect to %s, which is not followed; put the final address into base_url", resp.Header.Get("Location"))
	}
	return c.Refusal(resp.StatusCode, resp.Header, body)
}

// Refusal is the typed error for what a server said, in an answer of its own or
// inside a stream. status is 0 when it gave none.
func (c *Client) Refusal(status int, header http.Header, body []byte) error {
	text, detail := string(body), c.clean(message(body))
	if detail == "" {
		detail = http.StatusText(status)
	}
	after := retryAfter(header)
	switch data := c.data(); {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return &failure{err: &model.AuthError{Provider: c.Provider, KeyEnv: c.KeyEnv, Detail: detail}}
	case data.IsOverflow(text), status == http.StatusRequestEntityTooLarge:
		return &failure{err: &model.OverflowError{Provider: c.Provider, Detail: detail}}
	case data.IsToolsUnsupported(text):
		return &failure{err: &model.ToolsUnsupportedError{Provider: c.Provider, Detail: detail}}
	case status == http.StatusTooManyRequests:
		err := &model.RateError{Provider: c.Provider, After: after, Quota: data.IsQuota(text), Detail: detail}
		return &failure{err: err, again: !err.Quota, after: after}
	default:
		err := &model.ServerError{Provider: c.Provider, URL: c.clean(c.URL), Status: status, Detail: detail}
		return &failure{err: err, again: worthRetrying(status) && !data.BlamesHistory(text), after: after}
	}
}

func worthRetrying(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusConflict || status >= 500
}

// title is what a web page says in a few words.
var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// message finds the sentence in the shapes that servers wrap it in.
func message(body []byte) string {
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		text := "a web page instead of an answer"
		if m := title.FindSubmatch(body); m != nil {
			text += ": " + html.UnescapeString(string(m[1]))
		}
		return text
	}
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 { // Gemini
		body = list[0]
	}
	var shape struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &shape) != nil {
		return string(body)
	}
	var inner struct {
		Message string `json:"message"`
	}
	var text string
	switch {
	case json.Unmarshal(shape.Error, &inner) == nil && inner.Message != "":
		return inner.Message
	case json.Unmarshal(shape.Error, &text) == nil && text != "":
		return text
	case shape.Message != "":
		return shape.Message
	case json.Unmarshal(shape.Detail, &text) == nil && text != "":
		return text
	}
	return string(body)
}

// retryAfter reads the pause that a server asks for. A date is compared with
// the server's own clock if it tells that, so that ours need not be right.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(min(ms, 1e9) * float64(time.Millisecond))
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
		return time.Duration(min(s, 1e6) * float64(time.Second))
	}
	then, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return max(then.Sub(now), 0)
}

// minSecret keeps a key that is only a placeholder, as local servers take them,
// from being cut out of every word.
const minSecret = 4

// clean makes a server's text fit for a message: one line, no control
// characters, no secret, not endless.
func (c *Client) clean(text string) string {
	if u, err := url.Parse(c.URL); err == nil && u.User != nil {
		text = strings.ReplaceAll(text, c.URL, u.Redacted())
	}
	for _, s := range c.Secrets {
		if len(s) >= minSecret {
			text = strings.ReplaceAll(text, s, "[redacted]")
		}
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > maxDetail {
		return string(runes[:maxDetail]) + "…"
	}
	return string(runes)
}
