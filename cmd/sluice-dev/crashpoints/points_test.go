package crashpoints

import (
	"encoding/binary"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// query returns a simple query of the protocol; start the first message of a connection.
func query(sql string) []byte {
	text := binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(len(sql)+5))
	return append(append(text, sql...), 0)
}

func start() []byte { return []byte{0, 0, 0, 8, 0, 3, 0, 0} }

func TestThePlacesAreCountedAndHit(t *testing.T) {
	t.Parallel()
	said := []string{"SELECT 1", "DELETE FROM a", "begin", "DELETE FROM a", "DELETE FROM b", "commit", "DELETE FROM a"}
	for _, c := range []struct {
		what   class
		number int
		passed int // statements
	}{
		{class{}, 0, 7},
		{class{toPostgres, "DELETE FROM a"}, 1, 1},
		{class{toPostgres, "DELETE FROM a"}, 2, 6},
		{class{toPostgres, "DELETE FROM a"}, 3, 7}, // there is no third one
		{class{inside, "DELETE FROM a"}, 1, 3},
		{class{toPostgres, "commit of DELETE FROM b"}, 1, 5},
		{class{toPostgres, "SELECT 1"}, 1, 7}, // it only reads
	} {
		killed := 0
		cut := newCutter(point{c.what, before, c.number}, func() { killed++ })
		cut.postgres(1, true, start())
		var whole, want []byte
		for n, sql := range said {
			whole = append(whole, query(sql)...)
			if n < c.passed {
				want = append(want, query(sql)...)
			}
		}
		passed := cut.postgres(1, true, whole)
		hit := c.passed < len(said)
		if cut.hit != hit || (killed == 1) != hit || passed != len(want) {
			t.Errorf("%v %d: hit %t, killed %d times, %d bytes passed (want %d)", c.what, c.number, cut.hit, killed, passed, len(want))
		}
		if c.number == 0 {
			for what, n := range map[class]int{
				{toPostgres, "DELETE FROM a"}: 2, {inside, "begin"}: 1, {inside, "DELETE FROM a"}: 1, {inside, "DELETE FROM b"}: 1,
				{toPostgres, "commit of DELETE FROM b"}: 1,
			} {
				if got := cut.seen; got[what] != n || len(got) != 5 {
					t.Errorf("%v: %v", what, got)
				}
			}
		}
	}
}

// TestTheAnswerIsKeptBack: Postgres has executed the statement, and its answer is lost.
func TestTheAnswerIsKeptBack(t *testing.T) {
	t.Parallel()
	killed := 0
	cut := newCutter(point{class{toPostgres, "commit of "}, after, 1}, func() { killed++ })
	cut.postgres(1, true, start())
	cut.postgres(2, true, start())
	said := query("COMMIT")
	if n := cut.postgres(2, true, said); n != len(said) || killed != 0 {
		t.Errorf("%d of %d bytes passed, killed %d times", n, len(said), killed)
	}
	if n := cut.postgres(1, false, []byte("other")); n != 5 || killed != 0 {
		t.Error("the answer of another connection is the end")
	}
	if n := cut.postgres(2, false, []byte("done")); n != 0 || killed != 1 {
		t.Errorf("%d bytes of the answer passed, killed %d times", n, killed)
	}
}

// TestCallsAreCountedAndHit: a process is killed at the answer of its call, in spite of other calls
// that arrive meanwhile.
func TestCallsAreCountedAndHit(t *testing.T) {
	t.Parallel()
	const list = "GET /inventory/v1/bills/N page,per_page"
	for _, moment := range []string{before, after} {
		killed := 0
		cut := newCutter(point{class{toUpstream, list}, moment, 2}, func() { killed++ })
		ask := func(path string) (bool, func() bool) {
			return cut.upstream(httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		}
		_, first := ask("/inventory/v1/bills/9876?per_page=2&page=1")
		if heard, _ := ask("/inventory/v1/items?page=1"); !heard || killed != 0 {
			t.Errorf("%s: a call of another kind is the end", moment)
		}
		heard, second := ask("/inventory/v1/bills/1234?page=2&per_page=2")
		if heard != (moment == after) || (killed == 1) != (moment == before) {
			t.Errorf("%s the second call: heard %t, killed %d times", moment, heard, killed)
		}
		if !first() {
			t.Errorf("%s: the first call is not answered", moment)
		}
		if moment == after && (second() || killed != 1) {
			t.Errorf("the second call is answered, killed %d times", killed)
		}
	}
}

// some returns the counts of two scenarios.
func some() counts {
	return counts{
		"first": {{toUpstream, "GET a"}: 1, {toPostgres, "commit of b"}: 3, {inside, "b"}: 3},
		"edits": {{toPostgres, "commit of b"}: 2, {inside, "c"}: 1},
	}
}

func TestAllPointsHaveBothMoments(t *testing.T) {
	t.Parallel()
	if all := some().all(); len(all) != 2*(1+3+3+2+1) || !slices.Equal(all, some().all()) {
		t.Errorf("%d points: %v", len(all), all)
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	if c, err := parse([]string{"-one-in", "60", "-offset", "7", "-only", "sweep"}, io.Discard); err != nil || c.oneIn != 60 || c.offset != 7 || c.only != "sweep" {
		t.Errorf("%+v, %v", c, err)
	}
	for _, args := range [][]string{{"-one-in", "0"}, {"-only", "nothing"}, {"all"}} {
		if _, err := parse(args, io.Discard); err == nil || errors.Is(err, flag.ErrHelp) {
			t.Errorf("%q: got error %v, want one about the figures", args, err)
		}
	}
	at := choice{at: regexp.MustCompile("edits, .*call"), oneIn: 7}
	if got := at.chosen(counts{"edits": {{toUpstream, "GET a"}: 2, {inside, "c"}: 1}, "first": {{toUpstream, "GET a"}: 1}}); len(got) != 4 {
		t.Errorf("-at chooses %v, want the two calls of edits at both moments", got)
	}
}

// TestWhatIsFoundIsPrinted: a violation fails the pass, and so does a pass that hit too little.
func TestWhatIsFoundIsPrinted(t *testing.T) {
	t.Parallel()
	trials := some().all()
	results := map[trial]result{}
	for n, t := range trials[:12] {
		results[t] = result{hit: n > 0}
	}
	if err := report(io.Discard, 20, results); err != nil {
		t.Errorf("11 of 12 hit: %v", err)
	}
	results[trials[3]] = result{hit: true, violations: []string{"invariant 8: different"}}
	var text strings.Builder
	if err := report(&text, 20, results); err == nil || err.Error() != "1 violations" {
		t.Errorf("got error %v", err)
	}
	for _, want := range []string{
		"20 points: 12 tried, 11 hit, 1 violations\n",
		"VIOLATION: first, killed " + trials[3].Moment + " ", ": invariant 8: different\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in %q", want, text.String())
		}
	}
	for n, t := range trials[:12] {
		results[t] = result{hit: n > 3}
	}
	if err := report(&text, 20, results); err == nil {
		t.Error("a pass that hit too little is enough")
	}
}
