// Package builtin holds the tools that every chat can have: files of the
// workspace, programs and scripts in the sandbox, skills, a question to the
// user; and it makes a function tool of each command of a tool package.
//
// Use [Tools] and [PackageTools] with one [Env] for a session. The texts here
// are read by models, small ones too: every error says what to call instead.
package builtin
