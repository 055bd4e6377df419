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
		does func(r *recorder, wrong bool, err error)
	}{
		{"fatal: boom", func(r *recorder, _ bool, err error) { check.Must(r, err) }},
		{"fatal: boom", func(r *recorder, _ bool, err error) { check.Must(r, check.Failure(give(err))) }},
		{"fatal: boom", func(r *recorder, _ bool, err error) { check.Same(r, "value", 7, check.Sure(give(err))(r)) }},
		{"error: error boom, want <nil>", func(r *recorder, _ bool, err error) { check.FailsWith(r, err, nil) }},
		{"error: error <nil>, want boom", func(r *recorder, wrong bool, _ error) {
			check.FailsWith(r, map[bool]error{false: fmt.Errorf("as %w", boom)}[wrong], boom)
		}},
		{"error: flag (-want +got):", func(r *recorder, wrong bool, _ error) { check.Same(r, "flag", false, wrong) }},
		{"error: it is 1", func(r *recorder, wrong bool, _ error) { check.ErrorIf(r, wrong, "it is %d", 1) }},
		{"fatal: it is 1", func(r *recorder, wrong bool, _ error) { check.FatalIf(r, wrong, "it is %d", 1) }},
		{"error: left: [1]", func(r *recorder, wrong bool, _ error) {
			check.Empty(r, "left", []int{1}[:map[bool]int{true: 1}[wrong]])
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
