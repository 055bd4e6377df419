package warehouse_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/lineage/rebuild"
	"sluice/pipeline/warehouse"
	"sluice/schema"
	"sluice/schema/record"
)

// learned returns the stream with a declaration that has two more columns; it alters the tables as
// a migration would.
func (s *storeFixture) learned() (pipeline.Stream, func([]byte, string) (record.Record, error)) {
	s.Helper()
	s.exec(`ALTER TABLE store.bills ADD colour text, ADD weight numeric`)
	s.exec(`ALTER TABLE store.bills_lines ADD colour text`)
	service := storeService()
	bills := &service.Resources[0]
	bills.Columns = append(bills.Columns, schema.Text("colour", "Colour."), schema.Decimal("weight", "Weight."))
	bills.Children[0].Columns = append(bills.Children[0].Columns, schema.Text("colour", "Colour."))
	normalizer := check.Sure(record.New(bills, time.UTC))(s)
	return pipeline.Stream{Organization: organization, Service: service, Resource: bills}, func(raw []byte, parent string) (record.Record, error) {
		if parent != "" {
			return record.Record{}, fmt.Errorf("bills have no parent, got %q", parent)
		}
		return normalizer.Record(raw)
	}
}

func with(raw, more string) string { return strings.TrimSuffix(raw, "}") + more + "}" }

func TestRebuildLearnsColumnsWithoutACall(t *testing.T) {
	s := openStore(t)
	list, details := s.claimOf(s.bills), s.claimOf(s.details)
	s.load(s.of(list,
		with(header("plain", "a", 1), ``),
		with(header("list", "a", 1), `,"colour":"red","novel":1`),
		with(header("both", "a", 1), `,"colour":"red"`),
		with(header("stale", "a", 1), `,"colour":"red"`),
		with(header("unfit", "a", 1), `,"weight":"heavy"`),
	))
	s.load(s.of(details,
		`{"bill_id":"both","total":"a","weight":7,"lines":[{"line":"x","colour":"blue"}]}`,
		`{"bill_id":"stale","total":"a","colour":"old","weight":8,"lines":[{"line":"y","colour":"green"}]}`,
	))
	s.load(s.of(list, with(header("stale", "b", 2), `,"colour":"new"`)))
	end := s.of(list)
	end.End, end.Position.Watermark = &pipeline.End{Outcome: pipeline.OutcomeDone}, time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)
	s.load(end)
	const kept = `SELECT string_agg(concat_ws('|', bill_id, _call_id, _raw_position, _run_id, _first_seen_at, _detail_state, _detail_call_id,
		_detail_raw_position, _detail_at), E'\n' ORDER BY bill_id) FROM store.bills`
	before, calls := ask[string](s.fixture, kept), ask[int](s.fixture, `SELECT count(*) FROM sluice.calls`)

	stream, normalizer := s.learned()
	var steps []int
	counts := check.Sure(rebuild.Run(t.Context(), s.db, stream, rebuild.Changed, normalizer, func(n int) { steps = append(steps, n) }))(s)
	check.Same(t, "counts", rebuild.Counts{Rows: 5, Rewritten: 3, Rejected: 1}, counts)
	check.ErrorIf(t, !slices.Equal(steps, []int{5}), "progress was %v", steps)
	want := strings.Join([]string{
		"both|a|red|7|∅|x|blue", "list|a|red|∅|{\"novel\": 1}|∅|∅", "plain|a|∅|∅|∅|∅|∅", "stale|b|new|8|∅|y|green",
		"unfit|a|∅|∅|{\"weight\": \"heavy\"}|∅|∅",
	}, "\n")
	got := ask[string](s.fixture, `SELECT string_agg(concat_ws('|', bill_id, total, coalesce(b.colour, '∅'), coalesce(weight::text, '∅'),
		coalesce(_extra::text, '∅'), coalesce(line, '∅'), coalesce(l.colour, '∅')), E'\n' ORDER BY bill_id)
		FROM store.bills b LEFT JOIN store.bills_lines l ON _parent_id = bill_id`)
	check.Same(t, "rows", want, got)
	check.Same(t, "what rows say about their calls changed", before, ask[string](s.fixture, kept))
	if got := ask[int](s.fixture, `SELECT count(*) FROM sluice.calls`); got != calls {
		t.Errorf("%d calls were made", got-calls)
	}
	if got := ask[string](s.fixture, `SELECT concat_ws('|', resource, record_id, code, path, state) FROM sluice.quarantine`); got != "bills|unfit|bad_number|weight|open" &&
		got != "bills|unfit|wrong_type|weight|open" {
		t.Errorf("the record that does not fit any more: %q", got)
	}
	if got := ask[string](s.fixture, `SELECT concat_ws('|', state, run_id, watermark AT TIME ZONE 'UTC', (SELECT outcome FROM sluice.runs WHERE id = last_run_id))
		FROM sluice.streams WHERE resource = 'bills'`); got != "idle|2026-01-03 00:00:00|done" {
		t.Errorf("the stream is %q", got)
	}

	counts = check.Sure(rebuild.Run(t.Context(), s.db, stream, rebuild.Changed, normalizer, nil))(s)
	check.Same(t, "a second time", rebuild.Counts{Rows: 5, Rejected: 1}, counts)
	// Upstream's next answer with the same record is unchanged.
	next := s.claimOf(stream)
	check.Same(t, "the same record from upstream", pipeline.Loaded{Unchanged: 1}, s.load(s.of(next, with(header("list", "a", 1), `,"colour":"red","novel":1`))))
}

func TestRebuildGivesAnOpenRunBack(t *testing.T) {
	s := openStore(t)
	list := s.claimOf(s.bills)
	batch := s.of(list, with(header("1", "a", 1), `,"colour":"red"`))
	batch.Position.Scan = &pipeline.Scan{Mode: pipeline.ModeSince, Page: 7}
	s.load(batch)
	_, err := rebuild.Run(t.Context(), s.db, s.bills, rebuild.Changed, nil, nil)
	check.ErrorIf(t, !errors.Is(err, warehouse.ErrAtWork), "while a run is under way: %v", err)
	check.Must(s, s.db.Settle(t.Context(), list, pipeline.Settlement{State: pipeline.StateQueued}))
	stream, normalizer := s.learned()
	// More rows than one batch holds, and a row whose raw record is gone.
	s.exec(`INSERT INTO store.bills (organization_id, bill_id, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
		SELECT organization_id, 'n' || n, _content_hash, 999999, 0, 1, now(), now() FROM store.bills, generate_series(1, 700) AS n`)
	counts := check.Sure(rebuild.Run(t.Context(), s.db, stream, rebuild.Changed, normalizer, nil))(s)
	check.Same(t, "counts", rebuild.Counts{Rows: 701, Rewritten: 1, Lost: 700}, counts)
	check.FailsWith(t, check.Failure(s.db.Load(t.Context(), batch)), pipeline.ErrLostClaim)
	again := s.claimOf(s.bills)
	check.ErrorIf(t, again.Run != list.Run || again.Position.Scan == nil || again.Position.Scan.Page != 7,
		"the run that was open goes on as %+v", again)
}

func TestRebuildThatFailsEndsItsRun(t *testing.T) {
	s := openStore(t)
	list := s.claimOf(s.bills)
	batch := s.of(list, header("1", "a", 1))
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	s.load(batch)
	_, normalizer := s.learned()
	s.exec(`ALTER TABLE sluice.raw_records RENAME TO raw_elsewhere`)
	check.ErrorIf(t, check.Failure(rebuild.Run(t.Context(), s.db, s.bills, rebuild.Changed, normalizer, nil)) == nil,
		"no raw records, no error")
	check.Same(t, "the stream", "failed", ask[string](s.fixture, `SELECT concat_ws('|', state, run_id) FROM sluice.streams WHERE resource = 'bills'`))
}

// TestRebuildWhereMostHashesDiffer: columns are read only for rows whose hashes prove nothing, and
// values that no record carries stay.
func TestRebuildWhereMostHashesDiffer(t *testing.T) {
	s := openStore(t)
	const rows = 4500
	var raws []string
	for n := range rows {
		raws = append(raws, with(header(fmt.Sprintf("%05d", n), "a", 1), `,"colour":"red"`))
	}
	s.bring(s.bills, raws...)
	stream, learned := s.learned()
	counts := check.Sure(rebuild.Run(t.Context(), s.db, stream, rebuild.All, learned, nil))(s)
	check.FatalIf(t, counts != (rebuild.Counts{Rows: rows, Rewritten: rows}), "learned: %+v", counts)
	// No record carries a bill's weight, so a rebuild leaves it as it is.
	s.exec(`UPDATE store.bills SET weight = bill_id::integer`)
	const columns = `SELECT string_agg(concat_ws('|', bill_id, vendor_id, total, modified, colour, weight, _extra, _content_hash, _call_id, _raw_position,
		_payload_hash), E'\n' ORDER BY bill_id) FROM store.bills`
	before := ask[string](s.fixture, columns)
	s.exec(`UPDATE store.bills SET _content_hash = decode(md5(bill_id), 'hex') WHERE bill_id::integer % 10 > 0`)
	s.exec(`UPDATE store.bills SET total = 'edited' WHERE bill_id IN ('00020', '02020', '03001', '04020')`)
	counts = check.Sure(rebuild.Run(t.Context(), s.db, stream, rebuild.All, learned, nil))(s)
	check.ErrorIf(t, counts != (rebuild.Counts{Rows: rows, Rewritten: rows/10*9 + 3}), "where most hashes differ: %+v", counts)
	check.Same(t, "rebuilt", before, ask[string](s.fixture, columns))
	counts = check.Sure(rebuild.Run(t.Context(), s.db, stream, rebuild.All, learned, nil))(s)
	check.ErrorIf(t, counts != (rebuild.Counts{Rows: rows}), "again: %+v", counts)
}

// TestRebuildOfRowsThatLieScattered: each page holds keys from the whole table, and all pages
// together exceed what stays in memory. So raw records of several batches are read together. The
// table has no statistics, and yet each batch reads only its own rows, not all rows after them.
func TestRebuildOfRowsThatLieScattered(t *testing.T) {
	s := openStore(t)
	s.exec(`ALTER TABLE store.bills SET (autovacuum_enabled = off)`)
	const pages, perPage, rows = 45, 200, 45 * 200
	pad := strings.Repeat("p", 2000)
	for page := range pages {
		var raws []string
		for n := range perPage {
			id := fmt.Sprintf("%05d", n*pages+page)
			raws = append(raws, with(header(id, "of "+id, 1), `,"pad":"`+pad+`"`))
		}
		s.bring(s.bills, raws...)
	}
	const columns = `SELECT md5(string_agg(b::text, E'\n' ORDER BY bill_id)) FROM store.bills AS b`
	before := ask[string](s.fixture, columns)
	s.exec(`UPDATE store.bills SET total = 'edited' WHERE bill_id::integer % 1000 = 7`)
	// A session tells how much it read when it ends: those that brought the rows before the count
	// begins, that of the rebuild before it is taken.
	s.db.Pool().Reset()
	s.alone()
	db := check.Sure(warehouse.Open(t.Context(), s.url, warehouse.Options{}))(s)
	read := -s.indexRead()
	counts, err := rebuild.Run(t.Context(), db, s.bills, rebuild.All, s.as(s.bills), nil)
	db.Close()
	check.Must(s, err)
	check.ErrorIf(t, counts != (rebuild.Counts{Rows: rows, Rewritten: rows / 1000}), "%+v", counts)
	check.Same(t, "the rows are not what they were", before, ask[string](s.fixture, columns))
	s.alone()
	// The rebuild reads the table twice, and looks up edited rows.
	if read += s.indexRead(); read < 2*rows || read > 3*rows {
		t.Errorf("a rebuild of %d rows read %d entries of the index", rows, read)
	}
}

// TestRebuildLooksAtEverything: elements with another tombstone than their bill, and unknown keys
// that differ from the record's, are found without a write, and count as edited.
func TestRebuildLooksAtEverything(t *testing.T) {
	s := openStore(t)
	s.exec(`ALTER TABLE store.bills_lines ADD _deleted_at timestamptz`)
	const total = 300
	var headers, singles []string
	for n := range total {
		id := fmt.Sprintf("%05d", n)
		headers = append(headers, with(header(id, "of "+id, 1), `,"novel":`+id[4:]))
		singles = append(singles, singleBill(id, "single "+id, 1))
	}
	s.bring(s.bills, headers...)
	s.bring(s.details, singles[:total/2]...)
	look := func() rebuild.Counts {
		t.Helper()
		return check.Sure(rebuild.Plan(t.Context(), s.db, s.bills, rebuild.All, s.as(s.bills), nil))(s)
	}
	edited := 0
	for _, edit := range []string{
		`SELECT`,
		`UPDATE store.bills SET total = 'edited' WHERE bill_id = '00000'`,
		`UPDATE store.bills SET vendor_id = NULL WHERE bill_id = '00299'`,
		`UPDATE store.bills SET _extra = '{"novel": 7}' WHERE bill_id = '00298'`,
		`UPDATE store.bills SET _payload_hash = 7 WHERE bill_id = '00297'`,
		`UPDATE store.bills SET _content_hash = decode(md5('7'), 'hex') WHERE bill_id = '00296'`,
		`UPDATE store.bills SET _detail_hash = decode(md5('7'), 'hex') WHERE bill_id = '00001'`,
		`UPDATE store.bills_lines SET _deleted_at = now() WHERE _parent_id = '00002'`,
		`UPDATE store.bills_lines SET line = 'edited' WHERE _parent_id = '00003'`,
		`DELETE FROM store.bills_lines WHERE _parent_id = '00004'`,
	} {
		s.exec(edit)
		got := look()
		check.ErrorIf(t, got != (rebuild.Counts{Rows: total, Rewritten: edited}), "%s: %+v, want %d to be written", edit, got, edited)
		edited++
	}
}

// alone waits until all other sessions of the database have ended.
func (s *storeFixture) alone() {
	s.Helper()
	for ask[bool](s.fixture, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend')`) {
		check.Must(s, s.Context().Err())
	}
}

// indexRead returns how many entries of the key's index were read by sessions that have ended.
func (s *storeFixture) indexRead() int {
	s.Helper()
	return ask[int](s.fixture, `SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelid = 'store.bills_pkey'::regclass`)
}
