//go:build e2e

package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-sandbox/server"
)

// try is a folder in which a newcomer tries the program.
type try struct {
	t      *testing.T
	folder string
	env    []string
}

func (y *try) command(program string, args ...string) *exec.Cmd {
	y.t.Helper()
	self := sure(os.Executable())(y.t)
	cmd := exec.CommandContext(y.t.Context(), self, args...)
	cmd.Dir, cmd.Env = y.folder, append(append(os.Environ(), program+"=1"), y.env...)
	return cmd
}

func (y *try) run(args ...string) []byte {
	y.t.Helper()
	out, err := y.command(asProgram, args...).Output()
	if err != nil {
		output := ""
		if exited, ok := err.(*exec.ExitError); ok { //nolint:errorlint // as Output returns it
			output = string(exited.Stderr)
		}
		y.t.Fatalf("%q: %v\n%s\n%s", args, err, out, output)
	}
	return out
}

// start starts a command line of sluice-sandbox that runs until the test ends, and reads what it
// prints first.
func (y *try) start(into any, args ...string) {
	y.t.Helper()
	cmd := y.command(asSandbox, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	output := sure(cmd.StdoutPipe())(y.t)
	must(y.t, cmd.Start())
	y.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_, _ = io.Copy(io.Discard, output)
		_ = cmd.Wait()
	})
	must(y.t, json.NewDecoder(bufio.NewReader(output)).Decode(into))
}

// TestTry runs the commands of docs/operations/try.md, from an empty folder to rows.
func TestTry(t *testing.T) {
	t.Parallel()
	y := &try{t: t, folder: t.TempDir()}
	var running server.Running
	y.start(&running, "serve", "--listen", "127.0.0.1:0", "--json")
	var database struct{ URL, Data string }
	t.Cleanup(func() {
		if database.Data != "" {
			must(t, os.RemoveAll(database.Data))
		}
	})
	y.start(&database, "postgres", "--json")

	var made initView
	must(t, json.Unmarshal(y.run("init", "--from-sandbox="+running.URL, "--json"), &made))
	fatalIf(t, len(made.Next) != 3 || made.Next[1] != "sluice migrate" || made.Next[2] != "sluice sync", "the next commands are %q", made.Next)
	y.env = []string{"SLUICE_ENCRYPTION_KEY_FILE=" + filepath.Join(y.folder, "sluice-try", "sealing_key")}
	y.run("migrate")
	var result syncResult
	must(t, json.Unmarshal(y.run("sync", "--json"), &result))
	y.run("check")

	conn := sure(pgx.Connect(t.Context(), database.URL))(t)
	defer func() { _ = conn.Close(t.Context()) }()
	var rows int64
	must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM inventory.bills`).Scan(&rows))
	var inserted int64
	for _, stream := range result.Streams {
		if stream.Service == "inventory" && stream.Resource == "bills" {
			inserted = stream.Inserted
		}
	}
	errorIf(t, rows == 0 || rows != inserted, "%d bills are in the warehouse, the sync says %d", rows, inserted)
}
