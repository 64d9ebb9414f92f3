// Package tui is the chat on a terminal, and the skills panel that it shares with
// `agentctl skill panel`.
//
// Use [Run] for a chat and [RunPanel] for the panel alone. Both draw inline: what
// is finished is printed once and scrolls away with the terminal's own scrollback,
// only a few lines at the bottom are redrawn. Where the terminal cannot move its
// cursor, or is none, [Run] reads lines and prints lines.
//
// House rules: text of models, tools and files goes through termtext before it
// reaches the terminal; Update never calls what records something, since a record
// comes back as a message (such calls are commands); nothing ticks while nothing
// happens.
package tui
