package state

import (
	"context"
	"path/filepath"
)

// The bounds of the input history: what a person may want to find again, and a
// file that is rewritten at every line.
const (
	maxHistory      = 500
	maxHistoryEntry = 8 << 10 // bytes; a longer entry is a document, not a line
)

type historyFile struct {
	Entries []string `json:"entries"`
}

func (s Store) historyPath() string { return filepath.Join(s.Dir, "history.json") }

// History returns what the user typed into chats, the oldest first.
func (s Store) History() ([]string, error) {
	var f historyFile
	err := s.read(s.historyPath(), &f)
	return f.Entries, err
}

// AddHistory appends an entry; one that repeats the last is not added.
func (s Store) AddHistory(ctx context.Context, entry string) error {
	if entry == "" || len(entry) > maxHistoryEntry {
		return nil
	}
	var f historyFile
	return s.update(ctx, s.historyPath(), &f, func() bool {
		if n := len(f.Entries); n > 0 && f.Entries[n-1] == entry {
			return false
		}
		f.Entries = append(f.Entries, entry)
		if over := len(f.Entries) - maxHistory; over > 0 {
			f.Entries = f.Entries[over:]
		}
		return true
	})
}
