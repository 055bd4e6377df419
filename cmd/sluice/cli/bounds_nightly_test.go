//go:build nightly

package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

// mostMemory is how much more memory a process takes at most, whatever upstream answers, than for
// the largest answer that fits.
const mostMemory = 1.5

// usualPeak returns the peak memory, in MiB, for the largest answer that fits: 30 MB in 200
// records.
func usualPeak(t *testing.T) int64 {
	t.Helper()
	s := newFixture(t, sandbox.Options{Seed: 71, Records: small, Limits: sandbox.Limits{Off: true}})
	records := make([]string, 200)
	for n := range records {
		records[n] = fmt.Sprintf(`{"tax_id":"%d","tax_name":"%s"}`, n, strings.Repeat("x", 150<<10))
	}
	s.attack(&evil{bodies: map[string][]byte{"/inventory/v1/settings/taxes": taxes(strings.Join(records, ","))}})
	p, used := s.peakOf("sync", "inventory.taxes")
	n := one[int](s, `SELECT count(*) FROM inventory.taxes WHERE length(tax_name) = $1::integer`, 150<<10)
	fatalIf(t, n != len(records), "%d of %d records fit: %s", n, len(records), p.stderr.String())
	return used
}

func frugal(t *testing.T, used, usual int64) {
	t.Helper()
	t.Logf("%d MiB, and %d for the largest answer that fits", used, usual)
	errorIf(t, float64(used) > mostMemory*float64(usual), "the process took %d MiB, and %d for the largest answer that fits", used, usual)
}

// peakOf runs a command line as a process of its own and gives its exit code and its peak memory,
// in MiB.
func (s *fixture) peakOf(args ...string) (*process, int64) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "peak")
	s.environment[withPeak], s.environment[withHaste] = file, "1"
	p := s.start(args...)
	select {
	case <-p.done:
	case <-time.After(2 * patience):
		p.kill()
		s.t.Fatalf("%v did not end\n%s\n%s", args, p.stdout.String(), p.stderr.String())
	}
	text := sure(os.ReadFile(file))(s.t)
	used := sure(strconv.ParseInt(string(text), 10, 64))(s.t)
	return p, used >> 20
}

// TestAnyAnswerIsBoundedInMemory: the memory for a page of small elements does not grow with their
// number. When upstream is healthy again, all records are loaded.
func TestAnyAnswerIsBoundedInMemory(t *testing.T) { //nolint:paralleltest // beside others a collection comes late
	s := newFixture(t, sandbox.Options{Seed: 71, Records: small, Limits: sandbox.Limits{Off: true}})
	const list, name = "/inventory/v1/settings/taxes", "inventory.taxes"
	many := func(count int, format string) string {
		var b strings.Builder
		for n := range count {
			fmt.Fprintf(&b, format, n)
		}
		return b.String()
	}
	usual := usualPeak(t)
	for _, c := range []struct {
		name   string
		body   []byte
		packed bool
	}{
		{"0.5 MB of numbers", taxes(strings.Repeat("1,", 250_000)), true},
		{"4.2 MB of numbers", taxes(strings.Repeat("1,", 2_100_000)), true},
		{"31 MB of numbers", taxes(strings.Repeat("1,", 15_500_000)), false},
		{"31 MB of numbers, packed", taxes(strings.Repeat("1,", 15_500_000)), true},
		{"31 MB of objects", taxes(strings.Repeat("{},", 10_300_000)), false},
		{"700,000 good records", taxes(many(700_000, `{"tax_id":"%d","tax_name":"a"},`)), false},
		{"2,000 records of 15 KB that do not fit", taxes(many(2_000, `{"tax_id":"%d","tax_percentage":"`+strings.Repeat("x", 15_000)+`"},`)), false},
		{"a record of a million keys", taxes(`{"tax_id":"1"` + many(1_000_000, `,"k%d":1`) + `}`), false},
		{"a record of 400,000 keys", taxes(`{"tax_id":"1"` + many(400_000, `,"k%d":1`) + `}`), false},
		{"an object of 400,000 keys", taxes(`{"tax_id":"1","x":{"a":1` + many(400_000, `,"k%d":1`) + `}}`), false},
		{"a record of a list of numbers", taxes(`{"tax_id":"1","x":[1` + strings.Repeat(",1", 15_000_000) + `]}`), false},
		{"a record of 30 MB", taxes(`{"tax_id":"1","tax_name":"` + strings.Repeat("x", 30<<20) + `"}`), false},
		{"an unknown text of 30 MB", taxes(`{"tax_id":"1","x":"` + strings.Repeat("x", 30<<20) + `"}`), false},
		{"30 MB of depth", taxes(`{"tax_id":"1","x":` + strings.Repeat("[", 15<<20) + strings.Repeat("]", 15<<20) + `}`), false},
		{"an envelope of a million keys", append(bytes.TrimSuffix(taxes(""), []byte("}")), many(1_000_000, `,"k%d":1`)+"}"...), false},
		{"a code of 30 MB", bytes.Replace(taxes(""), []byte(`"code":0`), []byte(`"code":"`+strings.Repeat("9", 30<<20)+`"`), 1), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			over := s.attack(&evil{bodies: map[string][]byte{list: c.body}, packed: c.packed})
			p, used := s.peakOf("sync", name)
			over()
			t.Logf("%d MiB, exit code %d, %s", used, p.code, strings.TrimSpace(p.stderr.String()))
			frugal(t, used, usual)
		})
	}
	s.pass(25 * time.Hour)
	s.sync(codeFine, name)
	want := 0
	for range s.world.Truth("inventory", "taxes") {
		want++
	}
	have := one[int](s, `SELECT count(*) FROM inventory.taxes WHERE tax_id <> '1' AND _deleted_at IS NULL`)
	errorIf(t, have != want || want == 0, "upstream is well again and %d of its %d taxes are here", have, want)
}

// TestABombIsBoundedInMemory: a small body that decompresses to a gigabyte costs the process no
// more than the largest page and its rows.
func TestABombIsBoundedInMemory(t *testing.T) { //nolint:paralleltest // beside others a collection comes late
	f := newFaultFixtureOf(t, false, small)
	f.fault("gzip_bomb", 0, 0)
	p, used := f.peakOf("sync", f.name)
	frugal(t, used, usualPeak(t))
	errorIf(t, p.code == codeFine, "the bomb was read")
}
