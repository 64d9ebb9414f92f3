package cli

import (
	"sync"
	"testing"
)

// A chat looks for the names of skills in the background, also while a person
// reloads it or trusts the workspace.
func TestFactoryForgetsWhileItIsAsked(t *testing.T) {
	t.Parallel()
	f, _, _ := testFactory(t)
	want, err := f.Workspace()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 50 {
			if _, err := f.heldBack(); err != nil {
				t.Error(err)
			}
			if ws, err := f.Workspace(); err != nil || ws != want {
				t.Errorf("got %q, %v", ws, err)
			}
			if _, err := f.Config(); err != nil {
				t.Error(err)
			}
		}
	})
	for range 50 {
		f.forget()
		f.useConfig(f.chatConfig)
	}
	wg.Wait()
}
