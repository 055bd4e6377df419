package record_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"sync"
	"testing"
	"time"
	_ "time/tzdata" // zones must not depend on the machine

	"pgregory.net/rapid"

	"sluice/schema"
	"sluice/schema/record"
)

// Records of one group hash the same; those of different groups never do.
func TestHashGroups(t *testing.T) {
	t.Parallel()
	groups := [][]string{
		{`{"order_id":"1"}`, `{ "order_id" : 1 }`, `{"total_formatted":"$1","order_id":"1"}`},
		{`{"order_id":"1","note":null}`},
		{`{"order_id":"1","note":""}`},
		{`{"order_id":"1","total":null}`, `{"order_id":"1","total":""}`, `{"order_id":"1","total":" "}`},
		{`{"order_id":"1","total":1000}`, `{"total":1000.00,"order_id":"1"}`, `{"order_id":"1","total":"1e3"}`},
		{`{"order_id":"1","total":1000.01}`},
		{`{"order_id":"1","changed":"2026-01-17T15:27:23+0530"}`, `{"order_id":"1","changed":"2026-01-17T09:57:23.000Z"}`,
			`{"order_id":"1","changed":1768643843000}`, `{"order_id":"1","changed":"1768643843000"}`},
		{`{"order_id":"1","line_items":[]}`, `{"order_id":"1","line_items":""}`, `{"order_id":"1","line_items":null}`},
		{`{"order_id":"1","billing_address":""}`},
		{`{"order_id":"1","line_items":[{}]}`},
		{`{"order_id":"1","line_items":[{},{}]}`},
		{`{"order_id":"1","line_items":[{"rate":1},{"rate":2}]}`},
		{`{"order_id":"1","line_items":[{"rate":2},{"rate":1}]}`},
		{`{"order_id":"1","line_items":[{"serial_numbers":["a"]},{}]}`},
		{`{"order_id":"1","line_items":[{},{"serial_numbers":["a"]}]}`},
		{`{"order_id":"1","x":{"a":1,"b":[2.0]}}`, `{"x":{"b":[2],"a":1.0},"order_id":"1"}`},
		{`{"order_id":"1","x":{"a":1}}`},
	}
	n := normalizer(t)
	seen := map[[16]byte]int{}
	for group, raws := range groups {
		for _, raw := range raws {
			record, err := n.Record([]byte(raw))
			fatalIf(t, err != nil, "%s: %v", raw, err)
			if other, ok := seen[record.Hash]; ok && other != group {
				t.Errorf("%s hashes like group %d", raw, other)
			} else if !ok && raw != raws[0] {
				t.Errorf("%s hashes unlike %s", raw, raws[0])
			}
			seen[record.Hash] = group
		}
	}
}

// Stored hashes must keep their meaning: the expected one is computed by xxhsum -H2 from a layout
// written by hand. A change of it rewrites every row of every warehouse.
func TestHashIsTheOneThatIsStored(t *testing.T) {
	t.Parallel()
	record := sure(normalizer(t).Record([]byte(`{"line_items":[{"rate":1.0},{"rate":""}],"total":"1000.00","x":[1],"order_id":1}`)))(t)
	if got, want := hex.EncodeToString(record.Hash[:]), "4ab1c985e6a5b39eed781f647f38139f"; got != want {
		t.Errorf("want %s, got %s", want, got)
	}
}

func TestDeclaringAnAbsentColumnChangesNoHash(t *testing.T) {
	t.Parallel()
	wider := order()
	wider.Columns = append(wider.Columns[:1:1], append([]schema.Column{schema.Text("later", "Declared later.")}, wider.Columns[1:]...)...)
	n := sure(record.New(wider, time.UTC))(t)
	raw := []byte(`{"order_id":"1","total":5,"line_items":[{"rate":1}]}`)
	before := sure(normalizer(t).Record(raw))(t)
	after := sure(n.Record(raw))(t)
	errorIf(t, before.Hash != after.Hash, "the hash moved although the record says the same")
}

func TestOneNormalizerServesManyGoroutines(t *testing.T) {
	t.Parallel()
	n := normalizer(t)
	raws := []string{
		`{"order_id":"1","note":"one","line_items":[{"rate":1}]}`,
		`{"order_id":"2","note":"two","x":1}`, `{"order_id":"3","note":5}`,
	}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 200 {
				raw := raws[(worker+i)%len(raws)]
				record, err := n.Record([]byte(raw))
				id := raw[13:14]
				errorIf(t, (err != nil) != (id == "3") || err == nil && record.ID != id, "%s became %q, %v", raw, record.ID, err)
			}
		})
	}
	group.Wait()
}

// TestAnotherEdition normalizes a record of an edition that adds dozens of keys, omits declared
// ones and uses undocumented values. docs/upstream.md U136 and U137.
func TestAnotherEdition(t *testing.T) {
	t.Parallel()
	n, err := record.New(&schema.Resource{
		Name: "accounts", ID: "account_id", Cursor: schema.FullScan{},
		Columns: []schema.Column{
			schema.ID("account_id", "Key."),
			schema.Text("account_type", "Kind.").OneOf("bank", "cash"),
			schema.Bool("include_in_vat_return", "An edition's own."),
		},
	}, time.UTC)
	must(t, err)
	wire := map[string]any{"account_id": "7", "account_type": "bitcoin_wallet"}
	const keys = 40
	for i := range keys {
		wire[fmt.Sprintf("edition_key_%02d", i)] = map[string]any{"rate": i, "codes": []string{"a", ""}}
	}
	raw := sure(json.Marshal(wire))(t)
	rec, err := n.Record(raw)
	must(t, err)
	row := rec.Tables[0][0].Values
	errorIf(t, row[1].Text != "bitcoin_wallet" || row[2].State != record.Absent,
		"values %+v, want the unlisted value kept and the missing key absent", row)
	var extra map[string]any
	err = json.Unmarshal([]byte(rec.Extra), &extra)
	errorIf(t, err != nil || len(extra) != keys, "%d unknown keys are kept, want %d (%v)", len(extra), keys, err)
	errorIf(t, len(rec.Drift) != keys+1, "%d kinds of drift, want one of each key and one of the value", len(rec.Drift))
}

func one(t rapid.TB, n *record.Normalizer, key, literal string) string {
	t.Helper()
	rec, err := n.Record([]byte(`{"order_id":"1","` + key + `":` + literal + `}`))
	fatalIf(t, err != nil, "%s: %v", literal, err)
	for _, value := range rec.Tables[0][0].Values[1:] {
		if value.State == record.Set {
			return value.Text
		}
	}
	t.Fatalf("%s: no value is set", literal)
	return ""
}

// A canonical decimal is the same number, to the last digit, in one spelling.
func TestDecimalIsExact(t *testing.T) {
	t.Parallel()
	n := normalizer(t)
	canonical := regexp.MustCompile(`^(0|-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?)$`)
	rapid.Check(t, func(t *rapid.T) {
		literal := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-2]?[0-9])?`).Draw(t, "literal")
		got := one(t, n, "total", literal)
		want, ok := new(big.Rat).SetString(literal)
		have, okHave := new(big.Rat).SetString(got)
		fatalIf(t, !ok || !okHave || want.Cmp(have) != 0, "%s became %s", literal, got)
		fatalIf(t, !canonical.MatchString(got) || got == "-0", "%s is not canonical", got)
		again := one(t, n, "total", `"`+got+`"`)
		fatalIf(t, again != got, "%s became %s the second time", got, again)
	})
}

func TestInstantsOfOneMomentShareOneText(t *testing.T) {
	t.Parallel()
	n := normalizer(t)
	rapid.Check(t, func(t *rapid.T) {
		micros := rapid.Int64Range(time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC).UnixMicro(),
			time.Date(9999, 12, 30, 0, 0, 0, 0, time.UTC).UnixMicro()).Draw(t, "micros")
		zone := time.FixedZone("", 60*rapid.IntRange(-15*60-59, 15*60+59).Draw(t, "minutes"))
		at := time.UnixMicro(micros).In(zone)
		if at.Year() < 1 || at.Year() > 9999 {
			t.Skip("the wall clock leaves the years that are written with four digits")
		}
		layout := rapid.SampledFrom([]string{"2006-01-02T15:04:05.000000-0700", "2006-01-02T15:04:05.999999999-07:00"}).Draw(t, "layout")
		got := one(t, n, "changed", `"`+at.Format(layout)+`"`)
		back, err := time.Parse("2006-01-02 15:04:05.999999-07", got)
		fatalIf(t, err != nil || !back.Equal(at), "%s became %s: %v", at, got, err)
	})
}

// Without an offset a wall time is in the organization's zone. The expected instant is the earliest
// with that wall time, found by checking every hour around, or the first instant after a gap.
func TestWallTimesOfZones(t *testing.T) {
	t.Parallel()
	zones := map[string]*time.Location{}
	names := []string{"Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kolkata", "Pacific/Apia"}
	for _, name := range names {
		zone := sure(time.LoadLocation(name))(t)
		zones[name] = zone
	}
	rapid.Check(t, func(t *rapid.T) {
		zone := zones[rapid.SampledFrom(names).Draw(t, "zone")]
		wall := time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Minute * time.Duration(rapid.IntRange(0, 12*365*24*60).Draw(t, "minute")))
		checkWall(t, zone, wall)
	})
}

// The oracle knows offsets are whole quarters of an hour between -12 and +14.
func oracle(zone *time.Location, wall time.Time) (time.Time, bool) {
	const layout = "2006-01-02 15:04:05"
	for quarters := 14 * 4; quarters >= -12*4; quarters-- {
		at := wall.Add(-time.Duration(quarters) * 15 * time.Minute)
		if at.In(zone).Format(layout) == wall.Format(layout) {
			return at, true
		}
	}
	return time.Time{}, false
}

func checkWall(t rapid.TB, zone *time.Location, wall time.Time) {
	t.Helper()
	n := sure(record.New(order(), zone))(t)
	got := one(t, n, "changed", `"`+wall.Format("2006-01-02T15:04:05")+`"`)
	want, shown := oracle(zone, wall)
	// In a gap the answer is that of the first wall time after it.
	for later := wall; !shown; {
		later = later.Add(time.Minute)
		want, shown = oracle(zone, later)
	}
	text := want.UTC().Format("2006-01-02 15:04:05-07")
	fatalIf(t, got != text, "%s in %s: want %s, got %s", wall, zone, text, got)
}

func TestFoldsAndGaps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, wire, want string }{
		{"Europe/Zurich", "2026-10-25T02:30:00", "2026-10-25 00:30:00+00"},
		{"Europe/Zurich", "2026-03-29T02:30:00", "2026-03-29 01:00:00+00"},
		{"Europe/Zurich", "2026-03-29T03:00:00", "2026-03-29 01:00:00+00"},
		{"America/New_York", "2026-11-01T01:30:00", "2026-11-01 05:30:00+00"},
		{"America/New_York", "2026-03-08T02:00:01", "2026-03-08 07:00:00+00"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04 03:00:00+00"},
		{"Pacific/Apia", "2011-12-30T12:00:00", "2011-12-30 10:00:00+00"},
		{"Asia/Kolkata", "2026-01-17", "2026-01-16 18:30:00+00"},
		{"Asia/Kolkata", "2026-01-17T15:27:23.120456789", "2026-01-17 09:57:23.120456+00"},
		{"Asia/Kolkata", "2026-01-17 15:27:23Z", "2026-01-17 15:27:23+00"},
	} {
		t.Run(c.zone+" "+c.wire, func(t *testing.T) {
			t.Parallel()
			zone := sure(time.LoadLocation(c.zone))(t)
			n := sure(record.New(order(), zone))(t)
			got := one(t, n, "changed", `"`+c.wire+`"`)
			errorIf(t, got != c.want, "want %s, got %s", c.want, got)
		})
	}
}
