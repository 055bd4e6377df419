package scale

import (
	"errors"
	"flag"
	"io"
	"testing"
	"time"
)

func TestFlagsSayWhatIsSimulated(t *testing.T) {
	t.Parallel()
	s, err := parse([]string{"-organizations", "7", "-days", "3"}, io.Discard)
	if err != nil || s.Organizations != 7 || s.Days != 3 || s.LongEvery != 10 || s.Tick != 15*time.Second {
		t.Errorf("got %+v, error %v", s, err)
	}
	for _, args := range [][]string{{"-days", "0"}, {"-organizations", "-1"}, {"everything"}} {
		if _, err := parse(args, io.Discard); err == nil || errors.Is(err, flag.ErrHelp) {
			t.Errorf("%q: got error %v, want one about the figures", args, err)
		}
	}
}

// TestTheTableIsMarkdown: a row is one of docs/simulation.md, and a check that does not hold is broken.
func TestTheTableIsMarkdown(t *testing.T) {
	t.Parallel()
	var v verdict
	v.addf("most", "1.00", "%.2f", 0.5)
	v.checkf(true, "fine")
	v.checkf(false, "worse than %d", 1)
	same(t, v.table, "| most | 1.00 | 0.50 |\n")
	if len(v.Broken) != 1 || v.Broken[0] != "worse than 1" {
		t.Errorf("broken are %q", v.Broken)
	}
}
