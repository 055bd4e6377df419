package rows_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema"
	"sluice/schema/record"
)

// bookings returns a resource whose list may carry headers only, and of whose rates history is
// kept.
func bookings() schema.Resource {
	return schema.Resource{
		Name: "bookings", ID: "booking_id", Cursor: schema.Since{Column: "edited"},
		Details: &schema.Details{Marker: "lines"}, History: []string{"rate", "from"},
		Columns: []schema.Column{
			schema.ID("booking_id", "Key."), schema.Text("total", "Total."), schema.Text("note", "Of the list only."),
			schema.Decimal("rate", "Rate."), schema.Date("from", "Since when."), schema.Time("edited", "Edited."),
		},
		Children: []schema.Child{
			{Name: "tags", Scalar: true, Columns: []schema.Column{schema.Text("tag", "Tag.")}},
			{Name: "lines", Columns: []schema.Column{schema.Text("line", "Line.")}},
		},
	}
}

func single(call int64, records ...record.Record) rows.Batch {
	b := batch(call, records...)
	b.Details = true
	return b
}

const lookDetails = `SELECT booking_id, total, note, (SELECT string_agg(line, ',' ORDER BY _position) FROM shop.bookings_lines l WHERE l._parent_id = booking_id),
 _detail_state, _call_id, _detail_call_id FROM shop.bookings ORDER BY 1`

// TestStatesOfDetails moves one row through every state by hand.
func TestStatesOfDetails(t *testing.T) {
	conn, res := parallel(t, "bookings")
	list := func(total, note string, more ...string) record.Record {
		carried := object{"booking_id": "1", "total": total, "note": note, "edited": day1}
		if len(more) > 0 {
			carried["lines"] = []object{{"line": more[0]}}
		}
		return recordOf(t, res, carried)
	}
	detail := func(total, edited string, lines ...object) record.Record {
		return recordOf(t, res, object{"booking_id": "1", "total": total, "edited": edited, "lines": lines})
	}
	for _, step := range []struct {
		what   string
		batch  rows.Batch
		result rows.Result
		want   string
	}{
		{"a header waits", batch(1, list("10", "a")), rows.Result{Inserted: 1, Owing: 1}, "1|10|a|∅|pending|1|∅"},
		{"again", batch(2, list("10", "a")), rows.Result{Unchanged: 1}, "1|10|a|∅|pending|1|∅"},
		{"another header", batch(3, list("11", "a")), rows.Result{Updated: 1, Owing: 1}, "1|11|a|∅|pending|3|∅"},
		{"its lines", single(4, detail("11", day1, object{"line": "x"}, object{"line": "y"})), rows.Result{Updated: 1}, "1|11|a|x,y|current|3|4"},
		{"the header once more", batch(5, list("11", "a")), rows.Result{Unchanged: 1}, "1|11|a|x,y|current|3|4"},
		{"its lines once more", single(6, detail("11", day1, object{"line": "x"}, object{"line": "y"})), rows.Result{Unchanged: 1}, "1|11|a|x,y|current|3|4"},
		{"a header never wipes lines", batch(7, list("12", "b")), rows.Result{Updated: 1, Owing: 1}, "1|12|b|x,y|stale|7|4"},
		{"a single record asked for before", single(6, detail("old", day1)), rows.Result{Superseded: 1}, "1|12|b|x,y|stale|7|4"},
		{"one modified before", single(8, detail("old", "2025-12-31 10:00:00+00")), rows.Result{Superseded: 1}, "1|12|b|x,y|stale|7|4"},
		{"no lines any more", single(9, detail("12", day1)), rows.Result{Updated: 1}, "1|12|b|∅|current|7|9"},
		{"a list with lines", batch(10, list("13", "c", "z")), rows.Result{Updated: 1}, "1|13|c|z|none_needed|10|9"},
		{"a header after it", batch(11, list("13", "d")), rows.Result{Updated: 1, Owing: 1}, "1|13|d|z|stale|11|9"},
		{"the last single record is true again", single(12, detail("12", day1)), rows.Result{Updated: 1}, "1|12|d|∅|current|11|12"},
		{"a list with lines that was asked for before", batch(11, list("13", "e", "z")), rows.Result{Updated: 1, Owing: 0}, "1|13|e|z|stale|11|12"},
	} {
		check.Same(t, step.what, step.result, load(t, conn, res, step.batch))
		check.Same(t, step.what, []string{step.want}, query(t, conn, lookDetails))
	}
	check.Same(t, "the bytes of both are kept", []string{"1|e|12|12"}, query(t, conn, `SELECT b.booking_id, l.records::json -> (_raw_position - l.first_position) ->> 'note',
 s.records::json -> (_detail_raw_position - s.first_position) ->> 'total', s.call_id FROM shop.bookings b
 JOIN sluice.raw_records l ON l.call_id = _call_id AND l.records LIKE '%"e"%' JOIN sluice.raw_records s ON s.call_id = _detail_call_id`))
}

func TestSingleRecords(t *testing.T) {
	conn, res := parallel(t, "bookings")
	one := recordOf(t, res, object{"booking_id": "1", "total": "5", "lines": []object{{"line": "x"}}})
	check.Same(t, "without a row", rows.Result{Inserted: 1}, load(t, conn, res, single(3, one)))
	check.Same(t, "row", []string{"1|5|∅|x|current|3|3"}, query(t, conn, lookDetails))
	check.Same(t, "both hashes and places are its own", []string{"t|t|t"}, query(t, conn,
		"SELECT _detail_hash = _content_hash, _detail_raw_position = _raw_position, _detail_at = _changed_at FROM shop.bookings"))

	execute(t, conn, "UPDATE shop.bookings SET _detail_state = 'failed', _detail_at = NULL")
	before := query(t, conn, "SELECT _changed_at, _detail_call_id, _content_hash FROM shop.bookings")
	check.Same(t, "equal to the last", rows.Result{Unchanged: 1}, load(t, conn, res, single(4, one)))
	check.Same(t, "only the state", []string{"current|t"}, query(t, conn, "SELECT _detail_state, _detail_at > now() - interval '1 minute' FROM shop.bookings"))
	check.Same(t, "only the state", before, query(t, conn, "SELECT _changed_at, _detail_call_id, _content_hash FROM shop.bookings"))

	load(t, conn, res, batch(5, recordOf(t, res, object{"booking_id": "1", "total": "6", "edited": day2})))
	load(t, conn, res, single(6, recordOf(t, res, object{"booking_id": "1", "total": "5", "edited": day1})))
	check.Same(t, "older than its row: it was tried", []string{"6|stale|t"}, query(t, conn,
		"SELECT total, _detail_state, _detail_at > _changed_at FROM shop.bookings"))
	late := single(7, recordOf(t, res, object{"booking_id": "1", "total": "5", "edited": day1}))
	late.RequestedAt = time.Now().Add(time.Hour)
	check.Same(t, "older for long: the list decides", rows.Result{Superseded: 1}, load(t, conn, res, late))

	err := pgx.BeginFunc(context.Background(), conn, func(tx pgx.Tx) error {
		_, _, err := rows.New(shop, resource(t, "orders")).LoadBisect(context.Background(), tx, single(8, stamped(t, "1", 1, 1)))
		return err
	})
	check.ErrorIf(t, !errors.Is(err, rows.ErrBatch), "a resource without details: %v, want ErrBatch", err)
}

// TestUpstreamGoesBackToWhatTheListShowed: a single record made a later version of the row. Then
// upstream was set back to the earlier version, and the list shows the same bytes as before.
func TestUpstreamGoesBackToWhatTheListShowed(t *testing.T) {
	conn, res := parallel(t, "bookings")
	l := rows.New(shop, res)
	before := recordOf(t, res, object{"booking_id": "1", "total": "5", "edited": day1})
	before.PayloadHash = 77
	later := recordOf(t, res, object{"booking_id": "1", "total": "6", "edited": day2, "lines": []object{{"line": "x"}}})
	known := func() bool {
		records := []record.Record{before}
		check.Must(t, l.Unchanged(context.Background(), conn, "org", records))
		return records[0].Unchanged
	}
	load(t, conn, res, batch(1, before))
	load(t, conn, res, single(2, recordOf(t, res, object{"booking_id": "1", "total": "5", "edited": day1, "lines": []object{{"line": "w"}}})))
	check.ErrorIf(t, !known(), "a single record of the same version hides what the list showed")
	load(t, conn, res, single(3, later))
	check.ErrorIf(t, known(), "what the list showed is known, and the row is of another version")
	check.Same(t, "soon after", rows.Result{Superseded: 1}, load(t, conn, res, batch(4, before)))
	back := batch(5, before)
	back.RequestedAt = time.Now().Add(time.Hour)
	check.Same(t, "long after", rows.Result{Updated: 1, Rollbacks: 1, Owing: 1}, load(t, conn, res, back))
	check.Same(t, "row", []string{"5|stale|t"}, query(t, conn, "SELECT total, _detail_state, _payload_hash IS NOT NULL FROM shop.bookings"))
	check.Same(t, "again", rows.Result{Unchanged: 1}, load(t, conn, res, batch(6, before)))
}

func TestHistoryKeepsEachChange(t *testing.T) {
	conn, res := parallel(t, "bookings")
	for call, carried := range []object{
		{"rate": "1.1", "from": "2026-01-01", "note": "a"},
		{"rate": "1.1", "from": "2026-01-01", "note": "b"}, // neither changed
		{"rate": "1.2", "from": "2026-01-01"},
		{"note": "c"}, // neither carried
		{"rate": "1.1", "from": "2026-01-01"},
		{"rate": nil},
	} {
		carried["booking_id"] = "1"
		other := recordOf(t, res, object{"booking_id": "2", "note": fmt.Sprint(call)})
		load(t, conn, res, batch(int64(call+1), recordOf(t, res, carried), other))
	}
	load(t, conn, res, single(9, recordOf(t, res, object{"booking_id": "1", "rate": "3"})))
	check.Same(t, "history", []string{"1|1.1|2026-01-01|1|t", "1|1.2|2026-01-01|3|t", "1|1.1|2026-01-01|5|t", "1|∅|2026-01-01|6|t", "1|3|2026-01-01|9|t"},
		query(t, conn, `SELECT booking_id, rate, "from", _call_id, _seen_at > now() - interval '1 minute' FROM shop.bookings_history ORDER BY booking_id, _call_id`))
}

func TestAnotherSchemaThanTheService(t *testing.T) {
	conn, res := parallel(t, "extras")
	version := func(say string) record.Record {
		return recordOf(t, res, object{"extra_id": "1", "say": say, "parts": []object{{"part": say}}})
	}
	check.Same(t, "first", rows.Result{Inserted: 1}, load(t, conn, res, batch(1, version("a"))))
	check.Same(t, "second", rows.Result{Updated: 1}, load(t, conn, res, batch(2, version("b"))))
	check.Same(t, "rows",
		[]string{"b|b"}, query(t, conn, "SELECT say, part FROM custom.extras JOIN custom.extras_parts ON _parent_id = extra_id"))
	check.Same(t, "archive", []string{"shop|extras", "shop|extras"}, query(t, conn, "SELECT service, resource FROM sluice.raw_records"))
}

func TestADeclaredKeyIsNotUnknownAnyMore(t *testing.T) {
	conn, res := parallel(t, "bookings")
	// The row keeps them from before the column note and the array tags were declared.
	load(t, conn, res, batch(1, recordOf(t, res, object{"booking_id": "1", "_extra": `{"note": "n", "tags": ["x"], "novel": 1}`})))
	again := batch(0, recordOf(t, res, object{"booking_id": "1", "note": "n", "tags": []object{{"tag": "x"}}, "_extra": `{"novel": 1}`}))
	again.Rewrite = true
	check.Same(t, "rewrite", rows.Result{Updated: 1}, load(t, conn, res, again))
	check.Same(t, "row", []string{`n|{"novel": 1}|x|1|0|pending`}, query(t, conn, `SELECT note, _extra, tag, _call_id, _raw_position, _detail_state FROM shop.bookings
 JOIN shop.bookings_tags ON _parent_id = booking_id`))
	again.Records = []record.Record{recordOf(t, res, object{"booking_id": "2"})}
	check.Same(t, "no row, nothing to rewrite", rows.Result{}, load(t, conn, res, again))
}

// shown is what upstream shows of a booking at one instant. Plain lists have no key that the single
// record lacks.
type shown struct {
	version, edited int
	lines, plain    bool
}

func (s shown) record(tb testing.TB, id string, detail bool) record.Record {
	tb.Helper()
	text := fmt.Sprint(s.version)
	carried := object{
		"booking_id": id, "total": text,
		"edited": time.Date(2026, 1, 1+s.edited, 0, 0, 0, 0, time.UTC).Format("2006-01-02 15:04:05+00"),
	}
	if !detail && !s.plain {
		carried["note"] = text
	}
	if s.lines || detail {
		carried["lines"] = []object{{"line": text}}
	}
	return recordOf(tb, resource(tb, "bookings"), carried)
}

// booking is the state of a row by the rules: the model with which the loader is compared.
type booking struct {
	edited               int
	total, note, lines   string
	list, detail         shown // of which the hashes are stored
	hasDetail            bool
	listCall, detailCall int64
	listIsDetail         bool
	unlisted             bool // a single record brought another version than the list's
	state                string
}

func (b *booking) takeList(s shown, call int64) *booking {
	text := fmt.Sprint(s.version)
	if b == nil {
		b = &booking{edited: s.edited, total: text, note: text, lines: "∅", list: s, listCall: call, state: "pending"}
		if s.plain {
			b.note = "∅"
		}
		if s.lines {
			b.lines, b.state = text, "none_needed"
		}
		return b
	}
	alike := s // such a list record carries what the single record does
	alike.lines, alike.plain = false, false
	if !b.listIsDetail && b.list == s || b.listIsDetail && s.plain && s.lines && b.list == alike || s.edited < b.edited || s.edited == b.edited && call < b.listCall {
		return b
	}
	last := b.list // of which a list record and a single record may carry the same
	last.lines, last.plain = false, false
	single := b.hasDetail && last == b.detail && (b.listIsDetail || b.list.lines && b.list.plain)
	known := (b.unlisted || single) && b.edited == s.edited && b.total == text && (s.plain || b.note == text)
	next := *b
	next.edited, next.total, next.list, next.listCall = s.edited, text, s, call
	next.listIsDetail, next.hasDetail, next.unlisted = false, false, false
	if !s.plain {
		next.note = text
	}
	if s.lines {
		next.lines = text
	}
	switch {
	case s.lines && call >= b.detailCall:
		next.state = "none_needed"
	case b.state == "current" && known && !s.lines:
	case b.state != "pending":
		next.state = "stale"
	}
	return &next
}

func (b *booking) takeDetail(s shown, call int64) *booking {
	text := fmt.Sprint(s.version)
	s.lines, s.plain = false, false // the same single record, whatever the list shows
	if b == nil {
		return &booking{
			edited: s.edited, total: text, note: "∅", lines: text, list: s, detail: s, hasDetail: true, listCall: call,
			detailCall: call, listIsDetail: true, state: "current",
		}
	}
	next := *b
	switch {
	case b.hasDetail && b.detail == s:
		next.state = "current"
	case s.edited < b.edited, s.edited == b.edited && call < max(b.listCall, b.detailCall):
	default:
		next.unlisted = b.unlisted || s.edited != b.edited
		next.edited, next.total, next.lines, next.state = s.edited, text, text, "current"
		next.detail, next.hasDetail, next.detailCall = s, true, call
	}
	return &next
}

func (b *booking) String() string {
	detailCall := "∅"
	if b.detailCall > 0 {
		detailCall = fmt.Sprint(b.detailCall)
	}
	return fmt.Sprintf("1|%s|%s|%s|%s|%d|%s", b.total, b.note, b.lines, b.state, b.listCall, detailCall)
}

// TestListsAndDetailsInAnyOrder edits a record while its list and its single record are asked for.
// Answers may come as late as two streams with a lock each allow. Every row is what the rules say,
// and at rest it is what upstream shows.
func TestListsAndDetailsInAnyOrder(t *testing.T) {
	conn, res := parallel(t, "bookings")
	var organizations atomic.Int64
	rapid.Check(t, func(r *rapid.T) {
		type answer struct {
			shown shown
			call  int64
		}
		var (
			organization   = fmt.Sprintf("org-%d", organizations.Add(1))
			upstream       = shown{plain: rapid.Bool().Draw(r, "plain lists")}
			lists, details []answer
			calls          int64
			row            *booking
		)
		send := func(a answer, detail bool) {
			b := rows.Batch{Organization: organization, Run: 1, Call: a.call, Details: detail, Records: []record.Record{a.shown.record(t, "1", detail)}}
			load(t, conn, res, b)
			before := row
			if detail {
				row = row.takeDetail(a.shown, a.call)
			} else {
				row = row.takeList(a.shown, a.call)
			}
			got := query(t, conn, `SELECT booking_id, total, note, (SELECT string_agg(line, ',') FROM shop.bookings_lines l
 WHERE l._parent_id = booking_id AND l.organization_id = b.organization_id), _detail_state, _call_id, _detail_call_id
 FROM shop.bookings b WHERE organization_id = $1`, organization)
			if len(got) != 1 || got[0] != row.String() {
				r.Fatalf("after %+v (details %t) on %v: want %v, got %v", a, detail, before, row, got)
			}
			if before != nil && !detail && !a.shown.lines && before.lines != row.lines {
				r.Fatalf("a header changed lines: %v to %v", before, row)
			}
		}
		ask := func() answer {
			calls++
			return answer{upstream, calls}
		}
		for range rapid.IntRange(1, 14).Draw(r, "steps") {
			switch rapid.SampledFrom([]string{"edit", "edit unseen", "list", "list with lines", "list comes", "detail", "detail comes"}).Draw(r, "step") {
			case "edit":
				upstream.version++
				upstream.edited++
			case "edit unseen": // within the same second
				upstream.version++
			case "list":
				upstream.lines = false
				lists = append(lists, ask())
			case "list with lines":
				upstream.lines = true
				lists = append(lists, ask())
			case "detail":
				details = append(details, ask())
			case "list comes":
				if len(lists) > 0 {
					send(lists[0], false)
					lists = lists[1:]
				}
			case "detail comes":
				if len(details) > 0 {
					send(details[0], true)
					details = details[1:]
				}
			}
		}
		// At rest: one list, and single records for as long as the row waits for one.
		upstream.lines = false
		send(ask(), false)
		if row.state == "pending" || row.state == "stale" {
			send(ask(), true)
		}
		now := fmt.Sprint(upstream.version)
		if row.total != now || row.note != now && !upstream.plain || row.lines != now || row.state != "current" {
			r.Fatalf("at rest upstream shows %+v, the row is %v", upstream, row)
		}
	})
}
