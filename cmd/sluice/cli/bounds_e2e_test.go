//go:build e2e && !race

// The race detector multiplies what these tests measure: memory by five to ten, and the time of
// code that looks at each byte (https://go.dev/doc/articles/race_detector, "Runtime Overheads").
// .ci/run runs them without it.

package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

// mostMemory is the memory that a process takes at most, whatever upstream answers.
const mostMemory = 150 // MiB

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
	text, err := os.ReadFile(file)
	must(s.t, err)
	used, err := strconv.ParseInt(string(text), 10, 64)
	must(s.t, err)
	return p, used >> 20
}

// evil answers the paths upstream that begin with one of these, and passes all other requests on.
type evil struct {
	next   http.Handler
	bodies map[string][]byte
	packed bool
	// endless repeats the body, as an export, until the client disconnects.
	endless bool
	// answered, if not nil, gets a signal for each body that was sent, and for an endless one for
	// each part.
	answered chan struct{}
}

// export sends the body repeatedly.
func (e *evil) export(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "text/csv;charset=UTF-8")
	const part = 20
	for n := 0; ; n++ {
		if _, err := w.Write(body); err != nil {
			return
		}
		if n == part {
			e.sent()
		}
	}
}

// sent signals a test that waits for it.
func (e *evil) sent() {
	select {
	case e.answered <- struct{}{}:
	default:
	}
}

// ServeHTTP implements http.Handler.
func (e *evil) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for path, body := range e.bodies {
		if strings.HasPrefix(r.URL.Path, path) {
			if e.endless {
				e.export(w, body)
				return
			}
			w.Header().Set("Content-Type", "application/json;charset=UTF-8")
			if e.packed {
				w.Header().Set("Content-Encoding", "gzip")
				packer := gzip.NewWriter(w)
				_, _ = packer.Write(body) // the client may have disconnected
				_ = packer.Close()
				e.sent()
				return
			}
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			_, _ = w.Write(body)
			e.sent()
			return
		}
	}
	e.next.ServeHTTP(w, r)
}

// attack makes upstream answer like this, and gives the function that ends it.
func (s *fixture) attack(e *evil) func() {
	s.arrivals.mu.Lock()
	defer s.arrivals.mu.Unlock()
	well := s.arrivals.next
	e.next, s.arrivals.next = well, e
	return func() {
		s.arrivals.mu.Lock()
		defer s.arrivals.mu.Unlock()
		s.arrivals.next = well
	}
}

// taxes is an answer of the list of taxes with these elements.
func taxes(elements string) []byte {
	return []byte(`{"code":0,"message":"success","taxes":[` + strings.TrimSuffix(elements, ",") +
		`],"page_context":{"page":1,"per_page":200,"has_more_page":false}}`)
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
			if used > mostMemory {
				t.Errorf("the process took %d MiB, and %d are enough", used, mostMemory)
			}
		})
	}
	s.pass(25 * time.Hour)
	s.sync(codeFine, name)
	want := 0
	for range s.world.Truth("inventory", "taxes") {
		want++
	}
	if have := one[int](s, `SELECT count(*) FROM inventory.taxes WHERE tax_id <> '1' AND _deleted_at IS NULL`); have != want || want == 0 {
		t.Errorf("upstream is well again and %d of its %d taxes are here", have, want)
	}
}

// TestFaultsOfBoundsHeal: an answer that exceeds a bound is refused, and all records are loaded
// when upstream is healthy again.
func TestFaultsOfBoundsHeal(t *testing.T) { //nolint:paralleltest // beside others a collection comes late
	for _, kind := range []string{"many_elements", "many_keys", "huge_token", "all_poison"} {
		t.Run(kind, func(t *testing.T) {
			f := newFaultFixtureOf(t, false, large)
			code := codeFailed
			switch kind {
			case "all_poison":
				f.name, f.short, f.path = "chat.conversations", "conversations", "/maintenanceapi/v2/chats"
			case "huge_token": // only lists that go on by token read it
				f.rewrite("  chat.channels: {enabled: false}\n", "")
				f.name, f.short, f.path = "chat.channels", "channels", "/api/v2/channels"
			case "many_keys":
				code = codeFine // one record of a page, which is in quarantine
			}
			f.fault(kind, 0, 0)
			p, used := f.peakOf("sync", f.name)
			if p.code != code || used > mostMemory {
				t.Errorf("the process took %d MiB and ended with %d, want at most %d and %d\n%s", used, p.code, mostMemory, code, p.stderr.String())
			}
			f.clear()
			f.minutes()
			f.pass(25 * time.Hour)
			f.comesTo("upstream is well again", codeFine)
			if gone, _ := f.equal(f.name); gone > 0 {
				t.Errorf("%d rows without a record upstream", gone)
			}
		})
	}
}

// TestLargeBodiesTakeTurns: lists whose answers are large at the same time are read one after the
// other; ten at once took 1.6 GB.
func TestLargeBodiesTakeTurns(t *testing.T) { //nolint:paralleltest // beside others a collection comes late
	// One record that fits, for each list with pages: the name of its identifier, and of a text of
	// any length.
	names := map[string][2]string{
		"chart_of_accounts": {"account_id", "account_name"}, "vendor_payments": {"payment_id", "vendor_name"},
		"items": {"item_id", "name"}, "bills": {"bill_id", "vendor_name"}, "credit_notes": {"creditnote_id", "customer_name"},
	}
	for _, fit := range []bool{false, true} {
		t.Run(map[bool]string{true: "records that fit", false: "records that do not"}[fit], func(t *testing.T) {
			s := newFixture(t, sandbox.Options{Seed: 72, Records: small, Limits: sandbox.Limits{Off: true}}).narrow()
			bodies := map[string][]byte{}
			for _, r := range resources() {
				key, record := r.path[strings.LastIndex(r.path, "/")+1:], `{"x":"`
				if name, paged := names[r.name]; fit && paged {
					record = `{"` + name[0] + `":"1","last_modified_time":"2026-01-01T00:00:00+0000","` + name[1] + `":"`
				}
				bodies[r.path] = []byte(`{"code":0,"` + key + `":[` + record + strings.Repeat("x", 30<<20) +
					`"}],"page_context":{"page":1,"per_page":200,"has_more_page":false}}`)
			}
			over := s.attack(&evil{bodies: bodies})
			p, used := s.peakOf("sync")
			over()
			t.Logf("%d MiB, exit code %d, %.1000s", used, p.code, p.stderr.String())
			if used > mostMemory || p.code == codeFine {
				t.Errorf("the process took %d MiB and ended with %d, want at most %d, and not %d", used, p.code, mostMemory, codeFine)
			}
			rows := `SELECT count(*) FROM inventory.items WHERE octet_length(name) > 30000000`
			if !fit {
				rows = `SELECT count(*) FROM sluice.quarantine WHERE resource = 'items' AND octet_length(raw) > 30000000`
			}
			if n := one[int](s, rows); n != 1 {
				t.Errorf("%d records of 30 MB arrived, want 1", n)
			}
		})
	}
}

// TestHostileAnswersDoNotHoldUpTheEnd: SIGTERM ends a process within half a minute, whatever it is
// doing.
func TestHostileAnswersDoNotHoldUpTheEnd(t *testing.T) { //nolint:paralleltest // it measures how long the end takes
	var keys, lines strings.Builder
	for n := range 1_000_000 {
		fmt.Fprintf(&keys, `,"k%d":1`, n)
	}
	for n := range 2_000 {
		fmt.Fprintf(&lines, "%d,title,2026-01-01T00:00:00Z,2026-01-01T00:00:00Z,1,1,2\n", n)
	}
	const list, chats = "/inventory/v1/settings/taxes", "/maintenanceapi/v2/chats"
	for _, c := range []struct {
		name, stream, path string
		body               []byte
		endless            bool
	}{
		{"31 MB of small elements", "inventory.taxes", list, taxes(strings.Repeat("{},", 10_300_000)), false},
		{"a record of a million keys", "inventory.taxes", list, taxes(`{"tax_id":"1"` + keys.String() + `}`), false},
		{"an export without an end", "chat.conversations", chats, []byte(lines.String()), true},
	} {
		for _, command := range [][]string{{"sync", c.stream}, {"serve"}} {
			t.Run(c.name+", "+command[0], func(t *testing.T) {
				if c.endless { // the calls under way may take a while to end, but nothing else may
					t.Parallel()
				}
				s := newFixture(t, sandbox.Options{Seed: 73, Records: small, Limits: sandbox.Limits{Off: true}})
				answered := make(chan struct{}, 1)
				defer s.attack(&evil{bodies: map[string][]byte{c.path: c.body}, endless: c.endless, answered: answered})()
				p := s.start(command...)
				select {
				case <-answered:
				case <-p.done:
					t.Fatalf("it ended before: %d\n%s", p.code, p.stderr.String())
				case <-time.After(patience):
					t.Fatal("upstream was not asked")
				}
				asked := time.Now()
				p.terminate()
				select {
				case <-p.done:
					t.Logf("ended with %d after %s", p.code, time.Since(asked))
					if want := map[string]int{"sync": codeFailed, "serve": codeFine}[command[0]]; p.code != want || strings.Contains(p.stderr.String(), "panic") {
						t.Errorf("it ended with %d, want %d\n%s", p.code, want, p.stderr.String())
					}
				case <-time.After(30 * time.Second):
					p.kill()
					t.Errorf("the process did not end\n%s", p.stderr.String())
				}
			})
		}
	}
}
