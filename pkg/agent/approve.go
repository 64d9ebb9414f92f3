package agent

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// ApprovalRequest says what a call would do, for the person who decides.
type ApprovalRequest struct {
	// Key is what a decision is remembered by: a built-in's name, "pkg:cmd", or
	// "exec:PROGRAM".
	Key string
	// Covers says what a decision that is remembered by Key allows from then on; ""
	// means that Key says it.
	Covers string
	// Names are all the names by which --allow and the configuration mean this
	// call, e.g. data-fetch, data-fetch:data-fetch, exec, exec:git.
	Names []string
	// Ask is true when the call needs a decision by default.
	Ask bool
	// Network is true when the call may reach the network, which is asked about.
	Network bool
	// Summary is one line: what will run, and where.
	Summary string
	// Detail is shown below it: a diff, the arguments, what it may touch.
	Detail string
}

// Decision is the answer to a request.
type Decision struct {
	Allow bool
	// By says who decided: default, flag, config, remembered, user, no-terminal.
	By string
}

// ByNobody is a decision that a rule or a person could have made, and nobody was
// there.
const ByNobody = "no-terminal"

// Approver decides. Without a terminal nobody is asked, and ask means deny.
type Approver interface {
	Approve(ctx context.Context, r ApprovalRequest) (Decision, error)
}

// Asker asks a person. It returns the decision and whether to keep it for the
// session; keeping it for ever is the asker's own affair.
type Asker func(ctx context.Context, r ApprovalRequest) (allow, forSession bool, err error)

// Policy is the usual approver: rules first, then the person.
type Policy struct {
	// Allow and Deny hold names as in [ApprovalRequest.Names], or "all".
	// Flags come from the command line, the others from the configuration.
	Flags, Allow, Deny []string
	// Remembered tells whether the user allowed a key for ever; nil means none.
	Remembered func(key string) bool
	// Ask is nil without a terminal.
	Ask Asker

	session map[string]bool
}

// Approve implements [Approver].
func (p *Policy) Approve(ctx context.Context, r ApprovalRequest) (Decision, error) {
	switch {
	case denied(p.Deny, r):
		return Decision{By: "config"}, nil
	case !r.Ask && !r.Network:
		return Decision{Allow: true, By: "default"}, nil
	case matches(p.Flags, r):
		return Decision{Allow: true, By: "flag"}, nil
	case matches(p.Allow, r):
		return Decision{Allow: true, By: "config"}, nil
	case p.session[r.Key], p.Remembered != nil && p.Remembered(r.Key):
		return Decision{Allow: true, By: "remembered"}, nil
	case p.Ask == nil:
		return Decision{By: ByNobody}, nil
	}
	allow, keep, err := p.Ask(ctx, r)
	if err != nil {
		return Decision{}, err
	}
	if allow && keep {
		if p.session == nil {
			p.session = map[string]bool{}
		}
		p.session[r.Key] = true
	}
	return Decision{Allow: allow, By: "user"}, nil
}

// Forget takes back what the person allowed for this session, also by a flag. It
// tells whether there was such a rule.
func (p *Policy) Forget(key string) bool {
	had := p.session[key] || slices.Contains(p.Flags, key)
	delete(p.session, key)
	p.Flags = slices.DeleteFunc(p.Flags, func(rule string) bool { return rule == key })
	return had
}

// Kept are the keys that the person allowed for this session, sorted.
func (p *Policy) Kept() []string { return slices.Sorted(maps.Keys(p.session)) }

// denied tells whether rules forbid a request: any one word is enough.
func denied(rules []string, r ApprovalRequest) bool {
	return named(rules, r) || slices.Contains(rules, "all") || r.Network && slices.Contains(rules, "network")
}

func named(rules []string, r ApprovalRequest) bool {
	return slices.ContainsFunc(r.Names, func(n string) bool { return slices.Contains(rules, n) })
}

// matches tells whether rules allow a request: by one of its names, or, when the
// network is all that there is to ask about, by that word.
func matches(rules []string, r ApprovalRequest) bool {
	return slices.Contains(rules, "all") || named(rules, r) || r.Network && !r.Ask && slices.Contains(rules, "network")
}

// SplitRules takes apart the values of --allow: repeated, or with commas.
func SplitRules(values []string) []string {
	var out []string
	for _, v := range values {
		for name := range strings.SplitSeq(v, ",") {
			if name = strings.TrimSpace(name); name != "" {
				out = append(out, name)
			}
		}
	}
	return out
}
