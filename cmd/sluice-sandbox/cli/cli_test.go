package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-sandbox/server"
)

func TestHelpSaysWhatTheSandboxDoesNotDo(t *testing.T) {
	t.Parallel()
	first, _, _ := strings.Cut(serveCommand(nil).Long, "\n\n")
	for _, want := range []string{"not the real service", "calls no other machine", "keeps nothing"} {
		if !strings.Contains(strings.ReplaceAll(first, "\n", " "), want) {
			t.Errorf("the first paragraph does not say %q", want)
		}
	}
}

// TestExitCodes: wrong command lines exit with 2, what the machine lacks with 3, and both say why.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "sluice")
	for line, want := range map[string]struct {
		code int
		says string
	}{
		"serve --activity explode=1":      {codeUsage, "--activity"},
		"serve --listen 192.0.2.1:1":      {codeEnvironment, "listen for the sandbox"},
		"demo --records 0":                {codeUsage, "--records 0"},
		"demo --sluice " + missing:        {codeEnvironment, "the program sluice is missing: --sluice names " + missing},
		"postgres --dir /dev/null/folder": {codeEnvironment, "/dev/null"},
		"publish":                         {codeUsage, "unknown command"},
		"--help":                          {codeFine, "postgres"},
	} {
		var out bytes.Buffer
		if code := Main(t.Context(), strings.Fields(line), &out, &out); code != want.code || !strings.Contains(out.String(), want.says) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s", line, code, want.code, want.says, out.String())
		}
	}
}

// TestServe serves until it is interrupted, and answers what it plays.
func TestServe(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- Main(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--json", "--records", "50", "--latency", "1ms"}, in, io.Discard)
	}()
	var running server.Running
	must(t, json.NewDecoder(out).Decode(&running))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, running.URL+"/_sandbox/truth/inventory/bills", http.NoBody)
	must(t, err)
	response, err := new(http.Client).Do(request)
	must(t, err)
	text, err := io.ReadAll(response.Body)
	must(t, errors.Join(err, response.Body.Close()))
	if response.StatusCode != http.StatusOK || !bytes.Contains(text, []byte("bill_id")) {
		t.Errorf("truth: %s %.100s", response.Status, text)
	}
	interrupt()
	if code := <-ended; code != codeFine {
		t.Errorf("exit code %d", code)
	}
}

// TestPostgresWritesItsAddress: the file holds the address that is printed, and only its owner may
// read it.
func TestPostgresWritesItsAddress(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "try")
	t.Cleanup(func() { must(t, os.RemoveAll(dataFolder(dir))) })
	ctx, interrupt := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() { ended <- Main(ctx, []string{"postgres", "--dir", dir, "--json"}, in, io.Discard) }()
	var shown runningPostgres
	must(t, json.NewDecoder(out).Decode(&shown))
	stored, err := os.ReadFile(shown.File)
	must(t, err)
	info, err := os.Stat(shown.File)
	must(t, err)
	if shown.File != filepath.Join(dir, "database_url") || string(stored) != shown.URL+"\n" || info.Mode().Perm() != 0o600 {
		t.Errorf("%+v, the file has mode %o and %q", shown, info.Mode().Perm(), stored)
	}
	conn, err := pgx.Connect(t.Context(), shown.URL)
	must(t, err)
	must(t, conn.Close(t.Context()))
	interrupt()
	if code := <-ended; code != codeFine {
		t.Errorf("exit code %d", code)
	}
	if conn, err := pgx.Connect(t.Context(), shown.URL); err == nil {
		_ = conn.Close(t.Context())
		t.Error("the server still answers")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
