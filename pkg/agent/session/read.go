package session

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// DamagedError reports a line in the middle of a session that is no record.
type DamagedError struct {
	File string // "" when what was read has no name
	Line int
	Err  error
}

func (e *DamagedError) Error() string {
	at := fmt.Sprintf("line %d", e.Line)
	if e.File != "" {
		at = fmt.Sprintf("session %s: line %d", e.File, e.Line)
	}
	return fmt.Sprintf("%s is damaged: %v", at, e.Err)
}

// Unwrap returns the cause.
func (e *DamagedError) Unwrap() error { return e.Err }

// Read reads records until the end and returns how many bytes are good. A last
// line that is not whole is left out: a kill cut it off. The error is a
// [*NewerError] or a [*DamagedError].
func Read(r io.Reader) (records []Record, good int64, err error) {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil { // the end, or a last line without its end
			return records, good, unlessEnd(err)
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

func unlessEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Records reads a session without holding it; id is a whole one, see
// [Store.Find]. A run that holds it may be writing: its unfinished line is left
// out.
func (s Store) Records(id string) ([]Record, error) {
	f, err := os.Open(s.File(id))
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", id, err)
	}
	defer f.Close()
	records, _, err := readNamed(f.Name(), f)
	return records, err
}

// readNamed is [Read] with errors that name the file.
func readNamed(file string, r io.Reader) ([]Record, int64, error) {
	records, good, err := Read(r)
	if newer, ok := errors.AsType[*NewerError](err); ok {
		newer.File = file
		return nil, 0, newer
	}
	if damaged, ok := errors.AsType[*DamagedError](err); ok {
		damaged.File = file
		return nil, 0, damaged
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read session %s: %w", file, err)
	}
	return records, good, nil
}
