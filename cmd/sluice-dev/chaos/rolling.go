package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-dev/harness"
	"sluice/cmd/sluice-dev/harness/proxy"
	"sluice/migrations"
)

// figures are the figures of a rolling upgrade.
type figures struct {
	// MigrateKills counts the kills of migrate, Replaced the processes that were replaced by one of
	// the other version.
	MigrateKills, Replaced int
	// Mixed says that processes of both versions were at work at once.
	Mixed bool
	// Statements counts those of the analyst, Slowest is the time of the slowest.
	Statements int
	Slowest    time.Duration
}

// rolling is a rolling upgrade and rollback under faults.
type rolling struct {
	*chaos

	// The versions of the program, as test binaries of cmd/sluice/cli: the previous one is this tree,
	// the next one has a further migration that expands, migrations/testdata/next.
	previous, next string
}

// How many faults each phase has, how long an operator's transaction keeps a table locked, and how
// long a replacement and a migration may take.
const (
	faultsOfPhase  = 4
	openFor        = 3 * time.Second
	replacedWithin = time.Minute
	migratedWithin = 2 * time.Minute
)

// RunRolling upgrades a fleet that works under load, and rolls it back.
func RunRolling(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	sc, err := parse("rolling", args, stderr)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "sluice-rolling-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // what is left there is in the way of nobody
	r := &rolling{
		chaos:    &chaos{scenario: sc, log: stderr},
		previous: filepath.Join(folder, "previous.test"), next: filepath.Join(folder, "next.test"),
	}
	if err := r.build(ctx, folder); err != nil {
		return err
	}
	if err := r.play(ctx, harness.Options{Program: r.previous, Bare: true}, r.phases, r.analyse); err != nil {
		return fmt.Errorf("seed %d: %w", sc.Seed, err)
	}
	r.judgeUpgrade()
	r.report.print(stdout)
	if n := len(r.report.Violations); n > 0 {
		return fmt.Errorf("%d violations", n)
	}
	return nil
}

// build builds both versions in a folder.
func (r *rolling) build(ctx context.Context, folder string) error {
	root, err := goSays(ctx, ".", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(root, "migrations", "testdata", "next", "expand.sql"))
	if err != nil {
		return fmt.Errorf("read the migration of the next version: %w", err)
	}
	next := migrations.Version() + 1
	r.sayf("from this tree to one with a further migration, %d", next)
	text = bytes.ReplaceAll(text, []byte("NEXT"), fmt.Append(nil, next))
	file, path := filepath.Join(folder, "expand.sql"), filepath.Join(folder, "overlay.json")
	files := map[string]string{filepath.Join(root, "migrations", fmt.Sprintf("%05d_expand.sql", next)): file}
	overlay, err := json.Marshal(map[string]any{"Replace": files})
	if err == nil {
		err = errors.Join(os.WriteFile(file, text, 0o600), os.WriteFile(path, overlay, 0o600)) //nolint:gosec // into a folder of its own
	}
	if err != nil {
		return fmt.Errorf("describe the next version: %w", err)
	}
	for _, args := range [][]string{{"-o", r.previous}, {"-o", r.next, "-overlay", path}} {
		if _, err := goSays(ctx, root, slices.Concat([]string{"test", "-c", "-vet=off"}, args, []string{"./cmd/sluice/cli"})...); err != nil {
			return err
		}
	}
	return nil
}

// goSays runs a command of Go in a folder and returns what it prints.
func goSays(ctx context.Context, folder string, args ...string) (string, error) {
	var out, failed bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // arguments of ours
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &failed
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(failed.Bytes()))
	}
	return strings.TrimSpace(out.String()), nil
}

func (r *rolling) sayf(format string, args ...any) {
	_, _ = fmt.Fprintf(r.log, format+"\n", args...) // an error of progress is ignored
}

// The statements of the analyst read tables that the upgrade changes, by themselves and through
// views. None may wait for a lock for longer than a minute: an upgrade lets go after less than a
// second, but a busy machine lets it come late to that.
const (
	sqlPatience = `SET lock_timeout = '1min'`
	sqlAnalyst  = `SELECT count(*), sum(total) FROM inventory.bills; SELECT count(*) FROM analytics.bills; SELECT count(*) FROM inventory.items;
		SELECT count(*) FROM accounting.vendor_payments; SELECT count(*) FROM analytics.freshness; SELECT count(*) FROM analytics.ap_ageing`
)

// analyse queries without a pause, in a session of its own, until the context ends.
func (r *rolling) analyse(ctx context.Context) {
	err := r.bed.Postgres.Do(ctx, harness.Database, func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, sqlPatience); err != nil {
			return err
		}
		for {
			for sql := range strings.SplitSeq(sqlAnalyst, ";") {
				began := time.Now()
				if _, err := conn.Exec(ctx, sql); err != nil {
					return fmt.Errorf("%s: %w", sql, err)
				}
				r.report.Rolling.Statements++
				r.report.Rolling.Slowest = max(r.report.Rolling.Slowest, time.Since(began))
			}
		}
	})
	if ctx.Err() == nil {
		r.report.Brokenf("the analyst: %v", err)
	}
}

// phases are the steps of the operator, with faults between them.
func (r *rolling) phases(ctx context.Context) error {
	r.sayf("the previous version works")
	if err := r.faults(ctx); err != nil {
		return err
	}
	r.sayf("the next version migrates, beside processes of the previous one and an open transaction")
	if err := r.upgradeTables(ctx); err != nil {
		return err
	}
	for _, to := range []struct{ program, what string }{{r.next, "next"}, {r.previous, "previous"}} {
		r.sayf("processes of the version before start on the tables of the next one; the %s version takes over", to.what)
		if err := r.replace(ctx, to.program); err != nil {
			return err
		}
		if err := r.faults(ctx); err != nil {
			return err
		}
		if err := r.migrate(ctx, to.program, "migrate-"+to.what, false); err != nil { // as a rollout does before each version
			return err
		}
	}
	return nil
}

// upgradeTables migrates while a transaction keeps a table locked, kills migrate twice, and
// starts it again.
func (r *rolling) upgradeTables(ctx context.Context) error {
	tx, err := r.bed.Pool.Begin(ctx)
	if err != nil {
		return fmt.Errorf("open a transaction: %w", err)
	}
	if _, err := tx.Exec(ctx, `SELECT count(*) FROM inventory.items`); err != nil {
		return fmt.Errorf("open a transaction: %w", err)
	}
	for n := range 2 {
		if err := r.migrate(ctx, r.next, fmt.Sprintf("migrate-killed-%d", n), true); err != nil {
			return errors.Join(err, tx.Rollback(context.WithoutCancel(ctx)))
		}
	}
	r.later(ctx, openFor, func() { _ = tx.Rollback(context.WithoutCancel(ctx)) })
	if err := r.migrate(ctx, r.next, "migrate-next", false); err != nil {
		return err
	}
	return r.faults(ctx) // the previous version starts again on the new tables
}

// sqlWaits reports whether migrate has changed tables, and waits for the one that a transaction holds.
const sqlWaits = `SELECT EXISTS (SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
	WHERE application_name = 'sluice migrate' AND NOT granted AND relation = 'inventory.items'::regclass)`

// migrate runs migrate to its end, or kills it while it waits for a table.
func (s *chaos) migrate(ctx context.Context, program, name string, kill bool) error {
	door, err := proxy.Listen(ctx, s.bed.Postgres.Dial, nil)
	if err != nil {
		return err
	}
	defer func() { _ = door.Close() }() // the process has ended
	args := []string{"migrate", "--log-level", "info"}
	p, err := s.bed.Start(harness.Launch{Name: name, Program: program, Postgres: door.Address(), Args: args})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, migratedWithin)
	defer cancel()
	if kill {
		harness.Until(ctx, func() bool {
			var waits bool
			return !p.Alive() || s.bed.Pool.QueryRow(ctx, sqlWaits).Scan(&waits) == nil && waits
		})
		if p.Kill() {
			s.report.Rolling.MigrateKills++
			s.report.Actions["kill -9 of migrate"]++
		}
		return nil
	}
	return p.Succeed(ctx)
}

// faults kills processes at work and breaks their lines.
func (r *rolling) faults(ctx context.Context) error {
	for n := range faultsOfPhase {
		number := (n + int(r.Seed)) % len(r.slots) //nolint:gosec // a small seed
		if n%4 == 3 {
			r.slots[number].database.Reset()
			r.slots[number].http.Reset()
		} else if err := r.killOne(ctx, number); err != nil {
			return err
		}
	}
	return nil
}

func (r *rolling) killOne(ctx context.Context, number int) error {
	return r.do(ctx, step{fault: fault{name: "kill -9", do: (*chaos).kill}, slot: number})
}

// replace replaces the processes one by one by those of another version, and kills one of the
// others meanwhile.
func (r *rolling) replace(ctx context.Context, program string) error {
	for n, slot := range r.slots {
		before := slot.install(program)
		before.Signal(syscall.SIGTERM)
		waiting, cancel := context.WithTimeout(ctx, replacedWithin)
		ready := harness.Until(waiting, func() bool { p := slot.current(); return p != before && strings.Contains(p.Log(), `"serving"`) })
		cancel()
		if !ready {
			r.report.Brokenf("slot %d: no process of the other version works after %s: %s", n, replacedWithin, slot.current().LastLines())
			return nil
		}
		r.report.Rolling.Replaced++
		r.report.Rolling.Mixed = r.report.Rolling.Mixed || n < len(r.slots)-1
		if err := r.killOne(ctx, (n+1)%len(r.slots)); err != nil {
			return err
		}
	}
	return nil
}

// judgeUpgrade adds what a rolling upgrade has to show to the verdict of the oracle.
func (r *rolling) judgeUpgrade() {
	if r.report.Refused > 0 {
		r.report.Brokenf("%d starts were refused, a program of the version before has to work on the new tables", r.report.Refused)
	}
	f := r.report.Rolling
	const rounds, statements = 2, 6 // there and back; each once
	if f.Replaced != rounds*processes || !f.Mixed || f.Statements < statements || f.MigrateKills == 0 {
		r.report.Brokenf("it proves too little: %+v", f)
	}
	if r.report.KillsAtWork == 0 || r.report.Inserted == 0 || r.report.Edited == 0 {
		r.report.Brokenf("it proves too little: %d kills at work, upstream: %d inserted, %d edited",
			r.report.KillsAtWork, r.report.Inserted, r.report.Edited)
	}
}
