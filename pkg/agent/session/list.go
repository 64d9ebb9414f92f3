package session

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"
)

// Summary is one session of a list.
type Summary struct {
	// ID and Updated, the time of the last change, are "" and zero for records
	// that are no file of a store.
	ID string
	// Title is the one that was given, else the first words of the user. It is
	// the text of others: not safe for a terminal.
	Title      string
	App, Model string // of the last run
	Turns      int    // how often the user said something
	Updated    time.Time
	// Problem keeps the session from going on: a [*NewerError] or a
	// [*DamagedError], or that of opening its file. What could be read is told
	// all the same.
	Problem error
}

// maxTitle is how many characters of the first words make a title.
const maxTitle = 80

// List summarises the sessions, the one written last first. One that cannot be
// read is listed with its Problem.
//
// It reads each file once and decodes three of its lines, so that a list of many
// long sessions takes about as long as reading their bytes. A line of any other
// kind is looked at no further than its header; [Store.Records] sees all damage.
func (s Store) List(ctx context.Context) ([]Summary, error) {
	all, err := s.byTime()
	if err != nil {
		return nil, err
	}
	out := make([]Summary, 0, len(all))
	for _, x := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sum := s.summary(x)
		if !errors.Is(sum.Problem, fs.ErrNotExist) { // else removed meanwhile
			out = append(out, sum)
		}
	}
	return out, nil
}

func (s Store) summary(x stamped) Summary {
	f, err := os.Open(s.File(x.id))
	if err != nil {
		return Summary{ID: x.id, Updated: x.at.UTC(), Problem: err}
	}
	defer f.Close()
	sum := scan(f.Name(), f)
	sum.ID, sum.Updated = x.id, x.at.UTC()
	return sum
}

// Summarise tells what records are about.
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
