package diag

import "testing"

func TestString(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		d    Diagnostic
		want string
	}{
		{Diagnostic{File: "a", Line: 1, Column: 2, Severity: Error, Code: "x.y", Message: "m"}, "a:1:2: error: m (x.y)"},
		{Diagnostic{File: "a", Line: 1, Severity: Warning, Code: "x.y", Message: "m"}, "a:1: warning: m (x.y)"},
		{Diagnostic{File: "a", Column: 2, Severity: Info, Code: "x.y", Message: "m"}, "a: info: m (x.y)"},
		{Diagnostic{Severity: Info, Code: "x.y", Message: "m"}, "info: m (x.y)"},
	} {
		if got := tt.d.String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestSortAndHasErrors(t *testing.T) {
	t.Parallel()
	ds := []Diagnostic{{File: "b"}, {File: "a", Line: 2}, {File: "a", Line: 1, Column: 2}, {File: "a", Line: 1, Column: 1, Code: "z"}, {File: "a", Line: 1, Column: 1, Code: "y", Severity: Error}}
	if !HasErrors(ds) || HasErrors(ds[:4]) {
		t.Error("errors are not told from others")
	}
	Sort(ds)
	got := ""
	for _, d := range ds {
		got += d.File + d.Code + " "
	}
	if got != "ay az a a b " {
		t.Errorf("got %q", got)
	}
}
