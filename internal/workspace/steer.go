package workspace

import (
	"os"
	"path/filepath"
)

// steering are the places of a workspace whose content can steer a model: skills,
// apps, tools, prebuilt packages, context files, configuration.
var steering = []string{
	SkillDir, ".agents/skills", ".claude/skills", "skills", "apps", "tools",
	Dir + "/prebuilt", "AGENTS.md", "MEMORY.md", ConfigFile,
}

// Steering returns those places of a workspace that hold anything, relative to
// it. A workspace with none has nothing that would have to be trusted.
func Steering(dir string) []string {
	var out []string
	for _, place := range steering {
		if holdsAnything(filepath.Join(dir, filepath.FromSlash(place))) {
			out = append(out, place)
		}
	}
	return out
}

// holdsAnything tells whether path is a file, or a folder with an entry. What
// cannot be read may hold something.
func holdsAnything(path string) bool {
	info, err := os.Stat(path)
	if os.IsNotExist(err) {
		return false
	}
	if err != nil || !info.IsDir() {
		return true
	}
	entries, err := os.ReadDir(path)
	return err != nil || len(entries) > 0
}
