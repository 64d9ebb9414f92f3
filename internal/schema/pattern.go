package schema

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// anything matches every string.
type anything string

func (anything) MatchString(string) bool { return true }
func (a anything) String() string        { return string(a) }

// compilePattern reads a regular expression of JSON Schema, which is one of
// JavaScript. One that Go lacks the means for, such as a lookahead, passes
// everything: the tool checks its own arguments too, and Lint says so. One that is
// wrong in JavaScript as well is an error.
func compilePattern(s string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(s)
	if err == nil {
		return re, nil
	}
	_, err = syntax.Parse(withoutExtras(s), syntax.Perl)
	if bad, ok := errors.AsType[*syntax.Error](err); ok && wrongAnywhere(s, bad) {
		return nil, errors.New(bad.Code.String()) // its text is not that of the author
	}
	return anything(s), nil
}

// uncheckable tells whether a pattern is one that passes everything.
func uncheckable(s string) bool {
	re, err := compilePattern(s)
	_, all := re.(anything)
	return err == nil && all
}

var lookaround = regexp.MustCompile(`\(\?(=|!|<=|<!)`)

// named begins a group with a name, which in JavaScript may have letters of any
// script.
var named = regexp.MustCompile(`\(\?<[\p{L}\p{Nl}$_][\p{L}\p{Nl}\p{M}\p{Nd}\p{Pc}$\x{200c}\x{200d}]*>`)

// extras are the escapes that JavaScript has beyond Go; every other one stays.
var extras = regexp.MustCompile(`\\(u\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|c[A-Za-z]|k<[^>]*>|[1-9][0-9]*|[pP]\{[^}]*\}|.)`)

// withoutExtras is a pattern of the same structure in Go's syntax, as far as that
// can be had, so that what is wrong with the rest shows.
func withoutExtras(s string) string {
	s = extras.ReplaceAllStringFunc(s, func(escape string) string {
		if strings.ContainsRune("uckpP123456789", rune(escape[1])) {
			return "x"
		}
		return escape
	})
	return lookaround.ReplaceAllString(named.ReplaceAllString(s, "(?:"), "(?:")
}

// wrongAnywhere tells whether an error is about what no dialect takes. JavaScript
// has empty classes, and a range may end in what was an escape.
func wrongAnywhere(s string, bad *syntax.Error) bool {
	switch bad.Code {
	case syntax.ErrInvalidCharRange:
		return !strings.Contains(bad.Expr, `\`) && strings.Contains(s, bad.Expr)
	case syntax.ErrMissingBracket:
		return !strings.Contains(s, "[]") && !strings.Contains(s, "[^]")
	}
	return slices.Contains([]syntax.ErrorCode{
		syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrMissingRepeatArgument,
		syntax.ErrInvalidRepeatOp, syntax.ErrTrailingBackslash, syntax.ErrInvalidNamedCapture,
	}, bad.Code)
}
