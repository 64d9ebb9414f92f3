package skill_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentctl/agentctl/pkg/skill"
)

// A skill is saved, found by name, and read as a model reads it.
func Example() {
	dir, err := os.MkdirTemp("", "skills-*")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	body := "# CSV summary\n\n1. Count the rows.\n"
	if _, err := skill.Save(ctx, skill.SaveRequest{
		Dir: dir, Name: "CSV Summary", Description: "Summarises CSV files. Use when asked what is in a table.", Body: &body,
	}); err != nil {
		panic(err)
	}

	lib := &skill.Library{Sources: []skill.Source{{Name: skill.SourceWorkspace, Root: dir}}}
	all, err := lib.Load(ctx)
	if err != nil {
		panic(err)
	}
	view := skill.ModelView(all, nil)
	fmt.Println(skill.Index(view.Winners(), skill.SessionTag, skill.Budget(32_000)).Text)

	text, _, err := skill.ReadForModel(ctx, view, skill.ReadRequest{Name: "csv-summary", Args: "sales.csv"})
	fmt.Println(strings.ReplaceAll(text, dir, "DIR"), err)
	// Output:
	// <available_skills>
	// <skill><name>csv-summary</name><description>Summarises CSV files. Use when asked what is in a table.</description></skill>
	// </available_skills>
	// Skill: csv-summary (workspace)
	// Folder: DIR/csv-summary
	// Relative paths in this skill resolve there, not in the current folder.
	// Files: none besides SKILL.md
	//
	// # CSV summary
	//
	// 1. Count the rows.
	//
	// ## Invocation Arguments
	//
	// sales.csv
	//  <nil>
}

// A skill is checked with the rules of one client.
func ExampleLint() {
	dir, err := os.MkdirTemp("", "skills-*")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	text := "---\nname: Draft\ndescription: Use this: carefully.\n---\nSee [more](more.md).\n"
	if err := os.WriteFile(filepath.Join(dir, skill.ManifestName), []byte(text), 0o600); err != nil {
		panic(err)
	}
	ctx := context.Background()
	it, _, err := skill.Open(ctx, dir)
	if err != nil {
		panic(err)
	}
	found, err := skill.Lint(ctx, it, skill.LintOptions{Profile: skill.ProfileSpec})
	for _, d := range found {
		fmt.Println(d.Line, d.Severity, d.Code)
	}
	fmt.Println(err)
	// Output:
	// 2 error name.folder
	// 2 error name.not-kebab
	// 3 error frontmatter.read-verbatim
	// 5 warning link.missing
	// <nil>
}

func ExampleSlug() {
	fmt.Println(skill.Slug("CSV: Summary"), skill.Slug("茶道"))
	// Output: csv-summary cha-dao
}
