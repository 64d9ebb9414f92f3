package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/agentctl/agentctl/pkg/agent"
)

const readFileName = "read_file"

type readFileArgs struct {
	Path   string `json:"path" jsonschema_description:"relative to the workspace"`
	Offset int    `json:"offset,omitempty" jsonschema_description:"first line, from 1"`
	Limit  int    `json:"limit,omitempty" jsonschema_description:"number of lines"`
}

func (e *Env) readFile() agent.Tool {
	return newTool(readFileName, "Read a text file.", func(ctx context.Context, _ agent.Call, args readFileArgs) (agent.Output, error) {
		p, err := e.locate(ctx, args.Path)
		if err != nil {
			return agent.Output{}, err
		}
		f, err := e.open(ctx, p)
		if err != nil {
			return agent.Output{}, err
		}
		defer f.Close()
		text, err := readLines(ctx, f, p.shown, max(args.Offset, 1), args.Limit)
		return agent.Output{Text: text}, err
	})
}

// readLines returns the lines from first on: limit of them when it is positive,
// and at most maxText characters, with the call that goes on.
func readLines(ctx context.Context, r io.Reader, name string, first, limit int) (string, error) {
	in := lines{in: bufio.NewReaderSize(r, 64<<10)}
	for in.number < first-1 {
		if _, _, err := in.next(0); err != nil {
			return "", behindEnd(err, name, first, in.number)
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
	}
	var b strings.Builder
	room := maxText
	for limit <= 0 || in.number < first-1+limit {
		line, cut, err := in.next(maxText)
		if errors.Is(err, io.EOF) {
			if in.number == 0 {
				return "(the file is empty)", nil
			}
			if in.number < first {
				return "", behindEnd(err, name, first, in.number)
			}
			return b.String(), nil
		}
		if err != nil {
			return "", refuse("%q cannot be read: %v.", name, err)
		}
		if bytes.IndexByte(line, 0) >= 0 {
			return "", refuse("%q is not a text file. Use a program or a script that understands its format.", name)
		}
		n := utf8.RuneCount(line)
		if n > room {
			return b.String() + goOn(name, first, in.number-1), nil
		}
		room -= n
		b.WriteString(strings.ToValidUTF8(string(line), "\uFFFD"))
		if cut > 0 {
			fmt.Fprintf(&b, "\n[the last %d bytes of line %d were cut]\n", cut, in.number)
		}
	}
	if _, _, err := in.next(0); err == nil {
		return b.String() + goOn(name, first, in.number-1), nil
	}
	return b.String(), nil
}

func behindEnd(err error, name string, first, total int) error {
	if !errors.Is(err, io.EOF) {
		return refuse("%q cannot be read: %v.", name, err)
	}
	return refuse("offset %d is behind the end of %q: it has %d lines.", first, name, total)
}

func goOn(name string, first, last int) string {
	return fmt.Sprintf("[lines %d-%d; more follow: call %s]\n", first, last, call(readFileName, "path", name, "offset", last+1))
}

// lines reads lines of any length in bounded memory.
type lines struct {
	in     *bufio.Reader
	number int // of the line that next returned last
}

// next returns the next line with its end, cut to keep characters; cut counts
// the bytes that were left out. The error is io.EOF behind the last line.
func (l *lines) next(keep int) (line []byte, cut int, err error) {
	read := 0
	for {
		piece, err := l.in.ReadSlice('\n')
		if read += len(piece); read == 0 && err != nil {
			return nil, 0, err
		}
		room := max(0, utf8.UTFMax*keep-len(line))
		line = append(line, piece[:min(room, len(piece))]...)
		if err == nil || errors.Is(err, io.EOF) {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, 0, err
		}
	}
	l.number++
	line = clip(line, keep)
	return line, read - len(line), nil
}

// clip returns at most n characters of b.
func clip(b []byte, n int) []byte {
	if len(b) <= n || utf8.RuneCount(b) <= n {
		return b
	}
	end := 0
	for range n {
		_, size := utf8.DecodeRune(b[end:])
		end += size
	}
	return b[:end]
}
