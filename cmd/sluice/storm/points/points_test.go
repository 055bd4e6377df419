package main

import (
	"encoding/binary"
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"
)

// query is a simple query as the protocol has it; start what a connection begins with.
func query(sql string) []byte {
	text := binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(len(sql)+5))
	return append(append(text, sql...), 0)
}

func start() []byte { return []byte{0, 0, 0, 8, 0, 3, 0, 0} }

func TestThePlacesAreCountedAndHit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		at   point
		hit  string
		seen int // statements, up to the end
		pass int // bytes
	}{
		{point{}, "", 2, len(query("SELECT 1")) + len(query("DELETE FROM a")) + len(query("COMMIT"))},
		{point{toPostgres, before, 1}, "DELETE FROM a", 1, len(query("SELECT 1"))},
		{point{toPostgres, before, 2}, "COMMIT", 2, len(query("SELECT 1")) + len(query("DELETE FROM a"))},
	} {
		killed := 0
		cut := newCutter(c.at, func() { killed++ })
		cut.postgres(1, true, start())
		said := slices.Concat(query("SELECT 1"), query("DELETE FROM a"), query("COMMIT"))
		passed := cut.postgres(1, true, said)
		seen := cut.seen()
		if seen.hit != c.hit || killed != min(len(c.hit), 1) || passed != c.pass || seen.statements != c.seen || len(seen.distinct) != c.seen {
			t.Errorf("%+v: hit %q, killed %d times, %d bytes passed (want %d), %d statements", c.at, seen.hit, killed, passed, c.pass, seen.statements)
		}
	}
}

// After a statement: Postgres has executed it, and its word does not arrive.
func TestTheAnswerIsKeptBack(t *testing.T) {
	t.Parallel()
	killed := 0
	cut := newCutter(point{toPostgres, after, 1}, func() { killed++ })
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

func TestCallsAreCountedAndHit(t *testing.T) {
	t.Parallel()
	for moment, want := range map[moment][]bool{before: {true, true, false}, after: {true, true, true, false}} {
		killed := 0
		cut := newCutter(point{toUpstream, moment, 2}, func() { killed++ })
		var got []bool
		for _, arrives := range []bool{true, false, true, false} {
			answered := cut.upstream(arrives)
			if got = append(got, answered); !answered {
				break
			}
		}
		if !slices.Equal(got, want) || killed != 1 {
			t.Errorf("%s the second call: %v, want %v; killed %d times", moment, got, want, killed)
		}
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	if c, err := parse([]string{"-one-in", "60", "-offset", "7", "-only", "sweep"}); err != nil || c.OneIn != 60 || c.Offset != 7 || c.Only != "sweep" {
		t.Errorf("%+v, %v", c, err)
	}
	for _, args := range [][]string{{"-one-in", "0"}, {"-only", "nothing"}, {"all"}} {
		if _, err := parse(args); err == nil || errors.Is(err, flag.ErrHelp) {
			t.Errorf("%q: got error %v, want one about the figures", args, err)
		}
	}
}

func TestFoundIsPrinted(t *testing.T) {
	t.Parallel()
	f := Found{Scenario: "first", Statements: 3, Calls: 2, Tried: 10, Hit: 9}
	f.note(point{toPostgres, after, 3}, outcome{passage: passage{hit: "COMMIT"}})
	o := outcome{passage: passage{hit: "COMMIT"}}
	o.verdict.Violations = []string{"promise 8: different"}
	f.note(point{toPostgres, after, 3}, o)
	var text strings.Builder
	if err := f.print(&text, false); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "10 of 10 points tried, 9 hit") || !strings.HasSuffix(text.String(),
		"VIOLATION: killed after statement 3 (COMMIT): promise 8: different\n") || len(f.Violations) != 1 {
		t.Errorf("%q", text.String())
	}
}
