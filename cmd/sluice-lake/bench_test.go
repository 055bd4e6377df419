package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/warehousetest"
)

// asProgram is a variable of the environment: with it, the tests are the program.
const asProgram = "SLUICE_LAKE_TEST_IS_THE_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(warehousetest.Run(m))
}

var benchRows = flag.Int("rows", 100_000, "how many rows the benchmark publishes") //nolint:gochecknoglobals // a flag

// site is a migrated database and a configuration of the program.
type site struct {
	testing.TB

	url, program, config, lake string
}

func newSite(tb testing.TB) *site {
	tb.Helper()
	s := &site{TB: tb, program: filepath.Join(tb.TempDir(), "sluice-lake"), lake: tb.TempDir()}
	s.url = warehousetest.Template(tb, "migrated", func(ctx context.Context, url string) error {
		return migrations.Migrate(ctx, url, migrations.Options{})
	})
	check.Must(tb, check.Failure(changes.Renew(tb.Context(), warehousetest.Connect(tb, s.url))))
	s.config = filepath.Join(tb.TempDir(), "config.yaml")
	s.configure("lake: {warehouse: " + s.lake + "}\n")
	return s
}

// configure writes the configuration, with a block of the lake.
func (s *site) configure(lake string) {
	s.Helper()
	text := `database: {url: "${SLUICE_DATABASE_URL}", allow_insecure: true}
vendor: {api_url: "https://www.example.com", chat_url: "https://chat.example.com", auth_url: "https://accounts.example.com"}
organizations:
  - name: north
    id: "1"
    time_zone: Asia/Kolkata
    credentials: {client_id: 1000.NORTH, client_secret: "${NORTH_SECRET}", refresh_token: "${NORTH_TOKEN}"}
    services: {inventory: {plan: standard}}
` + lake
	check.Must(s, os.WriteFile(s.config, []byte(text), 0o600))
}

// currency writes a record, and logs it.
func (s *site) currency(id string) {
	s.Helper()
	s.exec(`WITH row AS (
			INSERT INTO invoicing.currencies (organization_id, currency_id, currency_code, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
			VALUES ('1', $1, 'EUR', '\x00', 1, 0, 1, now(), now()) RETURNING currency_id)
		INSERT INTO sluice.changes (organization_id, table_name, op, record_ids) SELECT '1', 'invoicing.currencies', 'new', ARRAY[currency_id] FROM row`, id)
}

// build builds the program as it is delivered.
func (s *site) build() {
	s.Helper()
	build := exec.Command("go", "build", "-o", s.program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	check.FatalIf(s, err != nil, "%v\n%s", err, out)
}

// spent is what a run of the program took: time, time of processors, and the most memory in bytes.
type spent struct {
	took, cpu time.Duration
	peak      int64
}

// run runs the program, and returns what it printed.
func (s *site) run(args ...string) ([]byte, spent) {
	s.Helper()
	var used spent
	cmd := exec.Command(s.program, append(args, "--config", s.config, "--json")...)
	cmd.Env, cmd.Stderr = append(os.Environ(), "SLUICE_DATABASE_URL="+s.url), os.Stderr
	began := time.Now()
	out, err := cmd.Output()
	used.took = time.Since(began)
	check.FatalIf(s, err != nil, "sluice-lake %v: %v\n%s", args, err, out)
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		used.peak = usage.Maxrss << 10
		used.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return out, used
}

func (s *site) exec(sql string, args ...any) {
	s.Helper()
	check.Must(s, check.Failure(warehousetest.Connect(s, s.url).Exec(s.Context(), sql, args...)))
}

// items writes items of forty organizations, with eighteen values in a row.
func (s *site) items(rows int) {
	s.Helper()
	s.exec(`INSERT INTO inventory.items (organization_id, item_id, name, sku, status, item_type, product_type, unit, description, rate, purchase_rate,
			reorder_level, is_taxable, tax_id, tax_percentage, vendor_name, created_time, last_modified_time,
			_content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
		SELECT (n % 40)::text, (460000000000000 + n)::text, 'Item ' || n, 'SKU-' || n, CASE n % 7 WHEN 0 THEN 'inactive' ELSE 'active' END, 'inventory', 'goods', 'pcs',
			'Description of item ' || md5(n::text), (n % 100000) * 0.01, (n % 90000) * 0.01, n % 50, n % 3 > 0, (n % 9)::text, 19, 'Vendor ' || n % 1000,
			timestamptz '2024-01-01' + n * interval '7 seconds', timestamptz '2025-01-01' + n * interval '3 seconds',
			'\x00112233445566778899aabbccddeeff', n, 0, 1, now(), now() FROM generate_series(1, $1) AS n`, rows)
	s.exec(`VACUUM ANALYZE inventory.items`)
}

// BenchmarkPublish publishes a table the first time, then one in a hundred rows that changed all
// over it, then nothing, and verifies all of it.
func BenchmarkPublish(b *testing.B) {
	for range b.N {
		s := newSite(b)
		s.build()
		rows := *benchRows
		s.items(rows)
		report := func(what string, n int, used spent) {
			b.Logf("%-8s %9d rows  %7.1f s  %8.0f rows/s  %7.1f s of processors  %4d MB",
				what, n, used.took.Seconds(), float64(n)/used.took.Seconds(), used.cpu.Seconds(), used.peak>>20)
		}
		_, used := s.run("publish")
		report("first", rows, used)
		s.exec(`WITH changed AS (
				UPDATE inventory.items SET rate = rate + 1, _changed_at = clock_timestamp() WHERE (item_id::bigint / 40) % 100 = 7 RETURNING organization_id, item_id
			)
			INSERT INTO sluice.changes (organization_id, table_name, op, record_ids)
			SELECT organization_id, 'inventory.items', 'changed', array_agg(item_id) FROM changed GROUP BY 1`)
		_, used = s.run("publish")
		report("changed", rows/100, used)
		_, used = s.run("publish")
		report("nothing", 0, used)
		out, used := s.run("verify")
		report("verify", rows, used)
		_, used = s.run("compact")
		report("compact", rows, used)
		var found []struct {
			Equal bool `json:"equal"`
		}
		err := json.Unmarshal(out, &found)
		check.FatalIf(b, err != nil || len(found) == 0 || !found[0].Equal, "%s, %v", out, err)
	}
}

// BenchmarkLag tells how far the lake is behind, in intervals, while 500 rows change each second.
func BenchmarkLag(b *testing.B) {
	const every, intervals, changed = 10 * time.Second, 12, 100
	for range b.N {
		s := newSite(b)
		s.build()
		rows := *benchRows
		s.items(rows)
		s.run("publish")
		s.configure("lake: {warehouse: " + s.lake + ", every: " + every.String() + "}\n")
		watch := exec.CommandContext(b.Context(), s.program, "publish", "--watch", "--config", s.config)
		watch.Env, watch.Stderr = append(os.Environ(), "SLUICE_DATABASE_URL="+s.url), os.Stderr
		watch.Cancel = func() error { return watch.Process.Signal(os.Interrupt) }
		check.Must(b, watch.Start())
		conn := warehousetest.Connect(b, s.url)
		var lags []float64
		ticker := time.NewTicker(time.Second * changed / 500)
		for began := time.Now(); time.Since(began) < every*intervals; <-ticker.C {
			check.Must(b, check.Failure(conn.Exec(b.Context(), `WITH changed AS (
					UPDATE inventory.items SET rate = rate + 1, _changed_at = clock_timestamp()
					WHERE (organization_id, item_id) IN (SELECT (n % 40)::text, (460000000000000 + n)::text FROM (
						SELECT 1 + floor(random() * $1)::bigint AS n FROM generate_series(1, $2)) AS r)
					RETURNING organization_id, item_id
				)
				INSERT INTO sluice.changes (organization_id, table_name, op, record_ids)
				SELECT organization_id, 'inventory.items', 'changed', array_agg(item_id) FROM changed GROUP BY 1`, rows, changed)))
			var lag float64
			check.Must(b, conn.QueryRow(b.Context(), `SELECT coalesce(extract(epoch FROM sluice.lake_lag()), 0)::float8`).Scan(&lag))
			lags = append(lags, lag/every.Seconds())
		}
		check.Must(b, errors.Join(watch.Cancel(), watch.Wait()))
		slices.Sort(lags)
		b.ReportMetric(lags[len(lags)/2], "intervals/p50")
		b.ReportMetric(lags[len(lags)*99/100], "intervals/p99")
		b.ReportMetric(lags[len(lags)-1], "intervals/most")
	}
}
