package probe

import (
	"reflect"
	"strings"
	"testing"
)

func TestArgsAndParse(t *testing.T) {
	t.Parallel()
	args, err := Args("/exe", Act{Name: "read", Args: []string{"/x"}}, Act{Name: "mounts"})
	if err != nil || len(args) != 3 || args[0] != "/exe" || args[1] != Marker {
		t.Fatalf("%q, %v", args, err)
	}
	out, err := Parse([]byte(`{"Act":{"Name":"read"},"Denied":true,"Got":"no"}` + "\n"))
	if want := []Outcome{{Act: Act{Name: "read"}, Denied: true, Got: "no"}}; err != nil || !reflect.DeepEqual(out, want) {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := Parse([]byte("panic: x\n")); err == nil || !strings.Contains(err.Error(), "panic: x") {
		t.Errorf("error is %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"Act":{"Name":"a"},"Denied":false}`))
	f.Add([]byte("{}\n\n{}"))
	f.Add([]byte("x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := Parse(data)
		if err == nil && len(out) > strings.Count(string(data), "\n")+1 {
			t.Errorf("%d outcomes from %q", len(out), data)
		}
	})
}
