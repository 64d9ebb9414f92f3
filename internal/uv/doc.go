// Package uv runs the uv program, which makes Python environments, and finds
// the interpreters that a built environment can run on. uv is found by probe and
// never assumed: [Find] says how to get it.
package uv
