package publish_test

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/apache/iceberg-go/io"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice-lake/publish"
	"sluice/cmd/sluice-lake/shape"
	"sluice/cmd/sluice-lake/storage"
	"sluice/connectors"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/changes"
)

// stride is how many steps lie between two kills: 1 kills at every point.
var stride = flag.Int("stride", 6, "how many steps lie between two kills") //nolint:gochecknoglobals // a flag

// The environment of a process that this test starts to be killed.
const (
	doomedURL    = "SLUICE_LAKE_TEST_URL"
	doomedFolder = "SLUICE_LAKE_TEST_FOLDER"
	doomedAfter  = "SLUICE_LAKE_TEST_AFTER"
	doomedDoes   = "SLUICE_LAKE_TEST_DOES"
	// doomedCatalog is the address of a shared catalog; "" without one.
	doomedCatalog = "SLUICE_LAKE_TEST_CATALOG"
)

// steps counts what a process does to the world, and kills it before one of them.
type steps struct {
	left atomic.Int64
}

func (s *steps) step() {
	if s.left.Add(-1) < 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

// TraceQueryStart implements pgx.QueryTracer: each statement is a step, the commit among them.
func (s *steps) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	s.step()
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (s *steps) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) { s.step() }

// counted is a storage whose writes are steps: the beginning of a file, its end, a removal.
type counted struct {
	storage.Storage

	steps *steps
}

func (c counted) Create(name string) (io.FileWriter, error) {
	c.steps.step()
	file, err := c.Storage.Create(name)
	return countedFile{file, c.steps}, err
}

func (c counted) WriteFile(name string, content []byte) error {
	c.steps.step()
	if half := len(content) / 2; c.steps.left.Load() == 0 { // it ends within the file
		return errors.Join(c.Storage.WriteFile(name, content[:half]), c.last())
	}
	return c.Storage.WriteFile(name, content)
}

func (c counted) last() error { c.steps.step(); return nil }

func (c counted) Remove(name string) error {
	c.steps.step()
	return c.Storage.Remove(name)
}

type countedFile struct {
	io.FileWriter

	steps *steps
}

func (c countedFile) Close() error {
	c.steps.step()
	return c.FileWriter.Close()
}

// TestDoomed is the process that is killed; it does nothing where the test is run by itself.
func TestDoomed(t *testing.T) {
	url := os.Getenv(doomedURL)
	if url == "" {
		return
	}
	after := check.Sure(strconv.ParseInt(os.Getenv(doomedAfter), 10, 64))(t)
	counts := &steps{}
	counts.left.Store(after)
	connect := func(url string) *pgxpool.Pool {
		config := check.Sure(pgxpool.ParseConfig(url))(t)
		config.ConnConfig.Tracer = counts
		pool := check.Sure(pgxpool.NewWithConfig(t.Context(), config))(t)
		t.Cleanup(pool.Close)
		return pool
	}
	var shared *pgxpool.Pool
	if catalog := os.Getenv(doomedCatalog); catalog != "" {
		shared = connect(catalog)
	}
	store, err := storage.Open(t.Context(), os.Getenv(doomedFolder))
	check.Must(t, err)
	p := publish.New(publish.Options{
		Pool: connect(url), Catalog: shared, Store: counted{store, counts}, Tables: shape.Tables(connectors.All()), Buckets: 4, Log: slog.New(slog.DiscardHandler),
	})
	switch os.Getenv(doomedDoes) {
	case "publish":
		_, err = p.Publish(t.Context())
	case "compact":
		_, err = p.Compact(t.Context())
	case "expire":
		_, err = p.Expire(t.Context(), 0)
	}
	check.Must(t, err)
	_, _ = os.Stdout.WriteString("done\n")
}

// doom starts the process, and says whether it was killed.
func (w *world) doom(does string, after int) bool {
	w.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestDoomed$", "-test.count=1")
	cmd.Env = append(os.Environ(), doomedURL+"="+w.url, doomedFolder+"="+w.folder, doomedAfter+"="+strconv.Itoa(after), doomedDoes+"="+does)
	if w.catalog != nil {
		cmd.Env = append(cmd.Env, doomedCatalog+"="+w.catalog.url)
	}
	out, err := cmd.CombinedOutput()
	if exited, ok := errors.AsType[*exec.ExitError](err); ok {
		if status, is := exited.Sys().(syscall.WaitStatus); is && status.Signal() == syscall.SIGKILL {
			return true
		}
	}
	check.FatalIf(w, err != nil || !strings.Contains(string(out), "done"), "a process that %ses: %v\n%s", does, err, out)
	return false
}

// TestKillsAtEveryPoint kills a process before each of the things that it does to the database and
// to the files: publishing the first time, publishing changes, compacting, expiring. After each
// kill a reader has the tables of one cut, and after the next publication those of the warehouse.
func TestKillsAtEveryPoint(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.write(changes.New, "1", sqlBills, "1", "22", "333")
	w.write(changes.New, "9", sqlBills, "1")
	kills := 0
	for _, does := range []string{"publish", "publish", "compact", "expire"} {
		for after := 0; ; after += *stride {
			bills, lines := w.location("inventory.bills"), w.location("inventory.bills_line_items")
			killed := w.doom(does, after)
			// Where the metadata is the same, so are the rows.
			if killed && (w.location("inventory.bills") != bills || w.location("inventory.bills_line_items") != lines) {
				now := w.cut()
				check.FatalIf(t, !w.whole(now), "%s, killed after %d steps: the lake has %q", does, after, now)
			}
			if !killed {
				break
			}
			kills++
			w.free()
		}
		w.equal("inventory.bills")
		w.equal("inventory.bills_line_items")
		if does == "publish" {
			w.write(changes.Changed, "1", sqlChange, "22", "1")
			w.write(changes.New, "3", sqlBills, strconv.Itoa(kills))
		}
	}
	w.publish()
	w.equal("inventory.bills")
	w.equal("inventory.bills_line_items")
	// What killed ones left is gone: all files that are there are referred to.
	_, err := w.publisher.Expire(t.Context(), time.Hour)
	w.must(err)
	if found := w.unused(); len(found) > 0 {
		t.Errorf("%d files are left that nothing refers to, such as %q", len(found), found[:min(5, len(found))])
	}
	t.Logf("%d kills", kills)
	check.ErrorIf(t, kills < 300 / *stride, "only %d points were found", kills)
}

// TestKillsOfAnErasure kills a process before each of the things that it does to carry out an
// erasure. After each kill a reader has the tables of one cut; the erasure is carried out by the
// first process that is not killed, and no file of any snapshot has the value then.
func TestKillsOfAnErasure(t *testing.T) {
	t.Parallel()
	w := open(t)
	const secret = "Jane Person of Example Street"
	w.write(changes.New, "1", sqlBills, "1", "22", "333")
	w.write(changes.New, "9", sqlBills, "1")
	w.exec(`UPDATE inventory.bills SET vendor_name = $1 WHERE organization_id = '1' AND bill_id = '22'`, secret)
	w.publish()
	w.write(changes.Changed, "1", sqlChange, "1") // a snapshot more, and positions that are deleted
	w.publish()
	before := w.cut()
	w.erase("1", "22")
	kills := 0
	for ; w.doom("publish", kills**stride); kills++ {
		w.free()
		if now := w.cut(); now != before && !w.whole(now) {
			t.Fatalf("killed after %d steps: the lake has %q", kills**stride, now)
		}
	}
	found := w.having(secret)
	check.ErrorIf(t, len(found) > 0, "after %d kills these files still have the value: %q", kills, found)
	w.equal("inventory.bills")
	w.equal("inventory.bills_line_items")
	location := w.location(publish.Published)
	if w.publish(); w.location(publish.Published) != location {
		t.Error("the erasure is carried out again")
	}
	check.ErrorIf(t, kills < 100 / *stride, "only %d points were found", kills)
	t.Logf("%d kills", kills)
}

// cut is what a reader of the lake gets: number and sum of keys, for both tables, at once.
func (w *world) cut() string {
	w.Helper()
	var text []string
	for _, full := range []string{"inventory.bills", "inventory.bills_line_items"} {
		if w.location(full) == "" {
			text = append(text, "none")
			continue
		}
		key := map[string]string{"inventory.bills": "bill_id", "inventory.bills_line_items": "_parent_id || '/' || _position"}[full]
		text = append(text, w.read(full, `SELECT count(*) || ' ' || coalesce(string_agg(organization_id || '/' || `+key+`, ',' ORDER BY organization_id || '/' || `+key+`), '') FROM {lake}`)[0][0])
	}
	return strings.Join(text, " | ")
}

// whole reports whether a cut is what the warehouse has.
func (w *world) whole(cut string) bool {
	w.Helper()
	var want string
	w.must(w.conn.QueryRow(w.Context(), `SELECT
		(SELECT count(*) || ' ' || string_agg(organization_id || '/' || bill_id, ',' ORDER BY (organization_id || '/' || bill_id) COLLATE "C") FROM inventory.bills) || ' | ' ||
		(SELECT count(*) || ' ' || string_agg(organization_id || '/' || _parent_id || '/' || _position, ',' ORDER BY (organization_id || '/' || _parent_id || '/' || _position) COLLATE "C")
			FROM inventory.bills_line_items)`).Scan(&want))
	return cut == want
}

// free waits until the server has noticed that a killed process is gone.
func (w *world) free() {
	w.Helper()
	for held := true; held; {
		w.must(w.conn.QueryRow(w.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'lake.iceberg_namespace_properties'::regclass)`).Scan(&held))
	}
	if w.catalog != nil {
		w.catalog.free()
	}
}

// unused are files of the lake to which no table refers, by the library's own account.
func (w *world) unused() []string {
	w.Helper()
	used := map[string]bool{}
	for _, full := range []string{"inventory.bills", "inventory.bills_line_items", publish.Published} {
		for path := range w.references(full) {
			used[path] = true
		}
	}
	var found []string
	w.must(w.store.WalkDir(w.store.Root(), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !used[path] && !strings.HasSuffix(path, ".owner") {
			found = append(found, path)
		}
		return err
	}))
	return found
}
