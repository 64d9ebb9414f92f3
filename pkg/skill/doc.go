// Package skill reads, indexes, checks, writes and moves skills: folders with a
// SKILL.md that teach a model how to do something.
//
// Use a [Library] to find skills and one name's meaning, [ModelView] for what a
// model may see of them, [Index] and [ReadForModel] for the texts that a model
// reads, [Save] to write a skill, [Lint] to check one, [Export] and [Import] to
// move one as an archive, [Sync] and [Promote] to share it.
//
// Reading is lenient and says what it repaired; writing is strict and never
// writes what would not load again. Nothing here prints or asks.
package skill
