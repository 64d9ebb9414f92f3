package session

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/suggest"
)

// NotFoundError reports an id that no session, or more than one, begins with.
type NotFoundError struct {
	Prefix    string
	Ambiguous []string // the ids that it could mean
	None      bool     // there is no session at all
	// Nearest are ids that begin nearly so. Candidates are the sessions that it
	// could mean, else the ones used last, at most [MaxCandidates]; More counts
	// the others.
	Nearest    []string
	Candidates []Summary
	More       int
}

// MaxCandidates is how many sessions an error lists.
const MaxCandidates = 8

func (e *NotFoundError) Error() string {
	switch {
	case e.None:
		return "there is no session in this workspace yet"
	case len(e.Ambiguous) > MaxCandidates:
		return fmt.Sprintf("session %q could be any of %d", e.Prefix, len(e.Ambiguous))
	case len(e.Ambiguous) > 0:
		return fmt.Sprintf("session %q could be %s", e.Prefix, strings.Join(e.Ambiguous, " or "))
	}
	return fmt.Sprintf("session %q not found", e.Prefix)
}

// Find completes a prefix to the one id that begins with it. The error is a
// [*NotFoundError].
func (s Store) Find(prefix string) (string, error) {
	all, err := s.byTime()
	if err != nil {
		return "", err
	}
	var hits []stamped
	for _, x := range all {
		if x.id == prefix {
			return x.id, nil
		}
		if strings.HasPrefix(x.id, prefix) && prefix != "" {
			hits = append(hits, x)
		}
	}
	if len(hits) == 1 {
		return hits[0].id, nil
	}
	return "", s.notFound(prefix, hits, all)
}

// notFound gathers what helps to name the right session.
func (s Store) notFound(prefix string, hits, all []stamped) error {
	e := &NotFoundError{Prefix: prefix, None: len(all) == 0}
	for _, h := range hits {
		e.Ambiguous = append(e.Ambiguous, h.id)
	}
	show := hits
	if len(hits) == 0 {
		show = all
		e.Nearest = nearest(prefix, all)
	}
	e.More = max(len(show)-MaxCandidates, 0)
	for _, x := range show[:len(show)-e.More] {
		e.Candidates = append(e.Candidates, s.summary(x))
	}
	return e
}

// nearest are the ids whose beginning is close to the prefix.
func nearest(prefix string, all []stamped) []string {
	whole := map[string]string{}
	var beginnings []string
	for _, x := range all {
		begin := x.id[:min(len(x.id), len(prefix))]
		if _, known := whole[begin]; !known { // the one used last
			whole[begin] = x.id
			beginnings = append(beginnings, begin)
		}
	}
	near := suggest.Nearest(prefix, beginnings, 3)
	for i := range near {
		near[i] = whole[near[i]]
	}
	return near
}

// stamped is a session's file.
type stamped struct {
	id string
	at time.Time // last change
}

// byTime lists the sessions, the one written last first.
func (s Store) byTime() ([]stamped, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the session folder: %w", err)
	}
	var all []stamped
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), suffix)
		if !ok || id == "" {
			continue
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // removed meanwhile, or none of ours
		}
		all = append(all, stamped{id, info.ModTime()})
	}
	slices.SortFunc(all, func(a, b stamped) int {
		return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.id, b.id))
	})
	return all, nil
}
