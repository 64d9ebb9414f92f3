package app

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/suggest"
	"github.com/agentctl/agentctl/internal/userdirs"
)

// NotFoundError reports an app or a profile that does not exist.
type NotFoundError = registry.NotFoundError

// Listing is every app that was found, and what is wrong with the others.
type Listing = registry.Listing[*Package]

// The classes of sources, as users see them.
const (
	SourceWorkspace = "workspace"
	SourceUser      = "user"
	SourceEmbedded  = "embedded"
	SourcePath      = "path"
)

// The ranks of the classes: lower wins.
const (
	rankWorkspace = iota
	rankUser
	rankEmbedded
)

// SourceOptions say where apps may lie.
type SourceOptions struct {
	// Workspace is the absolute workspace folder; "" means none.
	Workspace string
	// Trusted: the workspace may steer a model.
	Trusted bool
	// Dirs are the user's folders.
	Dirs userdirs.Dirs
	// Embedded are the apps in the binary; nil means none.
	Embedded fs.FS
}

// Sources returns the roots in order of precedence: workspace, user, embedded.
func Sources(o SourceOptions) []registry.Source {
	var out []registry.Source
	if o.Workspace != "" {
		out = append(out, registry.Source{
			Name: SourceWorkspace, Rank: rankWorkspace, Root: filepath.Join(o.Workspace, "apps"), Untrusted: !o.Trusted,
		})
	}
	out = append(out, registry.Source{Name: SourceUser, Rank: rankUser, Root: o.Dirs.Apps()})
	if o.Embedded != nil {
		out = append(out, registry.Source{Name: SourceEmbedded, Rank: rankEmbedded, Root: registry.EmbeddedRoot, FS: o.Embedded})
	}
	return out
}

// Library finds apps. Sources are read anew on each call.
type Library struct {
	Sources []registry.Source
}

// Load lists all apps. The error is only that of ctx.
func (l *Library) Load(ctx context.Context) (*Listing, error) {
	return kind.Load(ctx, l.Sources, registry.Options{})
}

// Open returns the app that ref means, "APP" or "APP/PROFILE", with the profile
// merged in. An app without a word about the profile is opened with its profile
// "default", if it has one.
//
// The error is a [*NotFoundError], also for a profile, or a
// [*registry.BrokenError] for an app or a profile that does not load.
func (l *Library) Open(ctx context.Context, ref string) (*App, error) {
	listing, err := l.Load(ctx)
	if err != nil {
		return nil, err
	}
	name, profile, _ := strings.Cut(ref, "/")
	res, err := listing.Resolve(name)
	if err != nil {
		return nil, l.explain(err, listing, name)
	}
	a, err := Compose(res.Winner, profile)
	if err == nil {
		a.Instead = insteadOf(listing, a.Name)
	}
	return a, err
}

// explain says of a name that nothing has that its folder is there.
func (l *Library) explain(err error, listing *Listing, name string) error {
	for _, d := range l.Strays(listing) {
		if filepath.Base(d.File) == name {
			return fmt.Errorf("%w: %s %s", err, d.File, d.Message)
		}
	}
	return err
}

// Strays are warnings about the folders beside the apps of a listing that hold no
// APP.md, for a check: they can be meant as apps, or be there for something else.
func (l *Library) Strays(listing *Listing) []diag.Diagnostic {
	found := map[string]bool{}
	for _, it := range listing.Items {
		found[it.Dir] = true
	}
	for _, b := range listing.Broken {
		found[b.Dir] = true
	}
	var out []diag.Diagnostic
	for _, src := range l.Sources {
		if src.FS != nil {
			continue
		}
		entries, _ := os.ReadDir(src.Root) // what cannot be read is in the listing
		for _, e := range entries {
			dir := filepath.Join(src.Root, e.Name())
			info, err := os.Stat(dir)
			if err != nil || !info.IsDir() || found[dir] || strings.HasPrefix(e.Name(), ".") || registry.Skipped(e.Name()) {
				continue
			}
			out = append(out, diag.Diagnostic{
				File: dir, Severity: diag.Warning, Code: "app.no-manifest",
				Message: fmt.Sprintf("holds no %s, so it is no app: add one, or move the folder", ManifestFile),
			})
		}
	}
	return out
}

// insteadOf are the errors of the broken app that the one of a name stands in for.
func insteadOf(l *Listing, name string) []diag.Diagnostic {
	for _, b := range l.Broken {
		var of []diag.Diagnostic
		for _, d := range l.Diagnostics {
			if d.File == b.File() {
				of = append(of, d)
			}
		}
		if b.Name == name && slices.ContainsFunc(of, func(d diag.Diagnostic) bool { return d.Code == "package.broken-winner" }) {
			return of
		}
	}
	return nil
}

// IsDir tells whether a folder is that of an app or profile, or a path its APP.md;
// whether that loads is for [OpenDir] to say.
func IsDir(path string) bool {
	entries, _ := os.ReadDir(registry.PackageFolder(path, ManifestFile)) // none of a folder that cannot be read
	_, ok := detect(entries)
	return ok
}

// OpenDir returns the app in a folder: that of an app, or that of one of its
// profiles. The APP.md itself stands for its folder.
func OpenDir(ctx context.Context, dir string) (*App, error) {
	dir = registry.PackageFolder(dir, ManifestFile)
	profile := ""
	if parent := filepath.Dir(dir); filepath.Base(parent) == profilesDir {
		dir, profile = filepath.Dir(parent), filepath.Base(dir)
	}
	listing, err := kind.Load(ctx, []registry.Source{{Name: SourcePath, Root: dir, Single: true}}, registry.Options{})
	if err != nil {
		return nil, err
	}
	switch {
	case len(listing.Items) == 1:
		return Compose(listing.Items[0], profile)
	case len(listing.Broken) == 1:
		b := listing.Broken[0]
		return nil, &registry.BrokenError{Kind: kindName, Name: b.Name, File: b.File(), Diagnostics: b.Diagnostics}
	}
	return nil, &NotFoundError{Kind: kindName, Name: dir, Looked: []string{filepath.Join(dir, ManifestFile)}}
}

// Compose merges a profile into its app; "" means the profile "default", if
// there is one.
func Compose(it *registry.Item[*Package], profile string) (*App, error) {
	pkg := it.Value
	if profile == "" && pkg.profile(DefaultName) != nil {
		profile = DefaultName
	}
	a := pkg.base.app(it)
	a.Profiles = pkg.Profiles()
	if profile == "" {
		return a, nil
	}
	p := pkg.profile(profile)
	if p == nil {
		return nil, profileNotFound(it, profile)
	}
	if p.manifest == nil {
		return nil, &registry.BrokenError{Kind: kindName, Name: it.Name + "/" + profile, File: p.file, Diagnostics: p.diags}
	}
	a.merge(p)
	return a, nil
}

func profileNotFound(it *registry.Item[*Package], profile string) *NotFoundError {
	names := it.Value.Profiles()
	e := &NotFoundError{Kind: "profile", Name: it.Name + "/" + profile, Looked: []string{filepath.Join(it.Dir, profilesDir)}}
	for _, n := range names {
		e.Available = append(e.Available, it.Name+"/"+n)
	}
	for _, n := range suggest.Nearest(profile, names, 3) {
		e.Nearest = append(e.Nearest, it.Name+"/"+n)
	}
	return e
}

const kindName = "app"

var kind = registry.Kind[*Package]{Name: kindName, Depth: 1, Detect: detect, Parse: parsePackage}

// detect takes also a folder whose manifest is spelled in another way, so that
// somebody is told.
func detect(entries []fs.DirEntry) (string, bool) {
	if slices.ContainsFunc(entries, isManifest) {
		return ManifestFile, true
	}
	found, _ := registry.Misspelled(entries, ManifestFile)
	return found, found != ""
}

func isManifest(e fs.DirEntry) bool { return e.Name() == ManifestFile && !e.IsDir() }

func parsePackage(_ context.Context, l registry.Location) (registry.Parsed[*Package], []diag.Diagnostic, error) {
	base, err := readManifest(l, ".")
	if err != nil {
		return registry.Parsed[*Package]{}, diagnosticsOf(err), err
	}
	pkg := &Package{Description: base.description(), base: base}
	if folder := filepath.Base(l.Dir); base.name() != "" && base.name() != folder {
		base.diags = append(base.diags, base.warn("name", "app.name-not-folder", "name %q is not the folder's name %q: --app takes both; make them equal", base.name(), folder))
	}
	ds := slices.Clone(base.diags)
	pkg.profiles, err = readProfiles(l)
	if err != nil {
		return registry.Parsed[*Package]{}, ds, err
	}
	for _, p := range pkg.profiles {
		ds = append(ds, p.diags...)
	}
	return registry.Parsed[*Package]{Value: pkg, Name: base.name()}, ds, nil
}
