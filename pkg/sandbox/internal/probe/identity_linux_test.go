package probe

import "testing"

// A folder of an image at the path of a folder of the host is no leak.
func TestListKnowsAnotherFolder(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	for _, tt := range []struct {
		name, identity string
		denied         bool
	}{
		{"no identity is asked for", "", false},
		{"the folder itself", Identity(dir), false},
		{"another one", Identity(other), true},
	} {
		if got := perform(Act{Name: "list", Args: []string{dir, tt.identity}}); got.Denied != tt.denied {
			t.Errorf("%s: denied %v, %s", tt.name, got.Denied, got.Got)
		}
	}
	if Identity(dir+"/none") != "" {
		t.Error("what does not exist has an identity")
	}
}
