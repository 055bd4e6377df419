package jobs_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	gosync "sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/migrations"
	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/jobs"
	"sluice/pipeline/planning"
	"sluice/pipeline/sync"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/schema"
	"sluice/schema/ddl"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// service is a made-up service: two lists that are read whole.
func service() *schema.Service {
	list := func(name string) schema.Resource {
		return schema.Resource{
			Name: name, Doc: "A thing.", Path: "/" + name, Key: name, ID: "thing_id", Every: "1h",
			Cursor:  schema.Since{Column: "last_modified_time", Param: "last_modified_time", Created: "last_modified_time"},
			Columns: []schema.Column{schema.ID("thing_id", "The thing."), schema.Time("last_modified_time", "When it changed.")},
		}
	}
	return &schema.Service{Name: "made_up", Doc: "Made up.", Root: "/v1", Resources: []schema.Resource{list("apples"), list("pears")}}
}

// upstream answers pages by a function per resource.
type upstream struct {
	mu    gosync.Mutex
	pages map[string]func(ctx context.Context, ask pipeline.Request) (pipeline.Page, error)
	calls int64
}

// Details implements sync.Source.
func (*upstream) Details(context.Context, pipeline.Request, []string) (pipeline.Page, error) {
	return pipeline.Page{}, errors.ErrUnsupported
}

// Page implements sync.Source.
func (u *upstream) Page(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
	u.mu.Lock()
	u.calls++
	call, answer := u.calls, u.pages[request.Stream.Resource.Name]
	u.mu.Unlock()
	page, err := answer(ctx, request)
	page.Call, page.Date, page.PerPage = call, time.Now(), request.PerPage
	return page, err
}

// count returns the number of calls so far.
func (u *upstream) count() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.calls
}

// answer replaces the answers of a resource.
func (u *upstream) answer(resource string, pages func(context.Context, pipeline.Request) (pipeline.Page, error)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pages[resource] = pages
}

// Export implements sync.Source.
func (u *upstream) Export(context.Context, pipeline.Request, func(pipeline.Page) error) error {
	panic("the made-up service has no export")
}

// things is a list of n records, per a page.
func things(n int) func(context.Context, pipeline.Request) (pipeline.Page, error) {
	return func(_ context.Context, request pipeline.Request) (pipeline.Page, error) {
		page := pipeline.Page{More: request.Page*request.PerPage < n}
		for i := (request.Page - 1) * request.PerPage; i < min(n, request.Page*request.PerPage); i++ {
			page.Records = append(page.Records, fmt.Appendf(nil, `{"thing_id":"%05d","last_modified_time":"2026-01-01T00:00:00Z"}`, i))
		}
		return page, nil
	}
}

// fixture is a queue on a database of its own.
type fixture struct {
	t        *testing.T
	url      string
	db       *warehouse.DB
	upstream *upstream
	service  *schema.Service
	// ready is the queue's option Ready; nil for none.
	ready func(context.Context, pipeline.Stream) error
	// events is the queue's option Events; nil for none.
	events *jobs.Events
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	made := service()
	url := warehousetest.Template(t, "jobs", func(ctx context.Context, url string) error {
		if err := migrations.Migrate(ctx, url, migrations.Options{}); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return fmt.Errorf("connect: %w", err)
		}
		defer func() { _ = conn.Close(ctx) }()
		tables, _ := ddl.Draft([]schema.Service{*made}, nil)
		_, err = conn.Exec(ctx, tables)
		return err
	})
	db := check.Sure(warehouse.Open(t.Context(), url, warehouse.Options{Due: planning.Due}))(t)
	t.Cleanup(db.Close)
	r := &fixture{t: t, url: url, db: db, service: made, upstream: &upstream{pages: map[string]func(context.Context, pipeline.Request) (pipeline.Page, error){
		"apples": things(3), "pears": things(3),
	}}}
	settings := []warehouse.StreamSetting{
		{Key: r.key("apples"), Every: time.Hour, Enabled: true}, {Key: r.key("pears"), Every: time.Hour, Enabled: true},
	}
	check.Must(t, db.RegisterStreams(t.Context(), settings))
	return r
}

func (r *fixture) key(resource string) pipeline.Key {
	return pipeline.Key{Organization: "1", Service: r.service.Name, Resource: resource}
}

func (r *fixture) stream(key pipeline.Key) (pipeline.Stream, bool) {
	for i := range r.service.Resources {
		if r.service.Resources[i].Name == key.Resource {
			return pipeline.Stream{Organization: key.Organization, Service: r.service, Resource: &r.service.Resources[i]}, true
		}
	}
	return pipeline.Stream{}, false
}

// start runs a queue until the test ends. Retries are short, because the tests only check that they
// happen.
func (r *fixture) start(schedule bool) *jobs.Queue {
	r.t.Helper()
	rules := pipeline.DefaultRules()
	rules.PerPage, rules.ChunkPages = 2, 3
	queue := check.Sure(jobs.New(context.WithoutCancel(r.t.Context()), jobs.Options{
		Pool: r.db.Pool(), Store: r.db, Stream: r.stream, Ready: r.ready, Events: r.events, Workers: 4, Schedule: schedule,
		Retries: []time.Duration{10 * time.Millisecond, 10 * time.Millisecond},
		Runner:  &sync.Runner{Source: r.upstream, Store: r.db, Now: time.Now, Rules: rules},
		Logger:  slog.New(slog.DiscardHandler), Now: time.Now,
		Prune: func(ctx context.Context) error { return r.db.PruneRuns(ctx, 40*24*time.Hour) },
	}))(r.t)
	check.Must(r.t, queue.Start(context.WithoutCancel(r.t.Context())))
	r.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		err := queue.Stop(ctx)
		check.ErrorIf(r.t, err != nil, "stop: %v", err)
	})
	return queue
}

// ask requests runs of the streams and queues them.
func (r *fixture) ask(queue *jobs.Queue, resources ...string) {
	r.t.Helper()
	var keys []pipeline.Key
	for _, resource := range resources {
		keys = append(keys, r.key(resource))
	}
	check.Must(r.t, r.db.Request(r.t.Context(), keys))
	check.Must(r.t, queue.Insert(r.t.Context(), keys))
}

// number reads one number.
func (r *fixture) number(sql string, args ...any) int {
	r.t.Helper()
	var n int
	err := r.db.Pool().QueryRow(r.t.Context(), sql, args...).Scan(&n)
	check.FatalIf(r.t, err != nil, "%s: %v", sql, err)
	return n
}

// patience is how long a condition may take to become true. sluice-dev mutate sets less, because many
// deliberate bugs keep conditions from becoming true.
var patience = flag.Duration("patience", time.Minute, "how long a condition may take to come true")

// until waits until the SQL condition returns 1.
func (r *fixture) until(what, sql string, args ...any) {
	r.t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(*patience)
	for r.number(sql, args...) == 0 {
		select {
		case <-deadline:
			r.t.Fatalf("timed out: %s; jobs: %s", what, r.jobs())
		case <-ticker.C:
		}
	}
}

const sqlIdle = `SELECT count(*) FROM sluice.streams WHERE resource = $1 AND state = 'idle' AND served_gen = requested_gen AND last_run_id IS NOT NULL`

// jobs describes the queue, for a test that failed.
func (r *fixture) jobs() string {
	var text string
	const sql = `SELECT coalesce(string_agg(concat_ws(' ', id, state, attempt, args ->> 'resource', errors[1] ->> 'error'), '; ' ORDER BY id), '') FROM river.river_job`
	if err := r.db.Pool().QueryRow(context.Background(), sql).Scan(&text); err != nil {
		return err.Error()
	}
	return text
}

// TestLocksOfOthers: any role that may connect can take locks of the class that shows which
// processes are alive. Such a lock stops no process and makes no killed process look alive.
func TestLocksOfOthers(t *testing.T) {
	r := newFixture(t)
	stranger := warehousetest.Connect(t, r.url)
	check.Must(t, check.Failure(stranger.Exec(t.Context(), `SELECT pg_advisory_lock(20928, n) FROM generate_series(1, 300) AS n`)))
	// A process was killed, and another session now has the lock with its number.
	check.Must(t, r.db.Request(t.Context(), []pipeline.Key{r.key("apples"), r.key("pears")}))
	const killed = `WITH dead AS (INSERT INTO sluice.processes (name, lock_number, lock_pid) VALUES ('killed', 7, 1) RETURNING id)
		INSERT INTO river.river_job (kind, queue, args, max_attempts, state, attempt, attempted_at, attempted_by)
		SELECT 'stream', 'streams', '{"organization":"1","service":"made_up","resource":"apples"}', 10, 'running', 1, now(), ARRAY['sluice-' || id] FROM dead
		RETURNING id`
	id := r.number(killed)
	queue := r.start(false)
	r.until("the job of the killed process was worked", `SELECT count(*) FROM river.river_job WHERE id = $1 AND state = 'completed'`, id)
	r.until("apples are done", sqlIdle, "apples")
	r.ask(queue, "pears")
	r.until("pears are done", sqlIdle, "pears")
	check.Same(t, "processes live, want this one only", 1, r.number(`SELECT count(*) FROM sluice.live_processes`))
	n := r.number(`SELECT count(*) FROM sluice.processes WHERE lock_number > 300 AND lock_pid <> 1`)
	check.ErrorIf(t, n != 1, "the process holds a lock that another session holds")
}

// TestOldNotesGo: a process that schedules deletes exactly the notes that are older than their
// retention.
func TestOldNotesGo(t *testing.T) {
	r := newFixture(t)
	const insert = `INSERT INTO sluice.verifications (started_at, calls_allowed)
		VALUES (now() - interval '41 days', 1), (now() - interval '39 days', 2)`
	check.Must(t, check.Failure(r.db.Pool().Exec(t.Context(), insert)))
	r.start(true)
	r.until("the old verification is dropped", `SELECT (count(*) = 0)::integer FROM sluice.verifications WHERE calls_allowed = 1`)
	check.Same(t, "the younger verification is gone, too", 1, r.number(`SELECT count(*) FROM sluice.verifications WHERE calls_allowed = 2`))
}
