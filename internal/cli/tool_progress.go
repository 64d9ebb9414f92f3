package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// buildProgress shows on stderr which packages are being built: a spinner each
// on a terminal, a line at the end of each elsewhere. What is fresh is not shown.
type buildProgress struct {
	io   *iostreams.IOStreams
	bars *mpb.Progress

	mu   sync.Mutex
	open map[string]*mpb.Bar
}

func newBuildProgress(s *iostreams.IOStreams, terminal string, packages int) *buildProgress {
	p := &buildProgress{io: s, open: map[string]*mpb.Bar{}}
	if s.ErrTTY && packages > 0 && terminal != "dumb" && hasRows(s.Err) {
		p.bars = mpb.New(mpb.WithOutput(s.Err), mpb.WithWidth(24))
	}
	return p
}

// hasRows tells whether a terminal says how high it is. Those of some CI systems
// do not, and bars would not be seen there.
func hasRows(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, rows, err := term.GetSize(int(f.Fd()))
	return err == nil && rows > 0
}

func (p *buildProgress) started(name string) {
	if p.bars == nil {
		return
	}
	bar := p.bars.New(1, mpb.SpinnerStyle(),
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(termtext.Line(name)+" ", decor.WCSyncSpaceR)),
		mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_GO)))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[name] = bar
}

func (p *buildProgress) done(o toolpkg.Outcome) {
	line := fmt.Sprintf("%s: %s in %s", o.Name, o.Status, o.Duration.Round(10*time.Millisecond))
	p.mu.Lock()
	defer p.mu.Unlock()
	if bar := p.open[o.Name]; bar != nil {
		bar.SetTotal(1, true)
		return
	}
	if o.Status == toolpkg.Built || o.Status == toolpkg.Failed {
		warn(p.io, "%s", line)
	}
}

func (p *buildProgress) close() {
	if p.bars != nil {
		p.bars.Wait()
	}
}
