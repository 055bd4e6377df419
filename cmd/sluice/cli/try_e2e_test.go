//go:build e2e

package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres/local"
)

// try is a folder in which a newcomer tries the program.
type try struct {
	t      *testing.T
	folder string
	env    []string
}

// command prepares one command line.
func (y *try) command(args ...string) *exec.Cmd {
	y.t.Helper()
	self, err := os.Executable()
	must(y.t, err)
	cmd := exec.CommandContext(y.t.Context(), self, args...)
	cmd.Dir, cmd.Env = y.folder, append(append(os.Environ(), asProgram+"=1"), y.env...)
	return cmd
}

// run runs one command line and gives its output.
func (y *try) run(args ...string) []byte {
	y.t.Helper()
	out, err := y.command(args...).Output()
	if err != nil {
		said := ""
		if exited, ok := err.(*exec.ExitError); ok { //nolint:errorlint // as Output gives it
			said = string(exited.Stderr)
		}
		y.t.Fatalf("%q: %v\n%s\n%s", args, err, out, said)
	}
	return out
}

// TestTry runs the commands of docs/operations/try.md, from an empty folder to rows.
func TestTry(t *testing.T) {
	t.Parallel()
	y := &try{t: t, folder: t.TempDir()}
	sandbox := y.command("sandbox", "--listen", "127.0.0.1:0", "--json")
	sandbox.Cancel = func() error { return sandbox.Process.Signal(os.Interrupt) }
	output, err := sandbox.StdoutPipe()
	must(t, err)
	must(t, sandbox.Start())
	t.Cleanup(func() {
		_ = sandbox.Process.Signal(os.Interrupt)
		_, _ = io.Copy(io.Discard, output)
		_ = sandbox.Wait()
	})
	var running runningSandbox
	must(t, json.NewDecoder(bufio.NewReader(output)).Decode(&running))

	var made initView
	must(t, json.Unmarshal(y.run("init", "--from-sandbox="+running.URL, "--json"), &made))
	if len(made.Next) != 3 || made.Next[1] != "sluice migrate" || made.Next[2] != "sluice sync" {
		t.Fatalf("the next commands are %q", made.Next)
	}
	t.Cleanup(func() { must(t, os.RemoveAll(made.DataDir)) })
	y.env = []string{"SLUICE_ENCRYPTION_KEY_FILE=" + filepath.Join(y.folder, "sluice-try", "sealing_key")}
	y.run("migrate")
	var result syncResult
	must(t, json.Unmarshal(y.run("sync", "--json"), &result))
	y.run("check")

	server, err := local.Start(t.Context(), local.Options{Dir: made.DataDir, Durable: true})
	must(t, err)
	t.Cleanup(func() { _ = server.Stop(context.WithoutCancel(t.Context())) })
	conn, err := pgx.Connect(t.Context(), server.URL())
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	var rows int64
	must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM inventory.bills`).Scan(&rows))
	var inserted int64
	for _, stream := range result.Streams {
		if stream.Service == "inventory" && stream.Resource == "bills" {
			inserted = stream.Inserted
		}
	}
	if rows == 0 || rows != inserted {
		t.Errorf("%d bills are in the warehouse, the sync says %d", rows, inserted)
	}
}
