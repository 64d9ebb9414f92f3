package choose

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

// probeTime is how long a server on this machine may take to answer. A closed
// port answers at once.
const probeTime = time.Second

// maxModels bounds what is listed of one server.
const maxModels = 1000

// discover asks the known ports of this machine which models they serve.
func (r Request) discover(ctx context.Context) []string {
	found := make([][]string, len(r.Data.Presets))
	var wg sync.WaitGroup
	for i, p := range r.Data.Presets {
		if !p.Discover {
			continue
		}
		wg.Go(func() {
			ids, err := r.listModels(ctx, p)
			if err != nil {
				return // nobody there
			}
			for _, id := range ids {
				found[i] = append(found[i], p.Name+"/"+id)
			}
		})
	}
	wg.Wait()
	var names []string
	for _, f := range found {
		names = append(names, f...)
	}
	return names
}

// serverOfEnv asks the server of AGENTCTL_BASE_URL for its models.
func (r Request) serverOfEnv(ctx context.Context) ([]string, error) {
	p, ok := r.envProvider()
	if !ok {
		return nil, nil
	}
	ids, err := r.listModels(ctx, p)
	if err != nil {
		return nil, &NoneError{Cause: err}
	}
	return ids, nil
}

// listModels asks a server for its models (GET /models).
func (r Request) listModels(ctx context.Context, p model.Preset) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.BaseURL+"/models", nil)
	if err != nil {
		return nil, err
	}
	if key := r.key(p); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := r.client().Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", req.URL, resp.Status)
	}
	return decodeModels(io.LimitReader(resp.Body, 4<<20))
}

func (r Request) client() *http.Client {
	if r.HTTPClient != nil {
		return r.HTTPClient
	}
	return &http.Client{
		Timeout:       probeTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func decodeModels(body io.Reader) ([]string, error) {
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(body).Decode(&list); err != nil {
		return nil, fmt.Errorf("the list of models is no JSON: %w", err)
	}
	var ids []string
	for _, m := range list.Data {
		if m.ID != "" && len(ids) < maxModels {
			ids = append(ids, m.ID)
		}
	}
	return ids, nil
}
