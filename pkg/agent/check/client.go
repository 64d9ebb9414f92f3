package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

const (
	// askTime is how long a server may take to tell about itself.
	askTime = 5 * time.Second
	// maxBody bounds what is read of that; lists of models have a megabyte.
	maxBody = 16 << 20
)

// client asks a server about itself.
type client struct {
	http   *http.Client
	header http.Header
	// base ends in /v1 with most servers; root is without it.
	base, root, id string
}

func (o Options) client() client {
	s := o.Choice.Server
	base := strings.TrimRight(s.BaseURL, "/")
	c := client{header: s.Header, base: base, root: strings.TrimSuffix(base, "/v1"), id: s.ID}
	c.http = &http.Client{}
	if o.HTTPClient != nil {
		*c.http = *o.HTTPClient
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// models are the ids that the server lists, nil when it lists none.
func (c client) models(ctx context.Context) []string {
	var ids []string
	for _, m := range c.list(ctx) {
		ids = append(ids, m.ID)
	}
	return ids
}

func (c client) list(ctx context.Context) []entry {
	var list struct{ Data []entry }
	if c.base == "" || !c.get(ctx, c.base+"/models", &list) {
		return nil
	}
	return list.Data
}

func (c client) get(ctx context.Context, url string, into any) bool {
	return c.do(ctx, http.MethodGet, url, nil, into)
}

// do tells whether the server answered with JSON of that shape. A server of
// another kind does not, which is no error.
func (c client) do(ctx context.Context, method, url string, body, into any) bool {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return false
		}
		content = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, content)
	if err != nil {
		return false
	}
	if c.header != nil {
		req.Header = c.header.Clone()
	}
	req.Header.Set("User-Agent", "agentctl")
	resp, err := c.http.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK && json.NewDecoder(io.LimitReader(resp.Body, maxBody)).Decode(into) == nil
}

func asServerError(err error) (*model.ServerError, bool) {
	return errors.AsType[*model.ServerError](err)
}
