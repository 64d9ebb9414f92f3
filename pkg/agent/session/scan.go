package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
)

// scan summarises a session by reading lines whose beginning says that they
// matter: records begin with type and version.
func scan(file string, r io.Reader) Summary {
	s := &scanner{file: file, in: bufio.NewReaderSize(r, scanBuffer)}
	for s.line() {
	}
	return s.summary()
}

// scanBuffer holds most lines whole; one that is longer is skipped in pieces.
const scanBuffer = 32 << 10

type scanner struct {
	file              string
	in                *bufio.Reader
	lines, turns      int
	init, user, title kept // the last, the first, the last
	problem           error
}

type kept struct {
	line []byte
	at   int // its number, 0 when there is none
}

// line takes the next line and tells whether there was one. A last line without
// its end was cut off by a kill and says nothing.
func (s *scanner) line() bool {
	begin, err := s.in.ReadSlice('\n')
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
		return false
	}
	kind, version, ok := header(begin)
	keep := s.keeps(kind)
	var whole []byte // or, of a long line that is not kept, its last two bytes
	if keep != nil || !ok || err == nil {
		whole, err = s.rest(begin, err)
	} else {
		whole, err = s.skip(begin)
	}
	if err != nil {
		return false
	}
	s.lines++
	switch {
	case !ok || !bytes.HasSuffix(whole, []byte("}\n")):
		s.odd(whole)
		return true
	case version > Version:
		s.fail(&NewerError{File: s.file, Version: version})
	case keep != nil:
		*keep = kept{bytes.Clone(whole), s.lines}
	}
	if kind == string(TypeUser) {
		s.turns++
	}
	return true
}

// keeps is where a line of this type is kept, nil for one that is not.
func (s *scanner) keeps(kind string) *kept {
	switch Type(kind) {
	case TypeInit:
		return &s.init
	case TypeTitle:
		return &s.title
	case TypeUser:
		if s.user.at == 0 {
			return &s.user
		}
	}
	return nil
}

// header reads the fixed beginning of a line: {"type":"user","v":1,
func header(line []byte) (kind string, version int, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	if !ok {
		return "", 0, false
	}
	name, rest, ok := bytes.Cut(rest, []byte(`","v":`))
	if !ok || len(name) > 40 {
		return "", 0, false
	}
	end := bytes.IndexAny(rest, ",}")
	if end < 0 {
		return "", 0, false
	}
	version, err := strconv.Atoi(string(rest[:end]))
	return string(name), version, err == nil
}

// odd looks closer at a line that does not look as ours do.
func (s *scanner) odd(line []byte) {
	var rec Record
	err := json.Unmarshal(line, &rec)
	if err == nil {
		if rec.Type == TypeUser {
			s.turns++
		}
		return
	}
	if newer, ok := errors.AsType[*NewerError](err); ok {
		newer.File = s.file
		s.fail(newer)
		return
	}
	if _, end := s.in.Peek(1); end == nil { // the last line may be a kill's
		s.fail(&DamagedError{File: s.file, Line: s.lines, Err: err})
	}
}

func (s *scanner) fail(err error) {
	if s.problem == nil {
		s.problem = err
	}
}

// rest returns the whole line, which the next read may overwrite. err is that of
// reading its beginning.
func (s *scanner) rest(begin []byte, err error) ([]byte, error) {
	if err == nil {
		return begin, nil
	}
	begin = bytes.Clone(begin)
	more, err := s.in.ReadBytes('\n')
	return append(begin, more...), err
}

// skip passes over what is left of a long line and returns its last two bytes:
// the last piece may be the line feed alone.
func (s *scanner) skip(begin []byte) (end []byte, err error) {
	end = bytes.Clone(begin[len(begin)-2:])
	for {
		piece, err := s.in.ReadSlice('\n')
		end = append(end, piece[max(len(piece)-2, 0):]...)
		end = end[len(end)-2:]
		if !errors.Is(err, bufio.ErrBufferFull) {
			return end, err
		}
	}
}

func (s *scanner) summary() Summary {
	var init struct{ App, Model string } // not the system prompt and the tools
	var user User
	var title Title
	s.decode(s.init, &init)
	s.decode(s.user, &user)
	s.decode(s.title, &title)
	sum := Summary{Title: title.Text, App: init.App, Model: init.Model, Turns: s.turns, Problem: s.problem}
	if sum.Title == "" {
		sum.Title = titleOf(user.Text)
	}
	return sum
}

func (s *scanner) decode(k kept, into any) {
	if k.at == 0 {
		return
	}
	if err := json.Unmarshal(k.line, into); err != nil {
		s.fail(&DamagedError{File: s.file, Line: k.at, Err: err})
	}
}
