package agent

import (
	"encoding/json"
	"fmt"
)

// The loop guard: equal calls with equal results, and calls in a row of which none
// could run, because there is no tool of that name or it is switched off. Repeating
// is sometimes right (a build until it is done), and a name can be learned, so the
// model is told before it is stopped.
const (
	nudgeAt = 3
	stopAt  = 5
)

// repeats is how often something came again.
type repeats struct {
	count int
	// told is the step in which the model was warned, 0 when it was not.
	told int
}

// again counts, and tells whether the model has to be warned or the turn ends:
// never before the model could read the warning, however many calls one answer has.
func (r *repeats) again(step int) (warn, end bool) {
	r.count++
	if r.count == nudgeAt {
		r.told = step
	}
	return r.count >= nudgeAt, r.count >= stopAt && r.told < step
}

// guard counts a call and its result, warns the model and finally ends the turn.
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
	equal, end := seen.again(t.step)
	lost := false
	if r.problem != "" && !r.badArgs {
		var endLost bool
		lost, endLost = t.lost.again(t.step)
		end = end || endLost
	} else {
		t.lost = repeats{}
	}
	switch {
	case end:
		t.looping = true
	case lost:
		done.out.Text += fmt.Sprintf("\n\n(This is call number %d in a row that could not run. Call another tool by its exact name, or answer the user in plain text.)", t.lost.count)
	case equal:
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
