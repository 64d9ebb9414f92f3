package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/pkg/agent/agenttest"
)

// liveCase is a line of cases.tsv. Those of one conversation have names that end
// in /1, /2 and so on.
type liveCase struct{ name, model, app, prompt string }

func (c liveCase) conversation() (name, turn string) {
	name, turn, _ = strings.Cut(c.name, "/")
	return name, turn
}

// TestLive plays the recorded runs with real models again (scripts/live.sh makes
// them): the same bytes from the server have to give the same result, and the
// same number of messages back, also when the bytes come in other packets.
func TestLive(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "testdata", "live")
	var conversations [][]liveCase
	for line := range strings.Lines(string(readTestFile(t, filepath.Join(dir, "cases.tsv")))) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		c := liveCase{name: f[0], model: f[2], app: f[3], prompt: f[4]}
		if _, turn := c.conversation(); turn == "" || turn == "1" {
			conversations = append(conversations, nil)
		}
		last := len(conversations) - 1
		conversations[last] = append(conversations[last], c)
	}
	for _, turns := range conversations {
		for how, sizes := range packets {
			if how == "bytes" {
				continue // they are long; testdata/rows has that
			}
			name, turn := turns[0].conversation()
			t.Run(name+"/"+how, func(t *testing.T) {
				t.Parallel()
				w := newRowWorld(t)
				workspace := "workspace"
				if turn != "" {
					workspace = "delivery"
				}
				if err := os.CopyFS(w.ws, os.DirFS(filepath.Join(dir, workspace))); err != nil {
					t.Fatal(err)
				}
				for _, c := range turns {
					w.playLive(t, dir, c, sizes)
				}
			})
		}
	}
}

func readTestFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// playLive plays one run. The flags are those of scripts/live.sh.
func (w rowWorld) playLive(t *testing.T, dir string, c liveCase, sizes []int) {
	t.Helper()
	server := agenttest.Serve(t, string(readTestFile(t, filepath.Join(dir, c.name+".yaml"))), agenttest.Options{Segments: sizes})
	config := bytes.ReplaceAll(readTestFile(t, filepath.Join(dir, "config.yaml")), []byte("MODEL_URL"), []byte(server.BaseURL))
	if err := os.MkdirAll(w.dirs.Config, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.dirs.ConfigFile(), config, 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"chat", "--json", "--trust-workspace", "--model", c.model, "--app", c.app, "-p", c.prompt}
	switch _, turn := c.conversation(); turn {
	case "":
		args = append(args, "--no-session")
	case "1":
		args = append(args, "--allow", "save_skill,write_file", "--max-steps", "10")
	default:
		args = append(args, "--allow", "save_skill,write_file", "--max-steps", "10", "--continue")
	}
	io, _, stdout, stderr := iostreams.Test()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	exit := Run(ctx, w.factory(io, ""), args)
	var got, want map[string]any
	if err := json.Unmarshal(bytes.ReplaceAll(stdout.Bytes(), []byte(server.BaseURL), []byte("MODEL_URL")), &got); err != nil {
		t.Fatalf("%s: %v in %s", c.name, err, stdout)
	}
	if err := json.Unmarshal(readTestFile(t, filepath.Join(dir, c.name+".json")), &want); err != nil {
		t.Fatal(err)
	}
	delete(got, "session")
	if !reflect.DeepEqual(got, want) || float64(exit) != want["exit"] {
		t.Errorf("%s: exit %d, got %v\nwant %v\nstderr: %s", c.name, exit, got, want, stderr)
	}
	for _, r := range server.Requests() {
		checkMessages(t, r.Body)
	}
}
