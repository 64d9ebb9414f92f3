package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"
)

// proof is what a backend has shown: what it could not hold back.
type proof struct {
	Key     string
	Missing []Feature
}

// prove lets a candidate deny what it must deny, or reads that it did so in this
// boot, with this program, for this user.
func prove(ctx context.Context, c candidate, o Options) error { return proveOnly(ctx, c, o, Required) }

func proveOnly(ctx context.Context, c candidate, o Options, required []Feature) error {
	key := proofKey(c)
	if p, ok := loadProof(o.CacheDir, c.Name(), key); ok && len(missingFrom(required, p.Missing)) == 0 {
		c.setMissing(p.Missing)
		return nil
	}
	verdicts, err := runTrials(ctx, c, o.host())
	if ctx.Err() != nil { // a trial that was cut short shows nothing
		return &unfinishedError{Backend: c.Name(), Err: ctx.Err()}
	}
	if err != nil {
		if f := (*Fault)(nil); errors.As(err, &f) {
			return f
		}
		return &Fault{Backend: c.Name(), Reason: "it could not be tried: " + err.Error(), Err: err}
	}
	r := Report{Protections: protections(verdicts, c.how)}
	missing := r.missing()
	if lacking := missingFrom(required, missing); len(lacking) > 0 {
		return unproven(c.Name(), r, lacking)
	}
	c.setMissing(missing)
	saveProof(o.CacheDir, c.Name(), proof{Key: key, Missing: missing})
	return nil
}

// unfinishedError reports that trying a backend was cut short.
type unfinishedError struct {
	Backend string
	Err     error // of the context
}

func (e *unfinishedError) Error() string {
	what := "interrupted"
	if errors.Is(e.Err, context.DeadlineExceeded) {
		what = "the time limit was reached"
	}
	return what + " while sandbox " + e.Backend + " was tried"
}

// Unwrap returns the error of the context.
func (e *unfinishedError) Unwrap() error { return e.Err }

func unproven(name string, r Report, lacking []Feature) error {
	var said []string
	for _, p := range r.Protections {
		if slices.Contains(lacking, p.Feature) {
			said = append(said, fmt.Sprintf("%s (%s)", p.Feature, p.Proof))
		}
	}
	return &Fault{Backend: name, Reason: "does not enforce " + strings.Join(said, ", "), Cure: "see agentctl sandbox doctor"}
}

// proofKey names everything that a proof depends on: this boot, this program
// file, this user, the backend's own program, and where this process runs: a
// container that shares the user's folders may forbid what the host allows.
func proofKey(c candidate) string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.Join([]string{
		"1", strings.TrimSpace(string(boot)), fileIdentity("/proc/self/exe"),
		fmt.Sprint(os.Geteuid()), c.identity(), surroundings(),
	}, " ")
}

// surroundings changes with the namespaces of this process and with what they
// permit.
func surroundings() string {
	var parts []string
	for _, ns := range []string{"user", "mnt", "pid"} {
		link, _ := os.Readlink("/proc/self/ns/" + ns)
		parts = append(parts, link)
	}
	for _, file := range []string{"/proc/sys/user/max_user_namespaces", "/proc/self/attr/current"} {
		data, _ := os.ReadFile(file)
		parts = append(parts, strings.Trim(string(data), " \n\x00"))
	}
	return strings.Join(parts, " ")
}

// fileIdentity changes when another file takes the place of this one.
func fileIdentity(path string) string {
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		return "none"
	}
	return fmt.Sprintf("%d:%d:%d:%d.%d", st.Dev, st.Ino, st.Size, st.Mtim.Sec, st.Mtim.Nsec)
}

// A cache that cannot be read or written only costs time, so its errors are not
// reported.
func loadProof(dir, name, key string) (proof, bool) {
	if dir == "" {
		return proof{}, false
	}
	data, err := os.ReadFile(proofFile(dir, name))
	if err != nil {
		return proof{}, false
	}
	var p proof
	if json.Unmarshal(data, &p) != nil || p.Key != key {
		return proof{}, false
	}
	return p, true
}

func saveProof(dir, name string, p proof) {
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		return
	}
	if data, err := json.Marshal(p); err == nil {
		_ = renameio.WriteFile(proofFile(dir, name), data, 0o600)
	}
}

func proofFile(dir, name string) string { return filepath.Join(dir, "sandbox-"+name+".json") }
