package warehouse_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/schema"
	"sluice/schema/record"
)

// ours are the columns that every record table has for the program itself.
const ours = `_extra jsonb, _content_hash bytea NOT NULL, _call_id bigint NOT NULL, _raw_position integer NOT NULL, _run_id bigint NOT NULL,
	_first_seen_at timestamptz NOT NULL, _changed_at timestamptz NOT NULL, _payload_hash bigint, _deleted_at timestamptz`

// store is a service with bills, whose lists carry headers, and persons, who are listed under the
// vendors of bills. Its tables are written by hand, as the layout demands.
const store = `
CREATE SCHEMA store;
CREATE OR REPLACE VIEW sluice.service_schemas AS SELECT name COLLATE "C" AS name FROM unnest('{accounting,billing,chat,custom,inventory,invoicing,store}'::text[]) AS name;
CREATE TABLE store.bills (
	organization_id text COLLATE "C" NOT NULL, bill_id text COLLATE "C" NOT NULL, vendor_id text COLLATE "C",
	total text CHECK (total <> 'poison'), modified timestamptz, ` + ours + `,
	_detail_state text NOT NULL DEFAULT 'none_needed', _detail_hash bytea, _detail_call_id bigint, _detail_raw_position integer,
	_detail_at timestamptz, PRIMARY KEY (organization_id, bill_id));
CREATE INDEX bills_details ON store.bills (organization_id, modified DESC) WHERE _detail_state IN ('pending', 'stale', 'failed');
CREATE TABLE store.bills_lines (
	organization_id text COLLATE "C" NOT NULL, _parent_id text COLLATE "C" NOT NULL, _position integer NOT NULL, line text,
	PRIMARY KEY (organization_id, _parent_id, _position));
CREATE TABLE store.customers (organization_id text NOT NULL, customer_id text);
CREATE SCHEMA custom;
CREATE TABLE custom.persons (
	organization_id text COLLATE "C" NOT NULL, person_key text COLLATE "C" NOT NULL, vendor_id text COLLATE "C", name text, ` + ours + `,
	PRIMARY KEY (organization_id, person_key))`

func storeService() *schema.Service {
	return &schema.Service{Name: "store", Resources: []schema.Resource{
		{
			Name: "bills", Path: "/bills", Key: "bills", ID: "bill_id", Cursor: schema.Since{Column: "modified", Param: "modified"},
			Details: &schema.Details{Marker: "lines"}, Single: &schema.Single{Path: "/bills/{id}", Key: "bill"},
			Columns: []schema.Column{
				schema.ID("bill_id", "Key."), schema.ID("vendor_id", "Sender."), schema.Text("total", "Total."), schema.Time("modified", "Modification."),
			},
			Children: []schema.Child{{Name: "lines", Columns: []schema.Column{schema.Text("line", "Line.")}}},
		},
		{
			Name: "persons", Schema: "custom", Path: "/vendors/{parent}/persons", Key: "persons", ID: "person_key",
			Cursor: schema.PerParent{
				Column: "vendor_id", Listed: schema.ListedContacts, List: schema.FullScan{},
				From: []schema.ParentColumn{
					{Schema: "store", Table: "bills", Column: "vendor_id"}, {Schema: "store", Table: "customers", Column: "customer_id"},
				},
			},
			Columns: []schema.Column{schema.ID("person_key", "Key."), schema.ID("vendor_id", "Vendor."), schema.Text("name", "Name.")},
		},
	}}
}

// storeFixture is a warehouse with the streams of the store.
type storeFixture struct {
	*fixture

	bills, details, persons pipeline.Stream
}

// openStore is open with the store.
func openStore(t *testing.T) *storeFixture {
	t.Helper()
	t.Parallel()
	url := warehousetest.MigratedWith(t, "store", store)
	service := storeService()
	s := &storeFixture{fixture: &fixture{T: t, url: url}}
	s.bills = pipeline.Stream{Organization: organization, Service: service, Resource: &service.Resources[0]}
	s.details, s.persons = s.bills, s.bills
	s.details.Work, s.persons.Resource = pipeline.WorkDetails, &service.Resources[1]
	s.stream, s.db = s.bills, s.another(warehouse.Options{})
	var settings []warehouse.StreamSetting
	for _, stream := range []pipeline.Stream{s.bills, s.details, s.persons} {
		settings = append(settings, warehouse.StreamSetting{Key: stream.Key(), Every: time.Hour, Enabled: true})
	}
	check.Must(s, s.db.RegisterStreams(t.Context(), settings))
	return s
}

func (s *storeFixture) claimOf(stream pipeline.Stream) pipeline.Claim {
	s.Helper()
	return check.Sure(s.db.Claim(s.Context(), stream, pipeline.ClassOf(stream)))(s)
}

// callFor reserves a call of a stream.
func (s *storeFixture) callFor(claim pipeline.Claim) int64 {
	s.Helper()
	decision := check.Sure(s.db.Reserve(s.Context(), pipeline.Call{
		Organization: organization, Service: "store", Resource: claim.Stream.Key().Resource, Run: claim.Run, Method: "GET", Path: "/x",
	}, pipeline.Limits{Shared: "suite"}))(s)
	return decision.Call
}

// of makes a batch of raw records.
func (s *storeFixture) of(claim pipeline.Claim, raws ...string) pipeline.Batch {
	s.Helper()
	normalizer := check.Sure(record.New(claim.Stream.Resource, time.UTC))(s)
	batch := pipeline.Batch{
		Claim: claim, Call: s.callFor(claim), Received: len(raws), Position: claim.Position, Details: claim.Stream.Work == pipeline.WorkDetails,
	}
	for _, raw := range raws {
		record := check.Sure(normalizer.Record([]byte(raw)))(s)
		batch.Records = append(batch.Records, record)
	}
	return batch
}

func header(id, total string, day int) string {
	return fmt.Sprintf(`{"bill_id":%q,"vendor_id":"v%s","total":%q,"modified":"2026-01-%02dT10:00:00Z"}`, id, id, total, day)
}

func singleBill(id, total string, day int) string {
	return fmt.Sprintf(`{"bill_id":%q,"total":%q,"modified":"2026-01-%02dT10:00:00Z","lines":[{"line":%q}]}`, id, total, day, total)
}

func (s *storeFixture) pending(limit int) ([]string, int) {
	s.Helper()
	ids, total, err := s.db.Pending(s.Context(), s.details, 0, limit)
	check.Must(s, err)
	return ids, total
}

func (s *storeFixture) wantPending(limit int, total int, ids ...string) {
	s.Helper()
	got, left := s.pending(limit)
	check.ErrorIf(s, cmp.Diff(ids, got) != "" && len(ids)+len(got) != 0 || left != total,
		"pending is %v of %d, want %v of %d", got, left, ids, total)
}

func (s *storeFixture) states() string {
	s.Helper()
	return ask[string](s.fixture, `SELECT string_agg(bill_id || ':' || _detail_state, ' ' ORDER BY bill_id) FROM store.bills`)
}

func TestDetailsAreReadNewestFirstAndOnce(t *testing.T) {
	s := openStore(t)
	list, details := s.claimOf(s.bills), s.claimOf(s.details)
	s.load(s.of(list, header("1", "a", 1), header("2", "b", 3), header("3", "c", 2), singleBill("4", "whole", 9)))
	s.wantPending(10, 3, "2", "3", "1")
	s.wantPending(2, 3, "2", "3")

	batch := s.of(details, singleBill("2", "b", 3))
	batch.Missing = []string{"3"}
	batch.Rejected = []pipeline.RejectedRecord{{Raw: []byte(`{"bill_id":"1"}`), ID: "1", Code: "wrong_type"}}
	check.Same(t, "loaded", pipeline.Loaded{Updated: 1}, s.load(batch))
	check.Same(t, "states", "1:failed 2:current 3:failed 4:none_needed", s.states())
	s.wantPending(10, 0)
	check.Same(t, "the unfit single record is in quarantine as", "bills1",
		ask[string](s.fixture, `SELECT resource || record_id FROM sluice.quarantine`))
	s.exec(`UPDATE store.bills SET _detail_at = now() - interval '25 hours' WHERE bill_id = '3'`)
	s.wantPending(10, 1, "3")

	// A changed header needs its single record again; an equal one does not.
	s.load(s.of(list, header("1", "a2", 1), header("2", "b", 3)))
	s.wantPending(10, 2, "1", "3")
	check.Same(t, "a header released the single record: it", "open", ask[string](s.fixture, `SELECT state FROM sluice.quarantine`))
	s.load(s.of(details, singleBill("1", "a2", 1)))
	check.Same(t, "a single record that fits left the entry", "retried", ask[string](s.fixture, `SELECT state FROM sluice.quarantine`))
}

func TestASingleRecordThatUpstreamServesLateIsNotAskedForAtOnce(t *testing.T) {
	s := openStore(t)
	list, details := s.claimOf(s.bills), s.claimOf(s.details)
	s.load(s.of(list, header("1", "new", 5)))
	s.load(s.of(details, singleBill("1", "old", 4)))
	got := s.states()
	check.ErrorIf(t, got != "1:pending", "state is %q: the record was older than its row", got)
	s.wantPending(10, 0)
	s.exec(`UPDATE store.bills SET _detail_at = _detail_at - interval '61 minutes', _changed_at = _changed_at - interval '2 hours'`)
	s.wantPending(10, 1, "1")
	s.load(s.of(details, singleBill("1", "old", 4)))
	s.load(s.of(list, header("1", "newer", 6)))
	s.wantPending(10, 1, "1")
}

// TestASingleRecordThatStaysOlderIsAskedForSeldom: if upstream's single record never becomes as new
// as its list says, each pause is as long as the row has waited already: an hour at least, a day at
// most.
func TestASingleRecordThatStaysOlderIsAskedForSeldom(t *testing.T) {
	s := openStore(t)
	list, details := s.claimOf(s.bills), s.claimOf(s.details)
	s.load(s.of(list, header("1", "new", 5)))
	var asked []int
	for hour := 1; hour <= 100; hour++ {
		if ids, _ := s.pending(10); len(ids) > 0 {
			asked = append(asked, hour)
			s.load(s.of(details, singleBill("1", "old", 4)))
		}
		// An hour passes; the extra minute is for the duration of the test itself.
		s.exec(`UPDATE store.bills SET _detail_at = _detail_at - interval '61 minutes', _changed_at = _changed_at - interval '1 hour'`)
	}
	check.Same(t, "hours in which it was asked for", []int{1, 2, 3, 5, 9, 17, 33, 57, 81}, asked)
	s.load(s.of(list, header("1", "newer", 6)))
	s.wantPending(10, 1, "1")
}

// TestWaitingGoesByTurns: rows that are asked for in vain again and again do not delay rows that
// are asked for seldom.
func TestWaitingGoesByTurns(t *testing.T) {
	s := openStore(t)
	s.load(s.of(s.claimOf(s.bills), header("1", "a", 4), header("2", "b", 3), header("3", "c", 1), header("4", "d", 2)))
	s.exec(`UPDATE store.bills SET _changed_at = _changed_at - interval '3 days'`)
	s.exec(`UPDATE store.bills SET _detail_at = now() - interval '61 minutes', _changed_at = now() - interval '90 minutes' WHERE bill_id = '1'`)
	s.exec(`UPDATE store.bills SET _detail_at = now() - interval '25 hours', _detail_state = 'failed' WHERE bill_id = '2'`)
	s.wantPending(10, 4, "4", "3", "2", "1")
	s.wantPending(3, 4, "4", "3", "2")
	s.exec(`UPDATE store.bills SET _detail_at = now() - interval '26 hours', _changed_at = now() - interval '27 hours' WHERE bill_id = '1'`)
	s.wantPending(10, 4, "4", "3", "1", "2")
}

func TestWhatTheDatabaseRefusesOfASingleRecordFails(t *testing.T) {
	s := openStore(t)
	list, details := s.claimOf(s.bills), s.claimOf(s.details)
	s.load(s.of(list, header("1", "a", 1), header("2", "b", 2)))
	batch := s.of(details, singleBill("1", "poison", 1), singleBill("2", "b", 2))
	check.Same(t, "loaded", pipeline.Loaded{Updated: 1, Rejected: 1}, s.load(batch))
	check.Same(t, "states", "1:failed 2:current", s.states())
}

func TestHeadersMakeTheirDetailsDue(t *testing.T) {
	s := openStore(t)
	list := s.claimOf(s.bills)
	due := func() bool {
		t.Helper()
		return ask[bool](s.fixture, `SELECT next_due_at <= clock_timestamp() FROM sluice.streams WHERE resource = 'bills.details'`)
	}
	later := func(more string) {
		t.Helper()
		s.exec(`UPDATE sluice.streams SET next_due_at = now() + interval '1 hour'` + more + ` WHERE resource = 'bills.details'`)
	}
	later("")
	s.load(s.of(list, singleBill("9", "whole", 1)))
	check.ErrorIf(t, due(), "a list record with lines leaves nothing to be read")
	s.load(s.of(list, header("1", "a", 1)))
	check.ErrorIf(t, !due(), "a header did not make the details due")
	later("")
	s.load(s.of(list, header("1", "a", 1)))
	check.ErrorIf(t, due(), "an equal header made the details due")
	later(", enabled = false")
	s.load(s.of(list, header("1", "b", 1)))
	check.ErrorIf(t, due(), "a disabled stream became due")
	later(", enabled = true, wait_until = now() + interval '1 hour'")
	s.load(s.of(list, header("1", "c", 1)))
	check.ErrorIf(t, due(), "a stream that waits for its budget became due")
	// A batch that fails undoes it.
	later(", wait_until = NULL")
	batch := s.of(list, header("1", "d", 1))
	batch.Complete = func(context.Context, pgx.Tx) error { return errBoom }
	check.FailsWith(t, check.Failure(s.db.Load(t.Context(), batch)), errBoom)
	check.ErrorIf(t, due(), "a unit that failed made the details due")
}

// TestListAndDetailsDoNotWaitForEachOther locks the details stream while its list loads. The
// details stream waits for rows of the list, so the list must not wait for the details stream.
func TestListAndDetailsDoNotWaitForEachOther(t *testing.T) {
	s := openStore(t)
	list, details := s.claimOf(s.bills), s.claimOf(s.details)
	s.load(s.of(list, header("1", "a", 1)))
	batch := s.of(details, singleBill("1", "a", 1))
	batch.Complete = func(context.Context, pgx.Tx) error {
		_, err := s.db.Load(t.Context(), s.of(list, header("2", "b", 1)))
		return err
	}
	s.load(batch)
	check.Same(t, "states", "1:current 2:pending", s.states())
}
