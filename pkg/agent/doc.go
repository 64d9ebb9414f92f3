// Package agent is the loop: what one turn of a chat is.
//
// An [Agent] sends the history to a model, runs the tools that it calls, and
// goes on until there is an answer or a reason to stop. Everything that happens
// is emitted as a record of package session; everything that differs between
// programs is a field: the model, the tools, who approves, where records go.
package agent
