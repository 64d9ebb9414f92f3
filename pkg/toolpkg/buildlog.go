package toolpkg

import (
	"io"
	"strings"
	"sync"
)

// keptLog is how much of a build's output a failure shows at most; the reason
// is at its end.
const keptLog = 4000

// buildLog takes both streams of a program, which arrive from two goroutines:
// it passes them on and keeps the end.
type buildLog struct {
	mu   sync.Mutex
	pass io.Writer // or nil
	tail []byte
	cut  bool
}

// Write always reports success: a log that cannot be written is no reason to
// stop a build.
func (l *buildLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pass != nil {
		_, _ = l.pass.Write(p)
	}
	l.tail = append(l.tail, p...)
	if over := len(l.tail) - keptLog; over > keptLog {
		l.tail, l.cut = append(l.tail[:0], l.tail[over:]...), true
	}
	return len(p), nil
}

// end is what was kept.
func (l *buildLog) end() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := string(l.tail)
	if l.cut && len(text) <= keptLog {
		text = "…" + text
	}
	return endOf(text, keptLog)
}

// endOf is the end of what a program printed, which is where the reason is: up to
// room bytes, from the beginning of a line where one is near.
func endOf(text string, room int) string {
	text = strings.TrimSpace(text)
	if len(text) > room {
		text = text[len(text)-room:]
		if i := strings.IndexByte(text, '\n'); i >= 0 && i < room/2 {
			text = text[i:]
		}
		text = "…" + text
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// lockedWriter lets the programs of several packages share one log.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
