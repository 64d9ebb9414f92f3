package skill

import (
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/agentctl/agentctl/internal/fspath"
	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/userdirs"
	"github.com/agentctl/agentctl/internal/workspace"
)

// The classes of sources, as users see them.
const (
	SourceWorkspace = "workspace"
	SourceUser      = "user"
	SourceShared    = "shared"
	SourcePackage   = "package"
	SourcePath      = "path"
)

// The ranks of the classes: lower wins.
const (
	rankPath = iota
	rankWorkspace
	rankUser
	rankShared
	rankPackage
)

// SourceOptions say where skills may lie.
type SourceOptions struct {
	// Workspace is the absolute workspace folder; "" means none.
	Workspace string
	// Dir is where the workspace's skills are written (skills.dir); "" is .skill.
	Dir string
	// Trusted: the workspace may steer a model.
	Trusted bool
	// Dirs are the user's folders.
	Dirs userdirs.Dirs
	// Shared are further roots of shared skills, from the configuration.
	Shared []string
	// SharedOfWorkspace and DirOfWorkspace: the workspace's own configuration
	// names these folders, so they are trusted as it is, wherever they lie.
	SharedOfWorkspace, DirOfWorkspace bool
	// Embedded are the skills in the binary; nil means none.
	Embedded fs.FS
	// Package is the .skill folder of the chosen profile; "" means none.
	Package string
	// PackageFS is the package root of an embedded app, whose Package is a label
	// below "embedded"; nil means the folder Package.
	PackageFS fs.FS
	// Extra are skill folders that the user named; they outrank all.
	Extra []string
	// Which are the classes to use; nil means all, an empty list none.
	Which []string
}

// Sources returns the roots in order of precedence: named folders, workspace,
// user, shared, package.
func Sources(o SourceOptions) []Source {
	var out []Source
	for _, dir := range o.Extra {
		out = append(out, Source{Name: SourcePath, Rank: rankPath, Root: dir, Single: true})
	}
	out = append(out, o.workspaceRoots()...)
	for _, dir := range o.Dirs.Skills() {
		out = append(out, Source{Name: SourceUser, Rank: rankUser, Root: dir})
	}
	out = append(out, o.sharedRoots()...)
	if o.Package != "" {
		out = append(out, Source{
			Name: SourcePackage, Rank: rankPackage, Root: o.Package, FS: o.PackageFS, Untrusted: o.untrusted(o.Package),
		})
	}
	return slices.DeleteFunc(out, func(s Source) bool {
		return o.Which != nil && s.Name != SourcePath && !slices.Contains(o.Which, s.Name)
	})
}

// WorkspaceRoots are the folders of a workspace that hold its own skills, in
// order of precedence; the first is where skills are written.
func WorkspaceRoots(dir string) []string {
	return []string{
		filepath.Join(dir, workspace.SkillDir),
		filepath.Join(dir, ".agents", "skills"),
		filepath.Join(dir, ".claude", "skills"),
	}
}

// workspaceRoots leaves out what is the user's own: with the home folder as the
// workspace, ~/.agents/skills does not become foreign.
func (o SourceOptions) workspaceRoots() []Source {
	if o.Workspace == "" {
		return nil
	}
	roots := WorkspaceRoots(o.Workspace)
	if o.Dir != "" && o.Dir != roots[0] {
		roots = append([]string{o.Dir}, roots...)
	}
	var out []Source
	for _, dir := range roots {
		if !slices.Contains(o.Dirs.Skills(), dir) {
			named := dir == o.Dir && o.DirOfWorkspace && !o.Trusted
			out = append(out, Source{Name: SourceWorkspace, Rank: rankWorkspace, Root: dir, Untrusted: named || o.untrusted(dir)})
		}
	}
	return out
}

func (o SourceOptions) sharedRoots() []Source {
	var out []Source
	roots := o.Shared
	if o.Workspace != "" {
		roots = append([]string{filepath.Join(o.Workspace, "skills")}, roots...)
	}
	for _, dir := range roots {
		named := o.SharedOfWorkspace && !o.Trusted
		out = append(out, Source{Name: SourceShared, Rank: rankShared, Root: dir, Untrusted: named || o.untrusted(dir)})
	}
	if o.Embedded != nil {
		out = append(out, Source{Name: SourceShared, Rank: rankShared, Root: registry.EmbeddedRoot, FS: o.Embedded})
	}
	return out
}

// untrusted tells whether dir came with a workspace that is not trusted.
func (o SourceOptions) untrusted(dir string) bool {
	return !o.Trusted && o.Workspace != "" && fspath.Within(o.Workspace, dir)
}
