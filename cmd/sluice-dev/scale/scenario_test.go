package scale

import (
	"testing"
	"time"

	"sluice/pipeline"
)

// TestBoundsAreStated: the bounds are those of the table.
func TestBoundsAreStated(t *testing.T) {
	t.Parallel()
	o := &organization{outages: []span{{From: 10 * time.Hour, To: 12 * time.Hour}}}
	st := &stream{of: o, every: time.Hour, class: pipeline.ClassIncremental}
	for _, test := range []struct {
		from, to, want time.Duration
		others         others
	}{
		{0, time.Hour, 90 * time.Minute, alone},
		{9 * time.Hour, 11 * time.Hour, 90*time.Minute + 3*time.Hour, alone},
		{12 * time.Hour, 13 * time.Hour, 90 * time.Minute, alone},
		{0, time.Hour, 90*time.Minute + 24*time.Hour, unseen},
	} {
		o.others = test.others
		same(t, st.bound(test.from, test.to), test.want, test.from, test.to)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// same compares two values; where says what they are.
func same[T comparable](t *testing.T, got, want T, where ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%v: got %v, want %v", where, got, want)
	}
}
