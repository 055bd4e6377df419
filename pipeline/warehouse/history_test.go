package warehouse_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/migrations"
	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/lineage/rebuild"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/verifications"
)

// kept switches the versions of bills on or off.
func (s *storeFixture) kept(on bool) {
	s.Helper()
	check.Must(s, s.db.EnableHistory(s.Context(), []warehouse.HistorySetting{s.setting(on)}))
}

func (s *storeFixture) setting(on bool) warehouse.HistorySetting {
	return warehouse.HistorySetting{
		List:     pipeline.Key{Organization: organization, Service: "store", Resource: "bills"},
		Versions: on, TimeZone: "UTC", Schema: "store", Key: "bill_id", Modified: "modified", Arrays: []string{"bills_lines"},
	}
}

// instant returns the present time, by the clock of versions.
func (s *storeFixture) instant() time.Time {
	s.Helper()
	return ask[time.Time](s.fixture, `SELECT clock_timestamp()`)
}

// asOf returns bills with their lines as they were, as "id total: line line".
func (s *storeFixture) asOf(at time.Time, byUpstream bool) string {
	s.Helper()
	return ask[string](s.fixture, `SELECT coalesce(string_agg(concat(b.bill_id, ' ', b.total, ':', (SELECT string_agg(' ' || l.line, '' ORDER BY l._position)
			FROM history.as_of(NULL::store.bills_lines, $1, by_upstream => $2) l WHERE (l.organization_id, l._parent_id) = (b.organization_id, b.bill_id))),
			', ' ORDER BY b.bill_id), '')
		FROM history.as_of(NULL::store.bills, $1, by_upstream => $2) b`, at, byUpstream)
}

// sound fails the test if a check about versions finds anything.
func (s *storeFixture) sound() {
	s.Helper()
	checks := check.Sure(verifications.New(s.db.Pool()).Checks(s.Context(), verifications.Scope{}))(s)
	seen := 0
	for _, check := range checks {
		if strings.HasPrefix(check.Name, "history_") {
			seen++
			for _, f := range check.Findings {
				s.Errorf("%s: %s: %s", f.Code, f.Record, f.Detail)
			}
		}
	}
	check.Same(s, "checks are about versions", 3, seen)
}

// versions returns the versions of a bill as "began total ended", oldest first.
func (s *storeFixture) versions(id string) []string {
	s.Helper()
	return ask[[]string](s.fixture, `SELECT array_agg(concat_ws(' ', began, record->>'total', ended) ORDER BY valid_from)
		FROM history.versions WHERE record_id = $1`, id)
}

func bill(id, total string, day int, lines ...string) string {
	elements := make([]string, len(lines))
	for i, line := range lines {
		elements[i] = fmt.Sprintf(`{"line":%q}`, line)
	}
	return strings.TrimSuffix(header(id, total, day), "}") + `,"lines":[` + strings.Join(elements, ",") + `]}`
}

// TestVersionsAreWhatTheTablesHeld loads, changes and loads again, and asks for each instant in
// between. The expected answers are written out here.
func TestVersionsAreWhatTheTablesHeld(t *testing.T) {
	s := openStore(t)
	s.kept(true)
	list, details := s.claimOf(s.bills), s.claimOf(s.details)
	steps := []struct {
		unit pipeline.Batch
		want string
	}{
		{s.of(list, bill("a", "10", 1, "x", "y"), header("b", "20", 1)), "a 10: x y, b 20:"},
		{s.of(details, singleBill("b", "20", 1)), "a 10: x y, b 20: 20"},
		// Only lines change, and the modification time does not.
		{s.of(list, bill("a", "10", 1, "x", "z")), "a 10: x z, b 20: 20"},
		// The header does not carry lines: they stay.
		{s.of(list, header("b", "21", 2), bill("c", "", 2)), "a 10: x z, b 21: 20, c :"},
		// An older version that comes late makes no version.
		{s.of(list, bill("b", "19", 1, "old")), "a 10: x z, b 21: 20, c :"},
		// The same record once more makes none either.
		{s.of(list, bill("a", "10", 1, "x", "z")), "a 10: x z, b 21: 20, c :"},
		// An array that is sent empty becomes empty.
		{s.of(list, bill("a", "10", 3)), "a 10:, b 21: 20, c :"},
	}
	instants := []time.Time{s.instant()}
	for _, step := range steps {
		s.load(step.unit)
		instants = append(instants, s.instant())
	}
	for i, step := range steps {
		check.Same(t, fmt.Sprintf("after step %d", i+1), step.want, s.asOf(instants[i+1], false))
	}
	check.Same(t, "before anything was loaded", "", s.asOf(instants[0], false))
	check.Same(t, "versions, want 7: three of a, three of b, one of c", 7, ask[int](s.fixture, `SELECT count(*) FROM history.versions`))
	// By upstream's time the single record of b completed its list record and changed nothing. The
	// lines of a did change, when they were loaded.
	for _, c := range []struct {
		day  int
		want string
	}{{1, ""}, {2, "a 10: x y, b 20: 20"}, {3, "a 10: x y, b 21: 20, c :"}} {
		s.exec(`UPDATE history.periods SET asked_at = '2026-01-01', began_at = '2026-01-01'`)
		check.Same(t, fmt.Sprintf("upstream at the beginning of day %d", c.day),
			c.want, s.asOf(time.Date(2026, 1, c.day, 0, 0, 0, 0, time.UTC), true))
	}
	s.sound()
}

// TestTheTableIsItsOwnVersion compares the rows, column by column, with their present versions, and
// one bill's versions with an earlier copy.
func TestTheTableIsItsOwnVersion(t *testing.T) {
	s := openStore(t)
	s.kept(true)
	s.load(s.of(s.claimOf(s.bills), bill("a", "1", 1, "x"), strings.TrimSuffix(bill("b", "", 2, `"quoted"`, "ü"), "}")+`,"novel":{"deep":[1.50,null]}}`))
	s.exec(`CREATE TABLE store.was AS SELECT * FROM store.bills; CREATE TABLE store.were AS SELECT * FROM store.bills_lines`)
	at := s.instant()
	const differ = `SELECT count(*) FROM ((TABLE %[1]s EXCEPT SELECT * FROM history.%[2]s_as_of($1)) UNION ALL (SELECT * FROM history.%[2]s_as_of($1) EXCEPT TABLE %[1]s)) AS d`
	check.Must(s, migrations.Migrate(t.Context(), s.url, migrations.Options{})) // the functions of the table whose versions are kept
	for _, zone := range []string{"UTC", "Asia/Kolkata"} {
		check.Must(s, pgx.BeginFunc(t.Context(), s.db.Pool(), func(tx pgx.Tx) error {
			check.Must(s, check.Failure(tx.Exec(t.Context(), `SELECT set_config('timezone', $1, true)`, zone)))
			for table, reader := range map[string]string{"store.bills": "store_bills", "store.bills_lines": "store_bills_lines", "store.was": "store_bills", "store.were": "store_bills_lines"} {
				var n int
				check.Must(s, tx.QueryRow(t.Context(), fmt.Sprintf(differ, table, reader), at).Scan(&n))
				check.Same(t, fmt.Sprintf("%s in zone %s: rows are other ones", table, zone), 0, n)
			}
			// A session in another zone sees no difference, and writes no version where nothing
			// changed.
			_, err := tx.Exec(t.Context(), `SELECT history.write_versions($1, 'store', 'bills', '{a,b}')`, organization)
			return err
		}))
	}
	s.sound()
	s.load(s.of(s.claimOf(s.bills), bill("a", "2", 3, "y"), bill("b", "2", 3)))
	for table, reader := range map[string]string{"store.was": "store_bills", "store.were": "store_bills_lines"} {
		check.Same(t, table+": rows are other ones after they changed", 0, ask[int](s.fixture, fmt.Sprintf(differ, table, reader), at))
	}
	check.Same(t, "versions", 4, ask[int](s.fixture, `SELECT count(*) FROM history.versions`))
	check.Same(t, "rows of one bill", 1, ask[int](s.fixture, `SELECT count(*) FROM history.store_bills_as_of($1, $2, 'a')`, at, organization))
	check.Same(t, "raw records are found", 2,
		ask[int](s.fixture, `SELECT count(*) FROM store.bills b, sluice.raw_record(b._call_id, b._raw_position) r WHERE r IS NOT NULL`))
}

// TestATombstoneEndsAVersion: the tombstone ends it, and the next sighting begins another.
func TestATombstoneEndsAVersion(t *testing.T) {
	rules := pipeline.DefaultTombstoneRules()
	rules.Apart = 0
	l := openList(t, rules)
	check.Must(l, l.db.EnableHistory(t.Context(), []warehouse.HistorySetting{{
		List: pipeline.Key{Organization: organization, Service: "shop", Resource: "things"}, Versions: true, TimeZone: "UTC",
		Schema: "shop", Key: "thing_id", Modified: "modified", Arrays: []string{},
	}}))
	s := &storeFixture{fixture: l.fixture}
	l.read(1, 2)
	there := s.instant()
	l.scan(1)
	l.scan(1)
	l.expect("after two scans", []string{"2 deleted"}, []string{"2"})
	gone := s.instant()
	l.read(1) // reading the remaining record is no sighting of the other
	s.sound()
	l.read(2)
	back := s.instant()
	l.expect("after it was seen again", []string{"2 restored"}, []string{})
	for at, want := range map[time.Time]string{there: "1 2", gone: "1", back: "1 2"} {
		got := ask[string](l.fixture, `SELECT string_agg(thing_id, ' ' ORDER BY thing_id) FROM history.as_of(NULL::shop.things, $1)`, at)
		check.Same(t, fmt.Sprintf("as of %s", at), want, got)
	}
	want := []string{"seen deleted", "restored"}
	check.Same(t, "versions", want, ask[[]string](l.fixture, `SELECT array_agg(concat_ws(' ', began, ended) ORDER BY valid_from) FROM history.versions WHERE record_id = '2'`))
	s.sound()
}

// TestSwitchingOnAndOff: existing rows become the first version, and answers report the time
// without versions as a gap.
func TestSwitchingOnAndOff(t *testing.T) {
	s := openStore(t)
	list := s.claimOf(s.bills)
	s.load(s.of(list, bill("a", "1", 1, "x"), bill("b", "1", 1), bill("c", "1", 1)))
	before := s.instant()
	fails := func(at time.Time, says string) {
		t.Helper()
		_, err := s.db.Pool().Exec(t.Context(), `SELECT * FROM history.as_of(NULL::store.bills, $1)`, at)
		check.ErrorIf(t, err == nil || !strings.Contains(err.Error(), says), "as of %s: %v, want %q", at, err, says)
	}
	fails(before, "versions of store.bills were never kept")
	s.kept(true)
	s.kept(true) // changes nothing
	on := s.instant()
	fails(before, "versions of store.bills were not kept at")
	s.sound()
	s.load(s.of(list, bill("a", "2", 2, "y")))
	second := s.instant()
	s.kept(false)
	off := s.instant()
	s.load(s.of(list, bill("a", "3", 3, "z"), bill("b", "3", 3)))
	s.exec(`DELETE FROM store.bills WHERE bill_id = 'c'`)
	s.kept(true)
	again := s.instant()
	s.sound()
	fails(off, "were not kept at")
	for at, want := range map[time.Time]string{on: "a 1: x, b 1:, c 1:", second: "a 2: y, b 1:, c 1:", again: "a 3: z, b 3:"} {
		check.Same(t, fmt.Sprintf("as of %s", at), want, s.asOf(at, false))
	}
	for id, want := range map[string][]string{"a": {"present 1 replaced", "seen 2 replaced", "present 3"}, "c": {"present 1 deleted"}} {
		check.Same(t, "versions of "+id, want, s.versions(id))
	}
	// A resource that the configuration no longer has is switched off.
	other := s.setting(true)
	other.List.Resource = "persons"
	other.Versions = false
	check.Must(s, s.db.EnableHistory(t.Context(), []warehouse.HistorySetting{other}))
	check.Same(t, "periods are open", 0, ask[int](s.fixture, `SELECT count(*) FROM history.periods WHERE ended_at IS NULL`))
	check.ErrorIf(t, ask[bool](s.fixture, `SELECT bool_or(history) FROM sluice.streams`), "a stream still keeps versions")
}

// TestValuesByDay: each day on which the values changed, in the organization's zone, makes a row;
// other columns make none.
func TestValuesByDay(t *testing.T) {
	s := openStore(t)
	list := s.claimOf(s.bills)
	s.load(s.of(list, bill("a", "1", 1, "x"), bill("b", "1", 1)))
	setting := s.setting(false)
	// A zone in which it is another day than in UTC, and midnight is at least an hour away.
	zone := "Etc/GMT-13"
	if s.instant().UTC().Hour() < 11 {
		zone = "Etc/GMT+12"
	}
	setting.Daily, setting.TimeZone = []string{"total", "bills_lines"}, zone
	check.Must(s, s.db.EnableHistory(t.Context(), []warehouse.HistorySetting{setting}))
	// yesterday moves the existing days back by one.
	yesterday := func() { s.exec(`UPDATE history.days SET day = day - 1`) }
	days := func(id string) []string {
		return ask[[]string](s.fixture, `SELECT array_agg((day - (clock_timestamp() AT TIME ZONE $2)::date) || ' ' || coalesce(content::text, 'deleted') ORDER BY day)
			FROM history.days WHERE record_id = $1`, id, zone)
	}
	sameDays := func(id string, want ...string) {
		t.Helper()
		check.Same(t, "days of "+id, want, days(id))
	}
	one, none := `0 {"total": "1", "bills_lines": [{"line": "x", "_position": 0}]}`, `0 {"total": "1"}`
	sameDays("a", one)
	sameDays("b", none)
	yesterday()
	s.load(s.of(list, bill("a", "2", 1, "x"), strings.Replace(bill("b", "1", 1), "vb", "other", 1)))
	s.load(s.of(list, bill("a", "3", 1, "y")))
	sameDays("a", "-1"+one[1:], `0 {"total": "3", "bills_lines": [{"line": "y", "_position": 0}]}`)
	sameDays("b", "-1"+none[1:])
	for ago, want := range map[int]string{0: "a 3 y, b 1 ", 1: "a 1 x, b 1 ", 2: ""} {
		got := ask[string](s.fixture, `SELECT coalesce(string_agg(concat(b.bill_id, ' ', b.total, ' ', l.line), ', ' ORDER BY b.bill_id), '')
			FROM (SELECT (clock_timestamp() AT TIME ZONE $2)::date - $1::int AS day) AS d
			CROSS JOIN LATERAL history.on_day(NULL::store.bills, d.day) AS b
			LEFT JOIN LATERAL history.on_day(NULL::store.bills_lines, d.day) AS l ON l._parent_id = b.bill_id`, ago, zone)
		check.Same(t, fmt.Sprintf("%d days ago", ago), want, got)
	}
	yesterday()
	s.exec(`UPDATE store.bills SET _deleted_at = now() WHERE bill_id = 'a'; SELECT history.write_versions('` + organization + `', 'store', 'bills', '{a,b}')`)
	sameDays("a", "-2"+one[1:], `-1 {"total": "3", "bills_lines": [{"line": "y", "_position": 0}]}`, "0 deleted")
	check.Same(t, "versions, and none are asked for", 0, ask[int](s.fixture, `SELECT count(*) FROM history.versions`))
	_, err := s.db.Pool().Exec(t.Context(), `SELECT * FROM history.as_of(NULL::store.bills, now())`)
	check.ErrorIf(t, err == nil || !strings.Contains(err.Error(), "never kept"), "as of now: %v", err)
	s.sound()
}

// TestSwitchingOnUnderWriters switches on while batches are under way, by several processes at
// once: each row has exactly one version.
func TestSwitchingOnUnderWriters(t *testing.T) {
	s := openStore(t)
	list := s.claimOf(s.bills)
	raws := make([]string, 1500) // more than one transaction fills
	for i := range raws {
		raws[i] = bill(fmt.Sprintf("%04d", i), "1", 1, "x")
	}
	s.load(s.of(list, raws...))
	batches := make([]pipeline.Batch, 12)
	for i := range batches {
		batches[i] = s.of(list, bill("0000", fmt.Sprint(i), 2+i, "y"), bill("1400", fmt.Sprint(i), 2+i), bill(fmt.Sprintf("new%d", i), "1", 1))
	}
	var writers sync.WaitGroup
	began := make(chan struct{})
	writers.Go(func() {
		for i, batch := range batches {
			_, err := s.db.Load(t.Context(), batch)
			check.ErrorIf(t, err != nil, "unit %d: %v", i, err)
			if i == 0 {
				close(began)
			}
		}
	})
	for range 3 {
		db := s.another(warehouse.Options{})
		writers.Go(func() {
			<-began
			err := db.EnableHistory(t.Context(), []warehouse.HistorySetting{s.setting(true)})
			check.ErrorIf(t, err != nil, "switching on: %v", err)
		})
	}
	writers.Wait()
	s.sound()
	check.Same(t, "versions are open",
		1500+len(batches), ask[int](s.fixture, `SELECT count(*) FROM history.versions WHERE valid_to = 'infinity'`))
	check.Same(t, "periods", 1, ask[int](s.fixture, `SELECT count(*) FROM history.periods WHERE began_at IS NOT NULL`))
}

// TestAStreamThatIsMadeLaterKeepsVersions: a backfill's stream is an example.
func TestAStreamThatIsMadeLaterKeepsVersions(t *testing.T) {
	s := openStore(t)
	s.kept(true)
	sweep := s.bills
	sweep.Work = pipeline.WorkSweep
	check.Must(s, s.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{
		{Key: s.bills.Key(), Every: time.Hour, Enabled: true}, {Key: sweep.Key(), Every: time.Hour, Enabled: true},
	}))
	s.load(s.of(s.claimOf(sweep), bill("a", "1", 1, "x")))
	s.sound()
	check.Same(t, "versions", []string{"seen 1"}, s.versions("a"))
}

// TestARewriteMakesVersions: rows for which the declaration now has more columns are rewritten
// without a call, and have a new version. Rows for which nothing changed keep their old version.
func TestARewriteMakesVersions(t *testing.T) {
	s := openStore(t)
	s.kept(true)
	list := s.claimOf(s.bills)
	s.load(s.of(list, with(bill("a", "1", 1, "x"), `,"colour":"red"`), bill("b", "1", 1)))
	end := s.of(list)
	end.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	s.load(end)
	stream, normalize := s.learned()
	s.sound() // one more column makes no version
	check.Must(t, check.Failure(rebuild.Run(t.Context(), s.db, stream, rebuild.All, normalize, nil)))
	s.sound()
	for id, want := range map[string][]string{"a": {"seen 1 replaced", "seen 1"}, "b": {"seen 1"}} {
		check.Same(t, "versions of "+id, want, s.versions(id))
	}
	if got := ask[string](s.fixture, `SELECT string_agg(concat(bill_id, ' ', colour), ', ' ORDER BY bill_id) FROM history.as_of(NULL::store.bills, now())`); got != "a red, b " {
		t.Errorf("as of now: %q", got)
	}
}

// TestVersionsAreKeptForATime: versions that ended before the limit are deleted, those valid at the
// limit stay, and no question is answered from incomplete versions. Of daily values, the last one
// before the limit stays.
func TestVersionsAreKeptForATime(t *testing.T) {
	s := openStore(t)
	setting := s.setting(true)
	setting.Daily = []string{"total"}
	check.Must(s, s.db.EnableHistory(t.Context(), []warehouse.HistorySetting{setting}))
	list := s.claimOf(s.bills)
	s.load(s.of(list, bill("a", "1", 1, "x"), bill("b", "1", 1)))
	for i, total := range []string{"2", "3", "4"} {
		s.load(s.of(list, bill("a", total, 2+i, "x")))
	}
	// Versions are ten days apart, and the last one began twelve days ago. Daily values likewise.
	s.exec(`UPDATE history.versions v SET valid_from = now() - make_interval(days => 12 + 10 * (c.n - 1)::int), valid_to = CASE WHEN c.n = 1 THEN 'infinity' ELSE now() - make_interval(days => 12 + 10 * (c.n - 2)::int) END
		FROM (SELECT ctid AS place, row_number() OVER (PARTITION BY record_id ORDER BY valid_from DESC) AS n FROM history.versions) AS c WHERE v.ctid = c.place`)
	s.exec(`UPDATE history.periods SET asked_at = now() - interval '60 days', began_at = now() - interval '60 days'`)
	s.exec(`DELETE FROM history.days`)
	s.exec(`INSERT INTO history.days SELECT $1, 'store', 'bills', r, (now() AT TIME ZONE 'UTC')::date - d, jsonb_build_object('total', d::text), now()
		FROM (VALUES ('a', 50), ('a', 40), ('a', 20), ('a', 5), ('b', 50)) AS x (r, d)`, organization)
	check.Must(s, s.db.PruneHistory(t.Context(), 20*24*time.Hour))
	check.Same(t, "versions of a", []string{"seen 3 replaced", "seen 4"}, s.versions("a"))
	check.Same(t, "days", []string{"a 40", "a 20", "a 5", "b 50"}, ask[[]string](s.fixture, `SELECT array_agg(concat_ws(' ', record_id, content->>'total') ORDER BY record_id, day) FROM history.days`))
	ago := func(days int) time.Time { return time.Now().Add(-time.Duration(days) * 24 * time.Hour) }
	check.Same(t, "two weeks ago", "a 3: x", s.asOf(ago(14), false))
	check.ErrorIf(t, check.Failure(s.db.Pool().Exec(t.Context(), `SELECT * FROM history.as_of(NULL::store.bills, $1)`, ago(26))) == nil,
		"there is an answer about an instant whose versions were dropped")
	check.ErrorIf(t, check.Failure(s.db.Pool().Exec(t.Context(), `SELECT sluice.prune_history('1 day')`)) == nil,
		"versions are kept for a day, which is too short")
}
