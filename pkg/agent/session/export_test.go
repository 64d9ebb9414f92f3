package session

import "io"

// Scan is the quick look at a file that has no name.
func Scan(r io.Reader) Summary { return scan("", r) }

// TitleOf is the title that a text makes.
func TitleOf(text string) string { return titleOf(text) }
