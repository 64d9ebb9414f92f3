package probe

import (
	"encoding/json"
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

// An act is on the very bytes of a path.
func TestActKeepsBytes(t *testing.T) {
	t.Parallel()
	want := []Act{{Name: "read", Args: []string{"/caf\xe9", "\"é\""}}, {Name: "mounts"}}
	args, err := Args("/exe", want...)
	if err != nil {
		t.Fatal(err)
	}
	var got []Act
	if err := json.Unmarshal([]byte(args[2]), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
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
