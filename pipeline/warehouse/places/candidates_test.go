package places_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/places"
	"sluice/pipeline/warehouse/warehousetest"
)

// The column c of type T is filled with SQL expressions. Rows are those in which the text stands.
var columns = []struct {
	typ    string
	values []string
	needle string
	rows   []int
}{
	{"text", []string{`'Frau Müller'`, `'FRAU MÜLLER'`, `'Muller'`, `NULL`, `'{"a":"M\u00fcller"}'`, `'M%ller'`}, "Müller", []int{0, 1, 4}},
	{"text", []string{`'50%_ off'`, `'500 off'`}, "50%_", []int{0}},
	{"varchar", []string{`'a\b'`, `'ab'`}, `A\B`, []int{0}},
	{"name", []string{`'anna'`, `'ann'`}, "ANNA", []int{0}},
	{"json", []string{`'{"a":"\u0061nna"}'`, `'{"anna":1}'`, `'{"a":"ann","b":"a"}'`}, "Anna", []int{0, 1}},
	{"jsonb", []string{`'{"a":"\u0041nna"}'`, `'{"ANNA":1}'`, `'{"a":{"b":["say anna"]}}'`, `'{"a":null}'`}, "anna", []int{0, 1, 2}},
	{"jsonb", []string{`'{"a":"say \"hi\""}'`, `'["hi"]'`}, `say "hi"`, []int{0}},
	{"jsonb", []string{`'["two\nlines"]'`, `'["two","lines"]'`}, "two\nlines", []int{0}},
	{"jsonb", []string{`'["two","lines"]'`, `'[null]'`}, `", "`, nil},
	{"jsonb", []string{`'[null,"nul"]'`, `'["null"]'`}, `null`, []int{1}},
	{"bytea", []string{`convert_to('Frau Müller', 'UTF8')`, `convert_to('{"a":"M\u00DCLLER"}', 'UTF8')`, `'\x00ff'`}, "müller", []int{0, 1}},
	{"bytea", []string{`convert_to('{"a":"https:\/\/a.example"}', 'UTF8')`}, "https://a.example", []int{0}},
	{"bytea", []string{`convert_to('cut off: {"a":"anna', 'UTF8')`, `'\xfe' || convert_to('ANNA', 'UTF8')`}, "anna", []int{0, 1}},
	{"text[]", []string{`ARRAY['x', 'say "Anna"']`, `ARRAY['an', 'na']`, `'{}'`, `ARRAY['a\b', 'anna']`}, "anna", []int{0, 3}},
	{"text[]", []string{`ARRAY['x', 'say "Anna"']`, `ARRAY['say', 'Anna']`}, `say "anna"`, []int{0}},
	{"jsonb[]", []string{`ARRAY['{"a":"\u0041nna"}'::jsonb]`, `ARRAY['{"a":"say \"anna\""}'::jsonb]`, `ARRAY['1'::jsonb]`}, "anna", []int{0, 1}},
	{"xml", []string{`'<a>Anna</a>'::xml`, `'<a/>'::xml`}, "anna", []int{0}},
}

// What Postgres selects and Holds confirms is what the text stands in, whatever the type.
func TestCandidatesOfEachType(t *testing.T) {
	t.Parallel()
	conn := warehousetest.Connect(t, warehousetest.New(t))
	for i, c := range columns {
		table := fmt.Sprintf("table_%d", i)
		sql := fmt.Sprintf("CREATE TABLE public.%s (row integer, other text DEFAULT 'other', c %s)", table, c.typ)
		for row, value := range c.values {
			sql += fmt.Sprintf("; INSERT INTO public.%s (row, c) VALUES (%d, %s)", table, row, value)
		}
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", c.typ, err)
		}
		column := places.Column{Name: "c", Type: strings.ReplaceAll("_"+c.typ, "[]", "")}
		if !strings.HasSuffix(c.typ, "[]") {
			column.Type = c.typ
		}
		if !slices.Contains(places.Types(), column.Type) {
			t.Errorf("%s is not searched", column.Type)
		}
		for _, among := range [][]places.Column{{column}, {{Name: "other", Type: "text"}, column}} {
			got := held(t, conn, "public."+table, c.needle, among, column)
			if diff := cmp.Diff(c.rows, got); diff != "" {
				t.Errorf("%s, %q among %d columns (-want +got):\n%s", c.typ, c.needle, len(among), diff)
			}
		}
	}
}

// held returns the rows that are candidates and hold the text.
func held(t *testing.T, conn *pgx.Conn, table, text string, among []places.Column, column places.Column) []int {
	t.Helper()
	n := needle(t, text)
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if err := n.Load(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SET TRANSACTION READ ONLY"); err != nil {
		t.Fatal(err)
	}
	rows, err := tx.Query(t.Context(), fmt.Sprintf("SELECT row, %s FROM %s WHERE %s ORDER BY row", column.Value(), table, places.Candidates(among)))
	if err != nil {
		t.Fatal(err)
	}
	var found []int
	var row int
	var value []byte
	if _, err := pgx.ForEachRow(rows, []any{&row, &value}, func() error {
		if column.Holds(n, value) {
			found = append(found, row)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

// Rows without the text and without escapes of JSON are no candidates.
func TestFewCandidates(t *testing.T) {
	t.Parallel()
	conn := warehousetest.Connect(t, warehousetest.New(t))
	if _, err := conn.Exec(t.Context(), `CREATE TABLE public.notes AS SELECT g AS row, 'Line one' || chr(10) || 'and "two" of ' || g AS c,
		sha256(g::text::bytea) AS hash FROM generate_series(1, 10000) g`); err != nil {
		t.Fatal(err)
	}
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if err := needle(t, "müller@example.com").Load(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	var count int
	err = tx.QueryRow(t.Context(), "SELECT count(*) FROM public.notes WHERE "+
		places.Candidates([]places.Column{{Name: "c", Type: "text"}, {Name: "hash", Type: "bytea"}})).Scan(&count)
	if err != nil || count > 50 { // some hashes have the two bytes of \u
		t.Errorf("%d candidates: %v", count, err)
	}
}

// No row that holds a text is left out by Postgres, whatever stands in it: values and needles are
// made of all that has a meaning for patterns, escapes, arrays or spellings.
func TestNoPlaceIsLeftOut(t *testing.T) {
	t.Parallel()
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	pieces := []string{"a", "A", "é", "É", "e\u0301", "ß", "İ", `"`, `\`, "/", "u", "%", "_", "\n", "\t", ",", "{", "}", "1", " ", "日", `\u0061`, `\/`, `\"`}
	text := func(most int) string {
		var made strings.Builder
		for range 1 + random.IntN(most) {
			made.WriteString(pieces[random.IntN(len(pieces))])
		}
		return made.String()
	}
	conn := warehousetest.Connect(t, warehousetest.New(t))
	if _, err := conn.Exec(t.Context(), `CREATE TABLE public.made (row integer, a text, b jsonb, c bytea, d text[], e json)`); err != nil {
		t.Fatal(err)
	}
	for row := range 500 {
		value := text(12)
		quoted, err := json.Marshal(map[string]string{"k" + text(2): value})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), `INSERT INTO public.made VALUES ($1, $2, $3, $4, $5, $6)`,
			row, text(12), string(quoted), append([]byte{0xff, 0}, text(12)...), []string{text(6), text(6)}, string(quoted)); err != nil {
			t.Fatal(err)
		}
	}
	held := 0
	for range 60 {
		n := needle(t, text(3))
		for _, column := range []places.Column{
			{Name: "a", Type: "text"}, {Name: "b", Type: "jsonb"}, {Name: "c", Type: "bytea"}, {Name: "d", Type: "_text"}, {Name: "e", Type: "json"},
		} {
			for row, candidate := range judged(t, conn, n, column) {
				held++
				if !candidate {
					t.Fatalf("row %d holds the text in %s, and is no candidate (seed %d)", row, column.Name, seed)
				}
			}
		}
	}
	if held < 1000 {
		t.Errorf("only %d values hold a text", held)
	}
}

// judged returns the rows that hold a text, and whether Postgres takes each for a candidate.
func judged(t *testing.T, conn *pgx.Conn, n *places.Needle, column places.Column) map[int]bool {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if err := n.Load(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	rows, err := tx.Query(t.Context(), fmt.Sprintf("SELECT row, %s, %s FROM public.made", column.Value(), places.Candidates([]places.Column{column})))
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]bool{}
	var row int
	var value []byte
	var candidate bool
	if _, err := pgx.ForEachRow(rows, []any{&row, &value, &candidate}, func() error {
		if column.Holds(n, value) {
			found[row] = candidate
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return found
}
