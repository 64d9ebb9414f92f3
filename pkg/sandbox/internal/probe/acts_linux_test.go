package probe

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Outside a sandbox the harmless acts must work: a probe whose tries always fail
// would prove anything.
func TestActsWorkWithoutASandbox(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("file"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	tcpListener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tcpListener.Close() }()
	unixListener, err := net.Listen("unix", in("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unixListener.Close() }()
	self := strconv.Itoa(os.Getpid())
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"read", []string{in("file")}, "read 4 bytes: text"},
		{"list", []string{dir}, "file"},
		{"write", []string{in("new")}, "wrote"},
		{"open-write", []string{in("new")}, "opened"},
		{"chmod", []string{in("new")}, "mode"},
		{"utime", []string{in("new")}, "time"},
		{"stat", []string{in("new")}, "visible"},
		{"symlink-write", []string{in("link"), in("target")}, "through the link"},
		{"hardlink", []string{in("file"), in("hard")}, "made the link"},
		{"rename", []string{in("hard"), in("hard2")}, "renamed"},
		{"mkdir", []string{in("a/b")}, "made"},
		{"remove", []string{in("a")}, "removed"},
		{"fill", []string{in("big"), "100000"}, "wrote 100000"},
		{"tcp", []string{tcpListener.Addr().String()}, "connected"},
		{"udp", []string{"127.0.0.1:9"}, "sent"},
		{"unix", []string{in("socket")}, "connected"},
		{"resolve", []string{"localhost"}, "resolved to"},
		{"socket", []string{"1", "1", "0"}, "opened"},
		{"kill", []string{self}, "signal"},
		{"memory-of", []string{"self"}, "opened its memory"},
		{"environ", []string{"A,B"}, "sees "},
		{"environs", []string{"A,B"}, "holds "},
		{"pids", []string{"0"}, "processes"},
		{"fd", []string{"0"}, "open"},
		{"syscall", []string{"unknown"}, "took the call"},
		{"allocate", []string{"4096"}, "got 4096"},
		{"open-files", []string{"3"}, "opened 3"},
		{"forks", []string{"2"}, "made 2"},
		{"spin", []string{"0"}, "used 0"},
		{"sleep", []string{"1ms"}, "slept"},
		{"cwd", nil, "/"},
		{"stdin", nil, "bytes"},
		{"bytes", []string{"0"}, "printed 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if o := perform(Act{Name: tt.name, Args: tt.args}); o.Denied || !strings.Contains(o.Got, tt.want) {
				t.Errorf("%+v, want %q", o, tt.want)
			}
		})
	}
}

func TestActsThatAreRefused(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "none", "x")
	tests := []struct {
		name string
		args []string
	}{
		{"read", []string{missing}},
		{"list", []string{missing}},
		{"write", []string{missing}},
		{"open-write", []string{missing}},
		{"chmod", []string{missing}},
		{"utime", []string{missing}},
		{"stat", []string{missing}},
		{"symlink-write", []string{missing, missing}},
		{"hardlink", []string{missing, missing}},
		{"mknod", []string{missing}},
		{"rename", []string{missing, missing}},
		{"fill", []string{missing, "10"}},
		{"tcp", []string{"127.0.0.1:1"}},
		{"udp", []string{"nonsense"}},
		{"unix", []string{missing}},
		{"socket", []string{"99", "1", "0"}},
		{"kill", []string{"999999999"}},
		{"ptrace", []string{"999999999"}},
		{"memory-of", []string{"999999999"}},
		{"environ", []string{allNames()}},
		{"pids", []string{"99999999"}},
		{"fd", []string{"99999"}},
		{"allocate", []string{strconv.Itoa(1 << 60)}},
		{"sleep", []string{"soon"}},
		{"hold", []string{missing}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if o := perform(Act{Name: tt.name, Args: tt.args}); !o.Denied || o.Got == "" {
				t.Errorf("%+v was not refused", o)
			}
		})
	}
	if o := perform(Act{Name: "fly"}); o.Denied || o.Got != "no such act" {
		t.Errorf("an unknown act gives %+v", o)
	}
}

func allNames() string {
	var names []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		names = append(names, name)
	}
	return strings.Join(names, ",")
}
