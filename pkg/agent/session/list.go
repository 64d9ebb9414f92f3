package session

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"
)

// Summary is one session of a list.
type Summary struct {
	ID, Title, App, Model string
	Turns                 int
	Updated               time.Time
}

// maxTitle is how many characters of the first words make a title.
const maxTitle = 80

// List summarises the sessions, the one written last first. One that cannot be
// read is listed by its id and with the reason as title.
func (s Store) List(ctx context.Context) ([]Summary, error) {
	ids, err := s.byTime()
	if err != nil {
		return nil, err
	}
	out := make([]Summary, 0, len(ids))
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		records, err := s.Records(id)
		if errors.Is(err, os.ErrNotExist) {
			continue // removed meanwhile
		}
		sum := Summarise(records)
		sum.ID = id
		if err != nil {
			sum.Title = "cannot be read: " + err.Error()
		}
		if info, err := os.Stat(s.path(id)); err == nil {
			sum.Updated = info.ModTime().UTC()
		}
		out = append(out, sum)
	}
	return out, nil
}

// Records reads a session without holding it.
func (s Store) Records(id string) ([]Record, error) {
	f, err := os.Open(s.path(id))
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read-only
	records, _, err := Read(f)
	return records, err
}

// Summarise tells what records are about: the title that was given, else the
// first words of the user.
func Summarise(records []Record) Summary {
	var sum Summary
	first := ""
	for _, r := range records {
		switch b := r.Body.(type) {
		case Init:
			sum.App, sum.Model = b.App, b.Model
		case User:
			sum.Turns++
			if first == "" {
				first = titleOf(b.Text)
			}
		case Title:
			sum.Title = b.Text
		}
	}
	if sum.Title == "" {
		sum.Title = first
	}
	return sum
}

// titleOf is the first line of a text that says something.
func titleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.Join(strings.Fields(line), " ")
	if r := []rune(line); len(r) > maxTitle {
		return string(r[:maxTitle-1]) + "…"
	}
	return line
}
