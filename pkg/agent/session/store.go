package session

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Store holds the sessions of one workspace: one append-only file each, mode 0600.
type Store struct {
	// Dir is made at the first session.
	Dir string
	Now func() time.Time
}

const (
	suffix     = ".jsonl"
	lockSuffix = ".lock" // after the session's own
)

// Log is one session that is open for writing. One run at a time holds it.
type Log struct {
	ID string
	// Records are those that were there when it was opened.
	Records []Record
	file    *os.File
	lock    *flock.Flock
	seq     int
	now     func() time.Time
	// unused: it was made here, and nothing happened in it.
	unused bool
}

// BusyError reports a session that another run holds.
type BusyError struct{ ID string }

func (e *BusyError) Error() string { return fmt.Sprintf("session %s is in use by another run", e.ID) }

// Create begins a new session. It is gone after [Log.Close] if nothing but its
// [Init] was written.
func (s Store) Create() (*Log, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the session folder: %w", err)
	}
	var raw [6]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return nil, err
	}
	l, err := s.open(hex.EncodeToString(raw[:]), os.O_CREATE|os.O_EXCL)
	if err == nil {
		l.unused = true
	}
	return l, err
}

// Open continues the session whose id begins with prefix.
func (s Store) Open(prefix string) (*Log, error) {
	id, err := s.Find(prefix)
	if err != nil {
		return nil, err
	}
	return s.open(id, 0)
}

// Last continues the session that was written to last. One in which nothing was
// said, such as that of a chat whose terminal was closed, only counts when there
// is no other.
func (s Store) Last() (*Log, error) {
	all, err := s.byTime()
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, &NotFoundError{None: true}
	}
	for _, x := range all {
		if sum := s.summary(x); sum.Turns > 0 || sum.Problem != nil {
			return s.open(x.id, 0)
		}
	}
	return s.open(all[0].id, 0)
}

// File is where the session with this whole id is kept.
func (s Store) File(id string) string { return filepath.Join(s.Dir, id+suffix) }

func (s Store) open(id string, flags int) (*Log, error) {
	path := s.File(id)
	lock := flock.New(path + lockSuffix)
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock session %s: %w", id, err)
	}
	if !ok {
		return nil, &BusyError{ID: id}
	}
	l := &Log{ID: id, lock: lock, now: s.Now}
	l.file, err = os.OpenFile(path, os.O_RDWR|flags, 0o600)
	if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
		l.Close()
		_ = os.Remove(lock.Path())
		return nil, &NotFoundError{Prefix: id}
	}
	if err == nil {
		err = l.load(path)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// load reads what is there and cuts off a line that a kill left unfinished.
func (l *Log) load(path string) error {
	records, good, err := readNamed(path, l.file)
	if err != nil {
		return err
	}
	if err := l.file.Truncate(good); err != nil {
		return err
	}
	if _, err := l.file.Seek(good, 0); err != nil {
		return err
	}
	l.Records = records
	l.seq = lastSeq(records)
	return nil
}

// Append writes one record and returns it with its header. A line is written
// whole by one call, so a kill loses at most the last one.
func (l *Log) Append(step int, body Body) (Record, error) {
	l.seq++
	r := Record{Header: Header{Type: TypeOf(body), V: Version, Seq: l.seq, Session: &l.ID, Time: l.now().UTC(), Step: step}, Body: body}
	return r, l.write(r)
}

func (l *Log) write(r Record) error {
	if r.Type != TypeInit {
		l.unused = false
	}
	line, err := r.Line()
	if err != nil {
		return err
	}
	if n, err := l.file.Write(line); err != nil {
		l.undo(n)
		return fmt.Errorf("write session %s: %w", l.ID, err)
	}
	return nil
}

// undo takes back what a failed write left of a line, so that a full disk does
// not leave half a line in the middle of the session.
func (l *Log) undo(n int) {
	if at, err := l.file.Seek(int64(-n), io.SeekCurrent); err == nil {
		_ = l.file.Truncate(at)
	}
}

// Close lets other runs use the session.
func (l *Log) Close() {
	if l.file != nil {
		_ = l.file.Close()
	}
	if l.unused {
		_ = os.Remove(l.file.Name())
	}
	_ = l.lock.Unlock()
	if l.unused { // whoever still waits for it finds no session behind it
		_ = os.Remove(l.lock.Path())
		l.unused = false
	}
}

// Ephemeral numbers the records of a run that keeps no session.
type Ephemeral struct {
	Now func() time.Time
	seq int
}

// Append returns the record; nothing is written.
func (e *Ephemeral) Append(step int, body Body) (Record, error) {
	e.seq++
	return Record{Header: Header{Type: TypeOf(body), V: Version, Seq: e.seq, Time: e.Now().UTC(), Step: step}, Body: body}, nil
}

// Close does nothing.
func (e *Ephemeral) Close() {}

// Fork copies the session whose id begins with prefix to a new one and opens
// the copy.
func (s Store) Fork(prefix string) (*Log, error) {
	id, err := s.Find(prefix)
	if err != nil {
		return nil, err
	}
	records, err := s.Records(id)
	if err != nil {
		return nil, err
	}
	l, err := s.Create()
	if err != nil {
		return nil, err
	}
	for i := range records {
		records[i].Session = &l.ID
		if err := l.write(records[i]); err != nil {
			l.Close()
			return nil, err
		}
	}
	l.Records, l.seq = records, lastSeq(records)
	return l, nil
}

func lastSeq(records []Record) int {
	if n := len(records); n > 0 {
		return records[n-1].Seq
	}
	return 0
}
