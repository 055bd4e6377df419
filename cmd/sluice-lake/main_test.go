package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/warehousetest"
)

// TestCommands runs each command as an operator does: what it prints, and its exit code.
func TestCommands(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	conn := warehousetest.Connect(t, s.url)
	expect := func(code int, words string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		got := run(t.Context(), append(args, "--config", s.config), env{
			stdout: &out, stderr: &out, readFile: os.ReadFile,
			lookupEnv: func(name string) (string, bool) {
				if name == "SLUICE_DATABASE_URL" {
					return s.url, true
				}
				return "", false
			},
		})
		check.ErrorIf(t, got != code || !strings.Contains(out.String(), words),
			"sluice-lake %v: exit code %d, want %d, and %q in:\n%s", args, got, code, words, out.String())
	}
	expect(0, "Nothing is published yet.", "status")
	expect(1, "nothing is published yet: run sluice-lake publish", "verify")
	expect(0, "Nothing changed since the last publication.", "publish")
	s.currency("7")
	expect(0, "The oldest change that is not published is", "status")
	expect(0, "first", "publish")
	expect(0, "Every change is published", "status")
	expect(0, `"equal": true`, "verify", "--json")
	s.exec(`UPDATE invoicing.currencies SET currency_code = 'USD'`)
	expect(1, "differs", "verify")
	expect(0, "whole", "publish", "--whole", "invoicing.currencies")
	expect(0, "equal", "verify", "invoicing.currencies")
	expect(1, "the warehouse has no table accounting.nothing", "verify", "accounting.nothing")
	expect(0, "Nothing changed", "compact")
	expect(0, "snapshots expired", "expire", "--older", "0s")
	expect(2, "unknown flag: --nothing", "publish", "--nothing")

	tx := check.Sure(conn.BeginTx(t.Context(), pgx.TxOptions{}))(t)
	check.Must(t, check.Failure(tx.Exec(t.Context(), `SELECT FROM lake.iceberg_namespace_properties FOR UPDATE`)))
	expect(3, "another process publishes to the lake", "publish")
	check.Must(t, tx.Rollback(t.Context()))
	s.configure("")
	expect(2, "the configuration has no lake.warehouse", "publish")
}

// TestWatching: the program publishes by itself, goes on after the storage failed, and ends with a
// signal.
func TestWatching(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	// No folder can be made where a file is.
	s.lake = filepath.Join(s.lake, "lake")
	check.Must(t, os.WriteFile(s.lake, nil, 0o600))
	s.configure("lake: {warehouse: " + s.lake + ", every: 10s}\n")
	s.currency("7")
	cmd := exec.Command(os.Args[0], "publish", "--watch", "--log-level", "info", "--config", s.config)
	cmd.Env = append(os.Environ(), "SLUICE_DATABASE_URL="+s.url, asProgram+"=1")
	stderr := check.Sure(cmd.StderrPipe())(t)
	check.Must(t, cmd.Start())
	lines := bufio.NewScanner(stderr)
	said := func(words ...string) {
		t.Helper()
		for lines.Scan() {
			if line := lines.Text(); strings.Contains(line, words[0]) {
				for _, word := range words {
					check.ErrorIf(t, !strings.Contains(line, word), "it logged %q, without %q", line, word)
				}
				return
			}
		}
		t.Fatalf("it ended, and did not log %q", words[0])
	}
	said("a publication to the lake failed", "not a directory")
	check.Must(t, os.Remove(s.lake))
	said("published to the lake", `"tables":1`)
	s.currency("8")
	said("published to the lake", `"tables":1`)
	check.Must(t, cmd.Process.Signal(syscall.SIGTERM))
	for lines.Scan() {
		t.Errorf("after the signal it logged %q", lines.Text())
	}
	err := cmd.Wait()
	check.ErrorIf(t, err != nil, "it ended with %v", err)
}
