package check_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sluice/pipeline/check"
)

// recorder is a test that goes on, whatever it is told.
type recorder struct {
	testing.TB
	said string
}

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.said += "error: " + fmt.Sprintf(format, args...)
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.said += "fatal: " + fmt.Sprintf(format, args...)
}
func (r *recorder) Fatal(args ...any) { r.said += "fatal: " + fmt.Sprint(args...) }

// TestEachCheckFails where something is wrong, and nowhere else: no other test would notice a check
// that never does.
func TestEachCheckFails(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	give := func(err error) (int, error) { return 7, err }
	for _, c := range []struct {
		want string
		does func(tb testing.TB, wrong bool, err error)
	}{
		{"fatal: boom", func(tb testing.TB, _ bool, err error) { check.Must(tb, err) }},
		{"fatal: boom", func(tb testing.TB, _ bool, err error) { check.Must(tb, check.Failure(give(err))) }},
		{"fatal: boom", func(tb testing.TB, _ bool, err error) { check.Same(tb, "value", 7, check.Sure(give(err))(tb)) }},
		{"error: error boom, want <nil>", func(tb testing.TB, _ bool, err error) { check.FailsWith(tb, err, nil) }},
		{"error: error <nil>, want boom", func(tb testing.TB, wrong bool, _ error) {
			check.FailsWith(tb, map[bool]error{false: fmt.Errorf("as %w", boom)}[wrong], boom)
		}},
		{"error: flag (-want +got):", func(tb testing.TB, wrong bool, _ error) { check.Same(tb, "flag", false, wrong) }},
		{"error: it is 1", func(tb testing.TB, wrong bool, _ error) { check.ErrorIf(tb, wrong, "it is %d", 1) }},
		{"fatal: it is 1", func(tb testing.TB, wrong bool, _ error) { check.FatalIf(tb, wrong, "it is %d", 1) }},
		{"error: left: [1]", func(tb testing.TB, wrong bool, _ error) {
			check.Empty(tb, "left", []int{1}[:map[bool]int{true: 1}[wrong]])
		}},
	} {
		good, bad := &recorder{TB: t}, &recorder{TB: t}
		c.does(good, false, nil)
		c.does(bad, true, boom)
		if good.said != "" || !strings.HasPrefix(bad.said, c.want) {
			t.Errorf("want %q: said %q where nothing is wrong, and %q", c.want, good.said, bad.said)
		}
	}
}
