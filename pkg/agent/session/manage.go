package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/gofrs/flock"

	"github.com/agentctl/agentctl/internal/termtext"
)

// MaxTitle is the longest title in characters: it has to fit one line of a list.
const MaxTitle = 200

// TitleError reports a title that a list could not show.
type TitleError struct{ Reason string }

func (e *TitleError) Error() string { return "the title " + e.Reason }

// Rename gives the session with this whole id a title, squeezed to one line and
// without characters that act on a terminal, and returns it. It is no use of the session: the time of the last change stays, so
// that [Store.Last] means the same as before. The error is a [*TitleError], or
// that of [Store.Open].
func (s Store) Rename(id, title string) (string, error) {
	title = termtext.Strip(strings.Join(strings.Fields(strings.ToValidUTF8(title, "�")), " "))
	switch n := utf8.RuneCountInString(title); {
	case n == 0:
		return "", &TitleError{"is empty"}
	case n > MaxTitle:
		return "", &TitleError{fmt.Sprintf("has %d characters, at most %d are allowed", n, MaxTitle)}
	}
	before, statErr := os.Stat(s.File(id))
	l, err := s.open(id, 0)
	if err != nil {
		return "", err
	}
	defer l.Close()
	if _, err := l.Append(0, Title{Text: title}); err != nil || statErr != nil {
		return title, err
	}
	return title, os.Chtimes(s.File(id), before.ModTime(), before.ModTime())
}

// Remove deletes the sessions with these whole ids: all, or none when one is in
// use, which is a [*BusyError].
func (s Store) Remove(ids ...string) error {
	for _, id := range ids {
		err := s.locked(id, func() error { return nil })
		if err != nil {
			return err
		}
	}
	for _, id := range ids {
		err := s.locked(id, func() error { return os.Remove(s.File(id)) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove session %s: %w", id, err)
		}
		// Whoever still waits for it finds no session behind it.
		_ = os.Remove(s.File(id) + lockSuffix)
	}
	return nil
}

// locked does something while no run has the session.
func (s Store) locked(id string, do func() error) error {
	lock := flock.New(s.File(id) + lockSuffix)
	ok, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock session %s: %w", id, err)
	}
	if !ok {
		return &BusyError{ID: id}
	}
	defer lock.Unlock() //nolint:errcheck // it ends with the process at the latest
	return do()
}
