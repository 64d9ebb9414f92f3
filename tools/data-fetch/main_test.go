package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestFetch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, dataset, output string
		rows                  int
		columns               string
		contains              string
	}{
		{"temperatures", "city-temperatures", "t.csv", 48, "city,month,mean_temperature_c", "Porto Vela,2025-07,23.1\n"},
		{"rides, in new folders", "bike-rides", "data/raw/rides.csv", 60, "ride_id,started_at,start_station,end_station,duration_min,distance_km,rider", "1000,2025-05-05T"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			got, err := fetch(dir, Args{Name: tt.dataset, Output: tt.output})
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(tt.output)))
			if err != nil || !strings.Contains(string(data), tt.contains) {
				t.Errorf("file: %v, lacks %q", err, tt.contains)
			}
			if got.Path != tt.output || got.Rows != tt.rows || got.Bytes != len(data) || strings.Join(got.Columns, ",") != tt.columns {
				t.Errorf("got %+v", got)
			}
			if _, err := fetch(dir, Args{Name: tt.dataset, Output: tt.output}); err != nil {
				t.Errorf("the same again: %v", err)
			}
		})
	}
}

func TestFetchRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"notes.csv": "mine\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, dataset, output, want string }{
		{"an unknown dataset", "boats", "x.csv", `name: there is no dataset "boats"; choose one of bike-rides, city-temperatures`},
		{"a path in place of a name", "../main", "x.csv", "name: there is no dataset"},
		{"up", "bike-rides", "../x.csv", `output: "../x.csv" is not a file below the current folder`},
		{"absolute", "bike-rides", "/tmp/x.csv", "is not a file below the current folder"},
		{"the folder itself", "bike-rides", ".", "is not a file below the current folder"},
		{"through a link", "bike-rides", "out/x.csv", `output: cannot write "out/x.csv"`},
		{"over another file", "bike-rides", "notes.csv", `output: "notes.csv" exists and holds something else`},
		{"below a file", "bike-rides", "notes.csv/x.csv", "output: cannot write"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := fetch(dir, Args{Name: tt.dataset, Output: tt.output})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestMain lets the test binary stand in for the launcher.
func TestMain(m *testing.M) {
	if os.Getenv("DATA_FETCH_TEST_MAIN") == "1" {
		main()
		return
	}
	os.Exit(m.Run())
}

func launch(t *testing.T, dir, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, []string{"DATA_FETCH_TEST_MAIN=1"}, strings.NewReader(stdin)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the code says it
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestContract(t *testing.T) {
	t.Parallel()
	list, _, code := launch(t, "", "")
	var commands []struct{ Name, Description string }
	if err := json.Unmarshal([]byte(list), &commands); err != nil || code != 0 || len(commands) != 1 || commands[0].Name != "data-fetch" {
		t.Fatalf("launch: exit %d, %v, %s", code, err, list)
	}
	describe, _, _ := launch(t, "", "", "data-fetch")
	if !strings.Contains(describe, `"enum":["bike-rides","city-temperatures"]`) || !strings.Contains(describe, `"required":["name","output"]`) {
		t.Errorf("describe: %s", describe)
	}
	tests := []struct {
		name, stdin string
		args        []string
		code        int
		want        string
	}{
		{"argv", "", []string{"data-fetch", `{"name":"bike-rides","output":"a.csv"}`}, 0, `"rows":60`},
		{"stdin", `{"name":"bike-rides","output":"b.csv"}`, []string{"data-fetch", "-"}, 0, `"path":"b.csv"`},
		{"unknown command", "", []string{"fetch"}, 2, `unknown command "fetch"; commands: data-fetch`},
		{"bad JSON", "", []string{"data-fetch", `{`}, 2, `agentctl-error: {"field":"","kind":"invalid_arguments"`},
		{"unknown property", "", []string{"data-fetch", `{"name":"bike-rides","output":"a.csv","rows":1}`}, 2, `"field":"rows"`},
		{"missing property", "", []string{"data-fetch", `{"name":"bike-rides"}`}, 2, `"field":"output"`},
		{"leaves the folder", "", []string{"data-fetch", `{"name":"bike-rides","output":"../a.csv"}`}, 2, `"field":"output"`},
	}
	dir := t.TempDir()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := launch(t, dir, tt.stdin, tt.args...)
			if code != tt.code || !strings.Contains(stdout+stderr, tt.want) {
				t.Errorf("exit %d, %s%s; want %d, %s", code, stdout, stderr, tt.code, tt.want)
			}
		})
	}
}
