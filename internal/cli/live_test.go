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

// TestLive plays the recorded runs with a real model again (scripts/live.sh makes
// them): the same bytes from the server have to give the same result, and the
// same number of messages back, also when the bytes come in other packets.
func TestLive(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "testdata", "live")
	for line := range strings.Lines(string(readTestFile(t, filepath.Join(dir, "cases.tsv")))) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		for how, sizes := range packets {
			if how == "bytes" {
				continue // they are long; testdata/rows has that
			}
			t.Run(fields[0]+"/"+how, func(t *testing.T) {
				t.Parallel()
				playLive(t, dir, fields[0], fields[2:], sizes)
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

// playLive plays one case; how are its model, app and prompt.
func playLive(t *testing.T, dir, name string, how []string, sizes []int) {
	server := agenttest.Serve(t, string(readTestFile(t, filepath.Join(dir, name+".yaml"))), agenttest.Options{Segments: sizes})
	w := newRowWorld(t)
	if err := os.CopyFS(w.ws, os.DirFS(filepath.Join(dir, "workspace"))); err != nil {
		t.Fatal(err)
	}
	config := bytes.ReplaceAll(readTestFile(t, filepath.Join(dir, "config.yaml")), []byte("MODEL_URL"), []byte(server.BaseURL))
	if err := os.MkdirAll(w.dirs.Config, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.dirs.ConfigFile(), config, 0o600); err != nil {
		t.Fatal(err)
	}
	io, _, stdout, stderr := iostreams.Test()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	exit := Run(ctx, w.factory(io, ""), []string{"chat", "--json", "--no-session", "--trust-workspace", "--model", how[0], "--app", how[1], "-p", how[2]})
	var got, want map[string]any
	if err := json.Unmarshal(bytes.ReplaceAll(stdout.Bytes(), []byte(server.BaseURL), []byte("MODEL_URL")), &got); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	if err := json.Unmarshal(readTestFile(t, filepath.Join(dir, name+".json")), &want); err != nil {
		t.Fatal(err)
	}
	delete(got, "session")
	if !reflect.DeepEqual(got, want) || float64(exit) != want["exit"] {
		t.Errorf("exit %d, got %v\nwant %v\nstderr: %s", exit, got, want, stderr)
	}
	for _, r := range server.Requests() {
		checkMessages(t, r.Body)
	}
}
