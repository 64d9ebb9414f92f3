package sandbox

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cgroup limits a whole tree where root, whose processes the kernel does not
// count otherwise, may make control groups: processes, and memory with the private
// tmp in it.
type cgroup struct {
	dirs  []string
	procs []*os.File // cgroup.procs; process 1 joins by writing to them
	oom   string     // the file that counts kills for lack of memory
}

// cgroupSpare is added to the limit of processes: the threads of the two stages
// count too.
const cgroupSpare = 24

// cgroupPrefix is followed by the process number of the caller.
const cgroupPrefix = "agentctl-"

// newCgroup makes the groups that can be made. It is nil for an ordinary user,
// who has the limit of processes per user namespace, and where nothing is writable.
func newCgroup(l Limits) *cgroup {
	if os.Geteuid() != 0 {
		return nil
	}
	g := &cgroup{}
	name := cgroupPrefix + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	for _, h := range hierarchies() {
		g.add(h, name, l)
	}
	if len(g.procs) == 0 {
		return nil
	}
	return g
}

// hierarchy is one tree of control groups with the folders to try, own one first.
type hierarchy struct {
	controllers []string
	parents     []string
}

// hierarchies reads where this process is, in version 1 and 2 alike.
func hierarchies() []hierarchy {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	return parseHierarchies(string(own), string(mounts))
}

func parseHierarchies(own, mounts string) []hierarchy {
	var out []hierarchy
	for line := range strings.SplitSeq(own, "\n") {
		id, rest, _ := strings.Cut(line, ":")
		names, path, ok := strings.Cut(rest, ":")
		if !ok {
			continue
		}
		controllers := strings.Split(names, ",")
		if id == "0" {
			controllers = []string{"pids", "memory"}
		}
		if !slices.Contains(controllers, "pids") && !slices.Contains(controllers, "memory") {
			continue
		}
		if root := cgroupMount(mounts, id == "0", controllers[0]); root != "" {
			own := filepath.Join(root, path)
			out = append(out, hierarchy{controllers, parentsOf(own, root)})
		}
	}
	return out
}

// parentsOf lists the folders to try, own one first and never above the mount:
// what lies there is an ordinary folder, where limits are files without meaning.
func parentsOf(own, root string) []string {
	if own == root {
		return []string{root}
	}
	return slices.Compact([]string{own, filepath.Dir(own), root})
}

// cgroupMount finds where a hierarchy is mounted: fields of mountinfo are
// "… mountpoint … - type source options".
func cgroupMount(mounts string, v2 bool, controller string) string {
	scan := bufio.NewScanner(strings.NewReader(mounts))
	for scan.Scan() {
		before, after, ok := strings.Cut(scan.Text(), " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 5 || len(right) < 3 {
			continue
		}
		if v2 && right[0] == "cgroup2" || right[0] == "cgroup" && slices.Contains(strings.Split(right[2], ","), controller) {
			return left[4]
		}
	}
	return ""
}

// add makes one group in the first folder where its limits can be set.
func (g *cgroup) add(h hierarchy, name string, l Limits) {
	for _, parent := range h.parents {
		if !strings.HasPrefix(parent, "/sys/fs/cgroup") {
			continue
		}
		sweep(parent)
		dir := filepath.Join(parent, name)
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		if g.limit(dir, h.controllers, l) {
			procs, err := os.OpenFile(filepath.Join(dir, "cgroup.procs"), os.O_WRONLY, 0)
			if err == nil {
				g.dirs, g.procs = append(g.dirs, dir), append(g.procs, procs)
				return
			}
		}
		_ = os.Remove(dir)
	}
}

// sweep removes what callers left behind that were killed. A group that is in use
// cannot be removed.
func sweep(parent string) {
	old, _ := filepath.Glob(filepath.Join(parent, cgroupPrefix+"*"))
	for _, dir := range old {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), cgroupPrefix), "-")
		if !exists(filepath.Join("/proc", pid)) {
			_ = os.Remove(dir)
		}
	}
}

func (g *cgroup) limit(dir string, controllers []string, l Limits) bool {
	set := func(file string, n int64) bool {
		return n < 0 || os.WriteFile(filepath.Join(dir, file), []byte(strconv.FormatInt(n, 10)), 0o644) == nil
	}
	ok := false
	if slices.Contains(controllers, "pids") {
		n := int64(l.Processes)
		if n >= 0 {
			n += cgroupSpare
		}
		ok = set("pids.max", n)
	}
	if slices.Contains(controllers, "memory") && l.Data >= 0 && l.Tmp >= 0 {
		for file, events := range map[string]string{"memory.max": "memory.events", "memory.limit_in_bytes": "memory.oom_control"} {
			if exists(filepath.Join(dir, file)) && set(file, l.Data+l.Tmp) {
				g.oom, ok = filepath.Join(dir, events), true
			}
		}
	}
	return ok
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// outOfMemory tells whether the kernel killed something in the group for lack of
// memory.
func (g *cgroup) outOfMemory() bool {
	if g == nil || g.oom == "" {
		return false
	}
	data, err := os.ReadFile(g.oom)
	if err != nil {
		return false
	}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if n, ok := bytes.CutPrefix(line, []byte("oom_kill ")); ok {
			return string(n) != "0"
		}
	}
	return false
}

// close removes the groups. A process that has just ended may hold one for a
// moment.
func (g *cgroup) close() {
	if g == nil {
		return
	}
	closeAll(g.procs)
	for _, dir := range g.dirs {
		for try := range 20 {
			if err := os.Remove(dir); !errors.Is(err, syscall.EBUSY) {
				break
			}
			time.Sleep(time.Duration(try+1) * time.Millisecond)
		}
	}
}
