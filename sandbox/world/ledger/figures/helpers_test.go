package figures_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox/world"
	"sluice/sandbox/world/ledger"
	"sluice/sandbox/world/ledger/figures"
)

// The recount takes the figures from the records as a client reads them, and shares nothing with
// the entries.

func founded(t *testing.T, seed int64, records int, base string) (*world.World, figures.Books) {
	t.Helper()
	return foundedAs(t, seed, records, base, false)
}

func foundedAs(t *testing.T, seed int64, records int, base string, live bool) (*world.World, figures.Books) {
	t.Helper()
	zone, err := time.LoadLocation("Asia/Kolkata")
	must(t, err)
	w := world.New(world.Settings{
		Seed: seed, Records: records, Zone: zone, Anchor: time.Date(2026, time.Month(1+seed%12), 17, 0, 0, 0, 0, zone), Base: base, AsLive: live,
		Modules: []string{"cm_a"}, Networks: []string{"n1"}, Organization: "60012345678",
	})
	books, closes := w.Figures()
	fatalIf(t, !closes, "the books do not close")
	return w, books
}

// fields is a record as it is written.
type fields map[string]json.RawMessage

func records(t *testing.T, w *world.World, kind world.Kind) []fields {
	t.Helper()
	var all []fields
	for i := range w.Len(kind) {
		if !w.Live(kind, i) {
			continue
		}
		var record fields
		must(t, json.Unmarshal(w.AppendRecord(nil, kind, i, world.Full), &record))
		all = append(all, record)
	}
	return all
}

func (f fields) text(name string) string { return strings.Trim(string(f[name]), `"`) }

func (f fields) number(name string) *big.Rat {
	value, ok := new(big.Rat).SetString(f.text(name))
	if !ok {
		return new(big.Rat)
	}
	return value
}

func (f fields) list(name string) []fields {
	var list []fields
	_ = json.Unmarshal(f[name], &list) // "" stands for an empty one
	return list
}

func (f fields) posted() bool { return f.text("status") != "draft" && f.text("status") != "void" }

// sums are sums by a text, shown with eight decimals.
type sums map[string]*big.Rat

func (s sums) add(key string, factors ...*big.Rat) {
	product := big.NewRat(1, 1)
	for _, factor := range factors {
		product.Mul(product, factor)
	}
	if s[key] == nil {
		s[key] = new(big.Rat)
	}
	s[key].Add(s[key], product)
}

func (s sums) shown() map[string]string {
	shown := map[string]string{}
	for key, sum := range s {
		if sum.Sign() != 0 {
			shown[key] = sum.FloatString(8)
		}
	}
	return shown
}

// exact returns an amount as a number.
func exact(t *testing.T, a ledger.Amount) *big.Rat {
	t.Helper()
	value, ok := new(big.Rat).SetString(a.String())
	fatalIf(t, !ok, "%s is no number", a)
	return value
}

func agree(t *testing.T, what string, want, got sums) {
	t.Helper()
	errorIf(t, len(want) == 0, "%s: nothing to compare", what)
	same(t, cmp.Diff(want.shown(), got.shown()), "", what)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// same compares two values; where says what they are.
func same[T comparable](t *testing.T, got, want T, where ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%v: got %v, want %v", where, got, want)
	}
}

// fatalIf ends the test where something makes the rest of it senseless.
func fatalIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Fatalf(format, args...)
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
