package stage

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// onThread runs f on a thread of its own that is thrown away afterwards: what the
// stage does to itself holds for its thread and cannot be undone.
func onThread(t *testing.T, f func() error) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked, so the thread ends with this
		done <- f()
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRestrict(t *testing.T) {
	t.Parallel()
	if _, _, e := syscall.RawSyscall(sysLandlockCreate, 0, 0, 1); e != 0 {
		t.Skipf("no Landlock here: %v", e) // the backends report it; the suites need none
	}
	dir := t.TempDir()
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	const all = 1<<13 - 1
	onThread(t, func() error {
		if err := prctl(prSetNoNewPrivs, 1); err != nil {
			return err
		}
		rules := []Rule{{"/", 1<<2 | 1<<3}, {open, all}, {"/no/such/path", all}, {"/dev/null", all}, {os.Args[0], 1 << 12}}
		if err := restrict(&Landlock{HandledFS: all, Rules: rules}); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(open, "x"), nil, 0o600); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); !os.IsPermission(err) {
			t.Errorf("writing outside: %v", err)
		}
		return nil
	})
	if err := restrict(nil); err != nil {
		t.Errorf("no ruleset: %v", err)
	}
	if err := restrict(&Landlock{HandledFS: 1 << 63}); err == nil {
		t.Error("a right that does not exist was accepted")
	}
}

func TestDropCapabilities(t *testing.T) {
	t.Parallel()
	onThread(t, func() error {
		if err := dropCapabilities(); err != nil {
			return err
		}
		status, err := os.ReadFile("/proc/thread-self/status")
		if err != nil {
			return err
		}
		for line := range strings.SplitSeq(string(status), "\n") {
			key, value, _ := strings.Cut(line, ":")
			bounding := key == "CapBnd" && os.Geteuid() == 0
			if (bounding || key == "CapEff" || key == "CapPrm" || key == "CapInh" || key == "CapAmb") && strings.Trim(value, "\t0") != "" {
				t.Errorf("%s is still %s", key, value)
			}
		}
		return nil
	})
}

func TestLoadFilter(t *testing.T) {
	t.Parallel()
	// Load the number of the call; getppid answers "not permitted"; allow the rest.
	var prog []byte
	add := func(op uint16, jt, jf uint8, k uint32) {
		prog = binary.NativeEndian.AppendUint16(prog, op)
		prog = append(prog, jt, jf)
		prog = binary.NativeEndian.AppendUint32(prog, k)
	}
	add(0x20, 0, 0, 0)
	add(0x15, 0, 1, syscall.SYS_GETPPID)
	add(0x06, 0, 0, 0x00050000|uint32(syscall.EPERM))
	add(0x06, 0, 0, 0x7fff0000)
	onThread(t, func() error {
		if err := prctl(prSetNoNewPrivs, 1); err != nil {
			return err
		}
		if err := loadFilter(prog); err != nil {
			return err
		}
		if _, _, e := syscall.RawSyscall(syscall.SYS_GETPPID, 0, 0, 0); e != syscall.EPERM {
			t.Errorf("the call gives %v", e)
		}
		return nil
	})
}

// A limit is never raised above the hard one, and the same value changes nothing.
func TestSetLimits(t *testing.T) {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &now); err != nil {
		t.Fatal(err)
	}
	data := setLimits([]Rlimit{
		{Resource: syscall.RLIMIT_CORE, Soft: now.Cur, Hard: ^uint64(0)},
		{Resource: syscall.RLIMIT_DATA, Soft: 1, Hard: 1},
	})
	if data == nil || data.Soft != 1 {
		t.Errorf("the limit of data is %v", data)
	}
	var after syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &after); err != nil || after != now {
		t.Errorf("limits %v, want %v (%v)", after, now, err)
	}
	if err := setrlimit(Rlimit{Resource: 99}); err == nil {
		t.Error("a limit that does not exist was set")
	}
}
