package skill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/fspath"
	"github.com/agentctl/agentctl/internal/termtext"
)

// WriteSARIF writes findings in SARIF 2.1.0, which code hosts show beside the
// lines. Files below base are given relative to it.
func WriteSARIF(w io.Writer, ds []Diagnostic, base, version string) error {
	run := sarifRun{Columns: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "agentctl", Version: version, Rules: sarifRules()}
	for _, d := range ds {
		run.Results = append(run.Results, sarifOf(d, base))
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	}); err != nil {
		return err
	}
	_, err := w.Write(termtext.JSON(b.Bytes()))
	return err
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	// Columns count characters, as those of a diagnostic do.
	Columns string        `json:"columnKind"`
	Results []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID    string    `json:"id"`
	Short sarifText `json:"shortDescription"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	} `json:"physicalLocation"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
}

func sarifRules() []sarifRule {
	var out []sarifRule
	for _, r := range Rules() {
		out = append(out, sarifRule{ID: r.ID, Short: sarifText{r.Text}})
	}
	return out
}

func sarifOf(d Diagnostic, base string) sarifResult {
	level := map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning", diag.Info: "note"}[d.Severity]
	res := sarifResult{RuleID: d.Code, Level: level, Message: sarifText{d.Message}}
	var loc sarifLocation
	loc.Physical.Artifact.URI = uriOf(d.File, base)
	if d.Line > 0 {
		loc.Physical.Region = &sarifRegion{StartLine: d.Line, StartColumn: d.Column}
	}
	res.Locations = []sarifLocation{loc}
	return res
}

// uriOf is a file relative to base where it lies below it, as a URI reference.
func uriOf(file, base string) string {
	return (&url.URL{Path: filepath.ToSlash(relativeTo(file, base))}).String()
}

func relativeTo(file, base string) string {
	if rel, ok := fspath.Below(base, file); ok {
		return rel
	}
	return file
}

// WriteGitHub writes findings as workflow commands of GitHub Actions, one a line.
func WriteGitHub(w io.Writer, ds []Diagnostic, base string) error {
	for _, d := range ds {
		level := map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning", diag.Info: "notice"}[d.Severity]
		place := "file=" + githubProperty(relativeTo(d.File, base))
		if d.Line > 0 {
			place += fmt.Sprintf(",line=%d", d.Line)
		}
		if d.Column > 0 {
			place += fmt.Sprintf(",col=%d", d.Column)
		}
		if _, err := fmt.Fprintf(w, "::%s %s,title=%s::%s\n", level, place, githubProperty(d.Code), githubData(d.Message)); err != nil {
			return err
		}
	}
	return nil
}

func githubData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(s))
}
