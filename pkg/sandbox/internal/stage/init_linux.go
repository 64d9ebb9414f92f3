package stage

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// exitSetup ends a stage that failed; the status line says why.
const exitSetup = 125

func init() {
	if len(os.Args) != 3 || os.Args[1] != Marker {
		return
	}
	sealInherited()
	cfg, err := readConfig()
	if err != nil {
		fail(StatusFault, "configuration: "+err.Error())
	}
	switch os.Args[2] {
	case RoleInit:
		runInit(cfg)
	case RoleTool:
		runTool(cfg)
	}
	fail(StatusFault, "unknown role")
}

// readConfig reads from offset 0, since both roles share the file and so its
// position.
func readConfig() (*Config, error) {
	var st syscall.Stat_t
	if err := syscall.Fstat(ConfigFD, &st); err != nil {
		return nil, err
	}
	data := make([]byte, st.Size)
	for n := 0; n < len(data); {
		m, err := syscall.Pread(ConfigFD, data[n:], int64(n))
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		if m == 0 {
			return nil, syscall.EIO
		}
		n += m
	}
	return Decode(data)
}

// tell writes one status line in one call, so that the two roles never mix.
func tell(word string, rest ...string) {
	var line strings.Builder
	line.WriteString(word)
	for _, s := range rest {
		line.WriteString(" " + s)
	}
	_, _ = syscall.Write(StatusFD, []byte(line.String()+"\n"))
}

// fail ends the stage. It leaves out the runtime's exit hooks, as every end here
// does: under the race detector they take a second.
func fail(word, text string) {
	tell(word, text)
	syscall.Exit(exitSetup)
}

// check ends the stage when a step of the confinement failed: going on would
// run the command with less than was promised.
func check(step string, err error) {
	if err != nil {
		fail(StatusFault, step+": "+err.Error())
	}
}

func errnoText(err error) string {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return strconv.Itoa(int(e)) + " " + e.Error()
	}
	return "0 " + err.Error()
}
