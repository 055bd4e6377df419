package warehouse_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/retrace"
)

// retraced makes versions of bills from raw records.
func (s *storeFixture) retraced(stream pipeline.Stream) retrace.Counts {
	s.Helper()
	counts, err := s.db.RebuildHistory(s.Context(), stream, s.as(stream), nil)
	s.must(err)
	return counts
}

// TestVersionsOutOfRawRecords: history that is switched on late and retraced says what the table
// held at each instant, also where it was switched off for a while. The expected answers are
// written out here.
func TestVersionsOutOfRawRecords(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	s.load(s.of(s.claimOf(s.bills), header("0", "1", 1)))
	if _, err := s.db.RebuildHistory(t.Context(), s.bills, s.as(s.bills), nil); !errors.Is(err, warehouse.ErrAtWork) {
		t.Errorf("while a run is under way: %v", err)
	}
	s.must(s.db.Settle(t.Context(), s.claimOf(s.bills), pipeline.Settlement{State: pipeline.StateQueued}))
	if _, err := s.db.RebuildHistory(t.Context(), s.bills, s.as(s.bills), nil); !errors.Is(err, retrace.ErrNoHistory) {
		t.Error("versions are retraced although none are kept")
	}
	list, details := s.claimOf(s.bills), s.claimOf(s.details)
	steps := []struct {
		unit pipeline.Batch
		want string
	}{
		{s.of(list, bill("a", "10", 1, "x", "y"), header("b", "20", 1)), "0 1:, a 10: x y, b 20:"},
		{s.of(details, singleBill("b", "20", 1)), "0 1:, a 10: x y, b 20: 20"},
		{s.of(list, bill("a", "10", 1, "x", "z")), "0 1:, a 10: x z, b 20: 20"},
		// The header does not carry lines: they stay.
		{s.of(list, header("b", "21", 2), bill("c", "", 2)), "0 1:, a 10: x z, b 21: 20, c :"},
		{s.of(list, bill("b", "19", 1, "old")), "0 1:, a 10: x z, b 21: 20, c :"},
		{s.of(list, bill("a", "10", 3)), "0 1:, a 10:, b 21: 20, c :"},
		{s.of(list, bill("a", "11", 4, "w")), "0 1:, a 11: w, b 21: 20, c :"},
		{s.of(list, bill("c", "5", 4)), "0 1:, a 11: w, b 21: 20, c 5:"},
		{s.of(list, bill("a", "12", 5), header("b", "22", 5)), "0 1:, a 12:, b 22: 20, c 5:"},
	}
	instants := make([]time.Time, len(steps))
	for i, step := range steps {
		switch i {
		case 5:
			s.kept(true)
		case 6:
			s.kept(false)
		case 8:
			s.kept(true)
		}
		s.load(step.unit)
		instants[i] = s.instant()
	}
	end := s.of(list)
	end.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	s.load(end)
	for _, what := range []string{"retraced", "retraced once more"} {
		counts := s.retraced(s.bills)
		if counts.Rejected != 0 || counts.Raw != 12 || counts.Since.IsZero() || (counts.Versions == 0) != (what != "retraced") {
			t.Errorf("%s: %+v", what, counts)
		}
		for i, step := range steps {
			if got := s.asOf(instants[i], false); got != step.want {
				t.Errorf("%s, after step %d: %q, want %q", what, i, got, step.want)
			}
		}
		s.sound()
		for id, want := range map[string][]string{
			"a": {"seen 10 replaced", "seen 10 replaced", "seen 10 replaced", "seen 11 replaced", "seen 12"},
			"b": {"seen 20 replaced", "seen 20 replaced", "seen 21 replaced", "seen 22"},
			"c": {"seen  replaced", "seen 5"}, "0": {"seen 1"},
		} {
			if diff := cmp.Diff(want, s.versions(id)); diff != "" {
				t.Errorf("%s, versions of %s (-want +got):\n%s", what, id, diff)
			}
		}
	}
	if n := ask[int](s.fixture, `SELECT count(*) FROM sluice.calls`); n != 11 {
		t.Errorf("%d calls, want 11: none for versions", n)
	}
}

// TestVersionsLearnColumns: columns that the declaration got later, one of them of an array, are in
// earlier versions, too. Versions kept at the time, with their tombstones, stay as they are. A
// value written into a version by hand is replaced by that of the raw records.
func TestVersionsLearnColumns(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	s.kept(true)
	list := s.claimOf(s.bills)
	s.load(s.of(list, with(header("a", "1", 1), `,"colour":"red","lines":[{"line":"x","colour":"dark"}]`), bill("b", "1", 1), bill("c", "1", 1)))
	first := s.instant()
	s.load(s.of(list, with(header("a", "2", 2), `,"colour":"blue"`)))
	s.exec(`UPDATE store.bills SET _deleted_at = clock_timestamp() WHERE bill_id = 'c'`)
	s.exec(`SELECT history.write_versions($1, 'store', 'bills', '{c}')`, organization)
	second := s.instant()
	s.load(s.of(list, with(header("a", "3", 3), `,"colour":"grey"`)))
	end := s.of(list)
	end.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	s.load(end)
	const instants = `SELECT string_agg(concat_ws(' ', record_id, valid_from, valid_to, upstream_from, upstream_to, began, ended), E'\n' ORDER BY record_id, valid_from) FROM history.versions`
	before := ask[string](s.fixture, instants)
	stream, normalize := s.learned()
	counts, err := s.db.RebuildHistory(t.Context(), stream, normalize, nil)
	s.must(err)
	if diff := cmp.Diff(before, ask[string](s.fixture, instants)); diff != "" {
		t.Errorf("instants (-before +after):\n%s", diff)
	}
	if counts.Versions != 3 {
		t.Errorf("%d versions were written, want the three of a", counts.Versions)
	}
	for at, want := range map[time.Time]string{first: "a red dark, b  , c  ", second: "a blue dark, b  "} {
		got := ask[string](s.fixture, `SELECT string_agg(concat(b.bill_id, ' ', b.colour, ' ', l.colour), ', ' ORDER BY b.bill_id)
			FROM history.as_of(NULL::store.bills, $1) b LEFT JOIN history.as_of(NULL::store.bills_lines, $1) l ON l._parent_id = b.bill_id`, at)
		if got != want {
			t.Errorf("as of %s: %q, want %q", at, got, want)
		}
	}
	// The row is rebuilt separately: until then its version equals the old row.
	s.sound()
}

// TestDroppedRawRecordsSayNothing: if archives were dropped, the time before is unknown, and no
// version claims to cover it.
func TestDroppedRawRecordsSayNothing(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	list := s.claimOf(s.bills)
	s.load(s.of(list, bill("a", "1", 1, "x")))
	s.load(s.of(list, bill("b", "1", 1)))
	early := s.instant()
	s.load(s.of(list, bill("a", "2", 2, "y")))
	s.exec(`DELETE FROM sluice.raw_records WHERE records LIKE '%"2"%'`)
	dropped := s.instant()
	s.load(s.of(list, bill("a", "3", 3)))
	s.load(s.of(list, bill("c", "1", 4)))
	third := s.instant()
	s.load(s.of(list, bill("c", "2", 5)))
	s.kept(true)
	end := s.of(list)
	end.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	s.load(end)
	s.retraced(s.bills)
	s.sound()
	if got, want := s.asOf(third, false), "a 3:, b 1:, c 1:"; got != want {
		t.Errorf("behind what was dropped: %q, want %q", got, want)
	}
	for _, at := range []time.Time{early, dropped} {
		if _, err := s.db.Pool().Exec(t.Context(), `SELECT * FROM history.as_of(NULL::store.bills, $1)`, at); err == nil {
			t.Errorf("as of %s there is an answer, and archives from then were dropped", at)
		}
	}
	if diff := cmp.Diff([]string{"seen 3"}, s.versions("a")); diff != "" {
		t.Errorf("versions of a (-want +got):\n%s", diff)
	}
}

// TestVersionsAreKeptForATime: versions that ended before the limit are deleted, those valid at the
// limit stay, and no question is answered from incomplete versions. Of daily values, the last one
// before the limit stays.
func TestVersionsAreKeptForATime(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	setting := s.setting(true)
	setting.Daily = []string{"total"}
	s.must(s.db.EnableHistory(t.Context(), []warehouse.HistorySetting{setting}))
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
	s.must(s.db.PruneHistory(t.Context(), 20*24*time.Hour))
	if diff := cmp.Diff([]string{"seen 3 replaced", "seen 4"}, s.versions("a")); diff != "" {
		t.Errorf("versions of a (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a 40", "a 20", "a 5", "b 50"}, ask[[]string](s.fixture, `SELECT array_agg(concat_ws(' ', record_id, content->>'total') ORDER BY record_id, day) FROM history.days`)); diff != "" {
		t.Errorf("days (-want +got):\n%s", diff)
	}
	ago := func(days int) time.Time { return time.Now().Add(-time.Duration(days) * 24 * time.Hour) }
	if got, want := s.asOf(ago(14), false), "a 3: x"; got != want {
		t.Errorf("two weeks ago: %q, want %q", got, want)
	}
	if _, err := s.db.Pool().Exec(t.Context(), `SELECT * FROM history.as_of(NULL::store.bills, $1)`, ago(26)); err == nil {
		t.Error("there is an answer about an instant whose versions were dropped")
	}
	if _, err := s.db.Pool().Exec(t.Context(), `SELECT sluice.prune_history('1 day')`); err == nil {
		t.Error("versions are kept for a day, which is too short")
	}
	s.must(s.db.Settle(t.Context(), list, pipeline.Settlement{State: pipeline.StateQueued}))
	s.retraced(s.bills)
	if diff := cmp.Diff([]string{"seen 3 replaced", "seen 4"}, s.versions("a")); diff != "" {
		t.Errorf("versions of a after they were retraced (-want +got):\n%s", diff)
	}
}
