package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentctl/agentctl/internal/frontmatter"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/skill"
)

// library makes a workspace with n skills and returns its library.
func library(b *testing.B, n int) *skill.Library {
	b.Helper()
	dir := b.TempDir()
	if err := writeSkills(dir, n); err != nil {
		b.Fatal(err)
	}
	sources, err := skill.PathSources(filepath.Join(dir, ".skill"))
	if err != nil {
		b.Fatal(err)
	}
	return &skill.Library{Sources: sources}
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := library(b, n)
			for b.Loop() {
				if _, err := l.Load(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/skill")
		})
	}
}

func BenchmarkResolve(b *testing.B) {
	listing, err := library(b, 1000).Load(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := listing.Resolve("skill-00999"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	listing, err := library(b, 1000).Load(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if r := skill.Index(listing.Winners(), skill.SessionTag, skill.Budget(0)); r.Text == "" {
			b.Fatal("empty index")
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	dir := b.TempDir()
	if err := writeSkills(dir, 1); err != nil {
		b.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, ".skill", "skill-00000", "SKILL.md"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := frontmatter.Decode("SKILL.md", data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkArguments(b *testing.B) {
	s, err := schema.Compile(json.RawMessage(`{"type":"object","required":["path"],"additionalProperties":false,
		"properties":{"path":{"type":"string"},"limit":{"type":"integer","minimum":1},"columns":{"type":"array","items":{"type":"string"}}}}`))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Arguments([]byte(`{"path":"data.csv","limit":"10","columns":"[\"a\",\"b\"]"}`)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHistory shows that the history of an answer costs in step with the number
// of its pieces.
func BenchmarkHistory(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		records := []session.Record{{Body: session.User{Text: "go"}}}
		for i := range n {
			records = append(records,
				session.Record{Header: session.Header{Step: 1}, Body: session.ReasoningDelta{Text: fmt.Sprint(i, ",")}},
				session.Record{Header: session.Header{Step: 1}, Body: session.TextDelta{Text: fmt.Sprint(i, ";")}})
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if m := session.History(records); len(m) != 2 {
					b.Fatalf("%d messages", len(m))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(2*n), "ns/piece")
		})
	}
}

// TestFixtures makes what the measurements work on.
func TestFixtures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := writeSkills(dir, 3); err != nil {
		t.Fatal(err)
	}
	if err := writeTool(filepath.Join(dir, "tools", "x")); err != nil {
		t.Fatal(err)
	}
	if took, err := hashTree(dir, 1); err != nil || took <= 0 {
		t.Fatalf("hashTree = %v, %v", took, err)
	}
	for _, name := range []string{".skill/skill-00002/SKILL.md", "tools/x/launch", "tools/x/data/499.txt"} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	got := median([]sample{{wall: 3, cpu: 1, rss: 5}, {wall: 1, cpu: 9, rss: 6}, {wall: 2, cpu: 4, rss: 7}})
	if want := (sample{wall: 2, cpu: 4, rss: 6}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, only string
		want       int
		ok         bool
	}{
		{"all", "", len(cases), true},
		{"two", "startup,list", 2, true},
		{"unknown", "startup,lits", 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := choose(tt.only)
			if len(got) != tt.want || (err == nil) != tt.ok {
				t.Errorf("choose(%q) = %d cases, %v", tt.only, len(got), err)
			}
		})
	}
}
