package stage

import (
	"reflect"
	"testing"
)

func TestEncodeKeepsBytes(t *testing.T) {
	t.Parallel()
	odd := "\"a%\xff\x00ä\n\""
	want := Config{
		Args: []string{odd, ""}, Env: []string{"A=" + odd}, Dir: odd,
		Mounts:   []Mount{{Kind: File, Source: odd, Target: odd, Data: []byte(odd)}},
		Landlock: &Landlock{HandledFS: 1<<63 + 1, Rules: []Rule{{odd, 1}}},
		Rlimits:  []Rlimit{{1, 2, ^uint64(0)}}, Filter: []byte{0, 255},
	}
	data, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(data)
	if err != nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if want.Args[0] != odd || want.Mounts[0].Source != odd || want.Landlock.Rules[0].Path != odd {
		t.Error("encoding changed the original")
	}
	if _, err := Decode([]byte("{")); err == nil {
		t.Error("half a text was read")
	}
}
