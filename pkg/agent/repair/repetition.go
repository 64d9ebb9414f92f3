package repair

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	// minRepeat is how many bytes a piece must have to count as one that comes
	// again: words and lines of a table repeat in good answers too.
	minRepeat = 50
	// maxRepeats is how often it may come, one directly after the other.
	maxRepeats = 10
	// repeatMemory is how much of a text is looked at; it bounds the length of a
	// piece to a tenth of it.
	repeatMemory = 32 << 10
	// repeatEvery is how much text comes between two looks.
	repeatEvery = 64
)

// Repetition notices a model that says the same again and again. The zero value
// is ready.
type Repetition struct {
	text []byte
	next int // the length of text at the next look
}

// Write takes the next piece of a text, and tells whether its end is one piece of
// 50 bytes or more, ten times in a row.
func (r *Repetition) Write(text string) bool {
	r.text = append(r.text, text...)
	if over := len(r.text) - repeatMemory; over > repeatMemory {
		r.text, r.next = append([]byte(nil), r.text[over:]...), 0
	}
	if len(r.text) < r.next {
		return false
	}
	r.next = len(r.text) + repeatEvery
	return period(r.text) > 0
}

// period is the length of the piece that the end of text repeats, 0 when it does
// not.
func period(text []byte) int {
	if len(text) < minRepeat*maxRepeats {
		return 0
	}
	end := len(text) - minRepeat
	tail := text[end:]
	before := bytes.LastIndex(text[:len(text)-1], tail)
	if before < 0 {
		return 0
	}
	p := end - before
	for n := p; p < minRepeat; {
		p += n
	}
	if whole := p * maxRepeats; whole > len(text) || !bytes.Equal(text[len(text)-whole:len(text)-p], text[len(text)-whole+p:]) {
		return 0
	}
	return p
}

// WithoutRepetition is a text whose end repeats itself with that piece once, so
// that it does not make the model go on like that in its next answer.
func WithoutRepetition(text string) string {
	// The stream was cut a few bytes after the tenth time.
	p := period([]byte(text))
	if p == 0 {
		return text
	}
	from := len(text) - p
	for from > 0 && text[from-1] == text[from-1+p] {
		from--
	}
	end := from + p
	for end < len(text) && !blank(text[end-1]) && !blank(text[end]) {
		end++ // to the end of the word
	}
	for end > 0 && end < len(text) && !utf8.RuneStart(text[end]) {
		end-- // not in the middle of a character
	}
	return text[:end]
}

func blank(b byte) bool { return strings.IndexByte(blanks, b) >= 0 }
