package skill

import "github.com/agentctl/agentctl/internal/registry"

// ModelView is what a model may see: skills of trusted sources that offered
// accepts (nil accepts all), less those that [Withhold] keeps back.
func ModelView(l *Listing, offered func(*Item) bool) *Listing {
	v := Withhold(l).Filter(func(it *Item) bool {
		return !it.Source.Untrusted && (offered == nil || offered(it))
	})
	v.Broken = trustedBroken(l.Broken)
	return v
}

// Withhold keeps disabled skills and those that only people may call from a
// model. They keep their names, so that a model never gets another skill in
// place of the one that a person means by that name.
func Withhold(l *Listing) *Listing {
	disabled := map[string]bool{} // by name, whatever the source
	for _, it := range l.Items {
		if it.State == registry.Disabled {
			disabled[it.Name] = true
		}
	}
	return l.Withhold(func(it *Item) string {
		switch {
		case disabled[it.Name]:
			return "is disabled"
		case it.Value.DisableModelInvocation:
			return "is for people only (disable-model-invocation)"
		}
		return ""
	})
}

func trustedBroken(all []*registry.Broken) []*registry.Broken {
	var out []*registry.Broken
	for _, b := range all {
		if !b.Source.Untrusted {
			out = append(out, b)
		}
	}
	return out
}
