package agent

import (
	"encoding/json"
	"fmt"
)

// The loop guard: equal calls with equal results. Repeating is sometimes right
// (a build until it is done), so the model is told before it is stopped.
const (
	nudgeAt = 3
	stopAt  = 5
)

// repeats is how often a call came with the same result.
type repeats struct {
	count int
	// told is the step in which the model was warned, 0 when it was not.
	told int
}

// guard counts a call and its result, warns the model and finally ends the turn:
// never before the model could read the warning, however many equal calls one
// answer has.
func (t *turn) guard(r ready, done *outcome) {
	result := done.out.Text
	if done.out.Same != "" {
		result = done.out.Same
	}
	key, err := json.Marshal([]string{r.name, string(r.args), result})
	if err != nil {
		return
	}
	if t.seen == nil {
		t.seen = map[string]*repeats{}
	}
	seen := t.seen[string(key)]
	if seen == nil {
		seen = new(repeats)
		t.seen[string(key)] = seen
	}
	seen.count++
	switch {
	case seen.count >= stopAt && seen.told < t.step:
		t.looping = true
	case seen.count >= nudgeAt:
		if seen.told == 0 {
			seen.told = t.step
		}
		done.out.Text += fmt.Sprintf("\n\n(This is call number %d with the same arguments and the same result. Do something else, or answer the user.)", seen.count)
	}
}

// maxBadArgs is how many refusals of its arguments in a row a tool may give in
// one turn. A model that has read the error three times will not read it better
// a fourth time.
const maxBadArgs = 3

// spent tells whether a tool was refused too often to be called again.
func (t *turn) spent(name string) bool { return t.badArgs[name] >= maxBadArgs }

// count keeps the number of refusals in a row, and says so at the last one. The
// tool stays in the request, whose bytes must not change; it just does not run.
func (t *turn) count(name string, out *Output) {
	if !out.BadArgs {
		delete(t.badArgs, name)
		return
	}
	if t.badArgs == nil {
		t.badArgs = map[string]int{}
	}
	t.badArgs[name]++
	if t.spent(name) {
		out.Text += fmt.Sprintf("\n\nThis was the third call of %s in a row whose arguments were refused, so it is switched off until the user's next message. Do not call it again. Go on without it, or tell the user what is missing.", name)
	}
}

// spentText answers a call of a tool that is spent.
func spentText(name string) string {
	return fmt.Sprintf("error: %s is switched off until the user's next message, because its arguments were refused three times in a row; nothing ran. Go on without it, or tell the user what is missing.", name)
}
