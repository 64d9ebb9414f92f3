// Package apps holds the apps that are part of the binary. Each folder is an app
// as pkg/agent/app reads it; docs/apps.md describes the format.
package apps

import "embed"

// FS has one folder an app. They name no tool package and only embedded
// skills, so that they start in every workspace.
//
//go:embed all:default all:rca all:topic-hub all:playground
var FS embed.FS
