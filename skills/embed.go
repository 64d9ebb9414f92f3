// Package skills holds the skills that come with the binary.
package skills

import "embed"

// FS has one folder for each skill. Dot files belong to a skill too.
//
//go:embed all:author-skill all:author-tool
var FS embed.FS
