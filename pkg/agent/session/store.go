package session

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Store holds the sessions of one workspace: one append-only file each, mode 0600.
type Store struct {
	// Dir is made at the first session.
	Dir string
	Now func() time.Time
}

const suffix = ".jsonl"

// Log is one session that is open for writing. One run at a time holds it.
type Log struct {
	ID string
	// Records are those that were there when it was opened.
	Records []Record
	file    *os.File
	lock    *flock.Flock
	seq     int
	now     func() time.Time
}

// NotFoundError reports an id that no session, or more than one, begins with.
type NotFoundError struct {
	Prefix    string
	Ambiguous []string // the ids that it could mean
	None      bool     // there is no session at all
}

func (e *NotFoundError) Error() string {
	switch {
	case e.None:
		return "there is no session in this workspace yet"
	case len(e.Ambiguous) > 0:
		return fmt.Sprintf("session %q could be %s", e.Prefix, strings.Join(e.Ambiguous, " or "))
	}
	return fmt.Sprintf("session %q not found", e.Prefix)
}

// BusyError reports a session that another run holds.
type BusyError struct{ ID string }

func (e *BusyError) Error() string { return fmt.Sprintf("session %s is in use by another run", e.ID) }

// Create begins a new session.
func (s Store) Create() (*Log, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the session folder: %w", err)
	}
	var raw [6]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return nil, err
	}
	return s.open(hex.EncodeToString(raw[:]), os.O_CREATE|os.O_EXCL)
}

// Open continues the session whose id begins with prefix.
func (s Store) Open(prefix string) (*Log, error) {
	id, err := s.Find(prefix)
	if err != nil {
		return nil, err
	}
	return s.open(id, 0)
}

// Last continues the session that was written to last.
func (s Store) Last() (*Log, error) {
	ids, err := s.byTime()
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, &NotFoundError{None: true}
	}
	return s.open(ids[0], 0)
}

// Find completes a prefix to the one id that begins with it.
func (s Store) Find(prefix string) (string, error) {
	ids, err := s.byTime()
	if err != nil {
		return "", err
	}
	var hits []string
	for _, id := range ids {
		if strings.HasPrefix(id, prefix) && prefix != "" {
			hits = append(hits, id)
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return "", &NotFoundError{Prefix: prefix, None: len(ids) == 0}
	}
	return "", &NotFoundError{Prefix: prefix, Ambiguous: hits}
}

// byTime lists the ids, the one written last first.
func (s Store) byTime() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the session folder: %w", err)
	}
	type stamped struct {
		id string
		at time.Time
	}
	var all []stamped
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), suffix)
		if !ok {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // removed meanwhile
		}
		all = append(all, stamped{id, info.ModTime()})
	}
	slices.SortFunc(all, func(a, b stamped) int {
		return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.id, b.id))
	})
	ids := make([]string, len(all))
	for i, a := range all {
		ids[i] = a.id
	}
	return ids, nil
}

func (s Store) path(id string) string { return filepath.Join(s.Dir, id+suffix) }

func (s Store) open(id string, flags int) (*Log, error) {
	path := s.path(id)
	lock := flock.New(path + ".lock")
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock session %s: %w", id, err)
	}
	if !ok {
		return nil, &BusyError{ID: id}
	}
	l := &Log{ID: id, lock: lock, now: s.Now}
	if l.file, err = os.OpenFile(path, os.O_RDWR|flags, 0o600); err == nil {
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
	records, good, err := Read(l.file)
	if err != nil {
		if newer, ok := errors.AsType[*NewerError](err); ok {
			newer.File = path
			return newer
		}
		return fmt.Errorf("read session %s: %w", path, err)
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
	_ = l.lock.Unlock()
}

// DamagedError reports a line in the middle of a session that is no record.
type DamagedError struct {
	Line int
	Err  error
}

func (e *DamagedError) Error() string { return fmt.Sprintf("line %d is damaged: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *DamagedError) Unwrap() error { return e.Err }

// Read reads records until the end and returns how many bytes are good. A last
// line that is not whole is left out: a kill cut it off.
func Read(r io.Reader) (records []Record, good int64, err error) {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil { // the end, or a last line without its end
			return records, good, nil
		}
		var rec Record
		if err := json.Unmarshal(line, &rec); err != nil {
			if newer, ok := errors.AsType[*NewerError](err); ok {
				return nil, 0, newer
			}
			if _, more := in.Peek(1); more == nil {
				return nil, 0, &DamagedError{Line: len(records) + 1, Err: err}
			}
			return records, good, nil
		}
		records = append(records, rec)
		good += int64(len(line))
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
	source, err := os.Open(s.path(id))
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", id, err)
	}
	defer source.Close()
	records, _, err := Read(source)
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", id, err)
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
