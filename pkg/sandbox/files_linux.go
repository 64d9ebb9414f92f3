package sandbox

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/agentctl/agentctl/pkg/sandbox/internal/stage"
)

// stageFiles are both ends of what the host and a stage share.
type stageFiles struct {
	config, exe        *os.File
	statusR, statusW   *os.File
	controlR, controlW *os.File
	kept               bool
}

func openStageFiles(config stage.Config) (f *stageFiles, err error) {
	f = &stageFiles{}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	data, err := stage.Encode(config)
	if err != nil {
		return f, err
	}
	if f.config, err = memFile("config", data); err != nil {
		return f, err
	}
	if f.exe, err = os.Open("/proc/self/exe"); err != nil {
		return f, err
	}
	if f.statusR, f.statusW, err = os.Pipe(); err != nil {
		return f, err
	}
	f.controlR, f.controlW, err = os.Pipe()
	return f, err
}

// keepHostEnds leaves the host's ends open at close.
func (f *stageFiles) keepHostEnds() { f.kept = true }

func (f *stageFiles) close() {
	closeAll([]*os.File{f.config, f.exe, f.statusW, f.controlR})
	if !f.kept {
		closeAll([]*os.File{f.statusR, f.controlW})
	}
}

// memFile is an anonymous file in memory, read from offset 0.
func memFile(name string, data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("agentctl-"+name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memory file: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := f.Write(data); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("memory file: %w", err)
	}
	if _, err := f.Seek(0, 0); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("memory file: %w", err)
	}
	return f, nil
}
