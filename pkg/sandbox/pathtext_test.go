package sandbox

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestPathText(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"":              `""`,
		"/home/a":       `"/home/a"`,
		"/家/é":          `"/家/é"`,
		"/caf\xe9":      `"\"/caf\\xe9\""`,
		"/�/\xff\n\\\"": `"\"/�/\\xff\\n\\\\\\\"\""`,
		`"a"`:           `"\"\\\"a\\\"\""`,
		"`a`":           "\"`a`\"",
		"'a'":           `"'a'"`,
	} {
		got, err := json.Marshal(PathText(path))
		if err != nil || string(got) != want {
			t.Errorf("%q is %s, %v, want %s", path, got, err, want)
		}
		var back PathText
		if err := json.Unmarshal(got, &back); err != nil || string(back) != path {
			t.Errorf("%q came back as %q, %v", path, back, err)
		}
	}
	var old PathText // of a file that knew no literals
	if err := json.Unmarshal([]byte(`"\"a"`), &old); err != nil || old != `"a` {
		t.Errorf("got %q, %v", old, err)
	}
}

// A watch is the same after it was kept.
func TestWatchJSON(t *testing.T) {
	t.Parallel()
	w := Watch{Path: "/\xe9", Real: "/a\xe9", Link: "\xe9", To: "/\xe9/\"", Sum: "1", File: "\xe9.md", Had: []string{"\xe9", "b"}}
	before := w
	before.Had = []string{"\xe9", "b"}
	data, err := json.Marshal([]Watch{w})
	if err != nil {
		t.Fatal(err)
	}
	var back []Watch
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back[0], before) || !reflect.DeepEqual(w, before) {
		t.Errorf("%+v came back as %+v by %s", w, back[0], data)
	}
}
