package sandbox

import (
	"os"
	"reflect"
	"strconv"
	"testing"
)

func TestParseHierarchies(t *testing.T) {
	t.Parallel()
	const v1 = "36 35 0:30 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n37 35 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	const v2 = "25 20 0:22 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
	tests := []struct {
		name, own, mounts string
		want              []hierarchy
	}{
		{"version 1", "8:pids:/\n4:memory:/a/b\n3:cpuset:/\n", v1, []hierarchy{
			{[]string{"pids"}, []string{"/sys/fs/cgroup/pids"}},
			{[]string{"memory"}, []string{"/sys/fs/cgroup/memory/a/b", "/sys/fs/cgroup/memory/a", "/sys/fs/cgroup/memory"}},
		}},
		{"version 2", "0::/user.slice/x\n", v2, []hierarchy{
			{[]string{"pids", "memory"}, []string{"/sys/fs/cgroup/user.slice/x", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"}},
		}},
		// The folder above the mounts takes folders and files of any name: nothing
		// that is put there limits anything.
		{"version 2 beside version 1, at its root", "0::/\n", "36 35 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n", []hierarchy{
			{[]string{"pids", "memory"}, []string{"/sys/fs/cgroup/unified"}},
		}},
		{"not mounted", "0::/\n8:pids:/\n", "", nil},
		{"nonsense", "a\n::\n", "b - c\n - \n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := parseHierarchies(tt.own, tt.mounts); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestCgroup(t *testing.T) {
	t.Parallel()
	g := newCgroup(DefaultLimits)
	if g == nil {
		if os.Geteuid() == 0 {
			t.Log("no control group is writable here")
		}
		return
	}
	if g.outOfMemory() {
		t.Error("an empty group ran out of memory")
	}
	g.close()
	for _, dir := range g.dirs {
		if exists(dir) {
			t.Errorf("%s is still there", dir)
		}
	}
}

// A group whose maker is gone is removed; one of a living process stays.
func TestSweep(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	gone, mine := mkdir(t, parent, "agentctl-999999999-x"), mkdir(t, parent, "agentctl-"+strconv.Itoa(os.Getpid())+"-x")
	sweep(parent)
	if exists(gone) || !exists(mine) {
		t.Errorf("gone %v, mine %v", exists(gone), exists(mine))
	}
}

func FuzzParseHierarchies(f *testing.F) {
	f.Add("0::/\n8:pids:/a\n", "36 35 0:30 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n")
	f.Add(":::", " - - -")
	f.Fuzz(func(t *testing.T, own, mounts string) {
		for _, h := range parseHierarchies(own, mounts) {
			if len(h.controllers) == 0 || len(h.parents) == 0 {
				t.Errorf("an empty hierarchy from %q, %q", own, mounts)
			}
		}
	})
}
