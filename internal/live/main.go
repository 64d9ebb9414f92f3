// Command live records what a real model server makes of one chat, so that tests
// can play it again: it runs agentctl with AGENTCTL_BASE_URL pointing at a
// recorder in front of the server, and writes two files, NAME.yaml with the
// server's answers as a script and NAME.json with the result of the run.
//
//	go run ./internal/live -server http://127.0.0.1:8080/v1 -out DIR/NAME -- agentctl chat …
//	go run ./internal/live -report DIR
//
// A run that failed is recorded like one that did not. The result is that of
// --json; the recorder adds it to the command. The report says what the runs
// DIR/1.json, DIR/2.json, … of one conversation came to.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/agenttest"
)

func main() {
	server := flag.String("server", "http://127.0.0.1:8080/v1", "base `URL` of the model server")
	listen := flag.String("listen", "127.0.0.1:0", "`ADDRESS` of the recorder")
	out := flag.String("out", "", "write PATH.yaml and PATH.json")
	conversation := flag.String("report", "", "say what the conversation in `DIR` came to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *conversation != "" {
		err = report(os.Stdout, *conversation)
	} else {
		err = record(ctx, *server, *listen, *out, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "live:", err)
		os.Exit(1)
	}
}

func record(ctx context.Context, server, listen, out string, argv []string) error {
	if out == "" || len(argv) == 0 {
		return errors.New("usage: live -server URL -out PATH -- agentctl chat …")
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	rec := &agenttest.Recorder{Upstream: server}
	proxy := &http.Server{Handler: rec, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = proxy.Serve(listener) }() // ends with the process
	defer proxy.Close()                       //nolint:errcheck // the process ends

	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:], "--json")...)
	base := "http://" + listener.Addr().String() + "/v1"
	cmd.Env = append(os.Environ(), "AGENTCTL_BASE_URL="+base)
	cmd.Stderr = os.Stderr
	result, err := cmd.Output()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		return err
	}
	os.Stdout.Write(result) //nolint:errcheck // for the person who watches
	return write(out, rec.Script(), bytes.ReplaceAll(result, []byte(base), []byte("MODEL_URL")))
}

// write keeps the result without what differs at each run.
func write(out string, script, result []byte) error {
	var shape map[string]any
	if err := json.Unmarshal(result, &shape); err != nil {
		return fmt.Errorf("the run gave no result: %w", err)
	}
	delete(shape, "session")
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(shape); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(out+".yaml", script, 0o644); err != nil {
		return err
	}
	return os.WriteFile(out+".json", text.Bytes(), 0o644)
}
