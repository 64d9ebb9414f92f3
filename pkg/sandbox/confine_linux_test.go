package sandbox

import (
	"encoding/binary"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// verdictOf runs a filter as the kernel would: the error of a call, 0 if it
// passes.
func verdictOf(t *testing.T, filter []byte, id arch.AuditArch, number int, args ...uint64) unix.Errno {
	t.Helper()
	raw := make([]bpf.RawInstruction, len(filter)/8)
	for i := range raw {
		in := filter[8*i:]
		raw[i] = bpf.RawInstruction{Op: binary.NativeEndian.Uint16(in), Jt: in[2], Jf: in[3], K: binary.NativeEndian.Uint32(in[4:])}
	}
	program, ok := bpf.Disassemble(raw)
	if !ok {
		t.Fatal("the filter cannot be read")
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	// The machine of the library reads big-endian words, the kernel its own.
	words := make([]uint32, 16)
	words[0], words[1] = uint32(number), uint32(id)
	for i, a := range args {
		words[4+2*i], words[5+2*i] = uint32(a), uint32(a>>32)
	}
	var data []byte
	for _, w := range words {
		data = binary.BigEndian.AppendUint32(data, w)
	}
	got, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	const allow = 0x7fff0000
	if got == allow {
		return 0
	}
	return unix.Errno(got & 0xffff)
}

func hostFilter(t *testing.T) (filter []byte, info *arch.Info) {
	t.Helper()
	info, err := arch.GetInfo("")
	if err != nil {
		t.Skip(err)
	}
	if filter, err = filterFor(false); err != nil {
		t.Fatal(err)
	}
	return filter, info
}

// A mode with the bit of the owner or of the group is refused in every call that
// takes one, whatever stands in the bits that the kernel does not read; every
// other mode passes.
func TestFilterOfModes(t *testing.T) {
	t.Parallel()
	filter, info := hostFilter(t)
	const high = 0xdeadbeef << 32
	for _, c := range modeCalls {
		number, ok := info.SyscallNames[c.name]
		if !ok {
			continue
		}
		call := func(flags, mode uint64) unix.Errno {
			args := make([]uint64, 6)
			args[c.mode] = mode
			if c.flags > 0 {
				args[c.flags] = flags
			}
			return verdictOf(t, filter, info.ID, number, args...)
		}
		for mode := range uint64(0o10000) {
			want := unix.Errno(0)
			if mode&0o6000 != 0 {
				want = unix.EPERM
			}
			if got := call(unix.O_CREAT|unix.O_WRONLY, mode); got != want {
				t.Fatalf("%s with mode %o: %v, want %v", c.name, mode, got, want)
			}
		}
		for _, mode := range []uint64{high | 0o4755, 0o102755, 1<<31 | 0o6000} {
			if got := call(high|unix.O_CREAT, mode); got != unix.EPERM {
				t.Errorf("%s with mode %#x: %v", c.name, mode, got)
			}
		}
		if got := call(unix.O_TMPFILE|unix.O_RDWR, 0o4755); got != unix.EPERM {
			t.Errorf("%s with O_TMPFILE: %v", c.name, got)
		}
		// Without O_CREAT the argument is whatever was in the register.
		if got := call(unix.O_DIRECTORY|unix.O_CLOEXEC, 0o6755); c.flags > 0 && got != 0 {
			t.Errorf("%s without a new file: %v", c.name, got)
		}
	}
}

// A name that a table does not know is left out in silence, so each table must know
// the calls that its kernel has.
func TestModeCallsOfEveryArchitecture(t *testing.T) {
	t.Parallel()
	for _, info := range []*arch.Info{arch.ARM, arch.AARCH64, arch.I386, arch.X86_64} {
		want := []string{"fchmod", "fchmodat", "fchmodat2", "mknodat", "openat"}
		if info != arch.AARCH64 { // which has only the newer ones
			want = append(want, "chmod", "mknod", "creat", "open")
		}
		numbers := map[uint32]bool{}
		for _, in := range specialModes(info) {
			if jump, ok := in.(bpf.JumpIf); ok && jump.Cond == bpf.JumpNotEqual {
				numbers[jump.Val] = true
			}
		}
		for _, name := range want {
			if n, ok := info.SyscallNames[name]; !ok || !numbers[uint32(n)] {
				t.Errorf("%s: %s is not looked at", info.Name, name)
			}
		}
	}
}

// Only the calls that are listed are refused: the special cases of some leave all
// others alone.
func TestFilterOfCalls(t *testing.T) {
	t.Parallel()
	filter, info := hostFilter(t)
	denied := map[string]unix.Errno{"clone3": unix.ENOSYS, "openat2": unix.ENOSYS}
	for _, name := range deniedCalls {
		denied[name] = unix.EPERM
	}
	denied["socket"] = unix.EPERM // of the family 0
	for name, number := range info.SyscallNames {
		if got := verdictOf(t, filter, info.ID, number, 0, 0, 0, 0, 0, 0); got != denied[name] {
			t.Errorf("%s: %v, want %v", name, got, denied[name])
		}
	}
	if got := verdictOf(t, filter, info.ID^1, 0); got != unix.ENOSYS {
		t.Errorf("a call of another architecture: %v", got)
	}
	for family := range uint64(64) {
		want := unix.EPERM
		if family == unix.AF_UNIX || family == unix.AF_INET || family == unix.AF_INET6 {
			want = 0
		}
		if got := verdictOf(t, filter, info.ID, info.SyscallNames["socket"], family, 1, 0); got != want {
			t.Errorf("a socket of family %d: %v, want %v", family, got, want)
		}
	}
}
