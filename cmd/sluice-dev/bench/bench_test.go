package bench

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/pipeline/engine"
)

func TestResultJudgesTheMedianOrTheWorst(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		line   line
		median float64
		goal   string
		met    bool
	}{
		"the median counts":                   {line{want: 1, got: []float64{3, 0.5, 2}}, 2, "≥ 1", true},
		"of two the lower one, if more is":    {line{want: 1, got: []float64{2, 0.5}}, 0.5, "≥ 1", false},
		"of two the higher one, if less is":   {line{want: 1, most: true, got: []float64{2, 0.5}}, 2, "≤ 1", false},
		"one bad value is enough":             {line{want: 98, worst: true, got: []float64{99, 97.5, 99}}, 99, "≥ 98", false},
		"one 429 is enough":                   {line{most: true, worst: true, got: []float64{0, 1, 0}}, 0, "0", false},
		"as much as is allowed is no failure": {line{want: 120, most: true, worst: true, got: []float64{120, 60}}, 120, "≤ 120", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := test.line.result()
			if got.median != test.median || got.goal != test.goal || (got.result == "met") != test.met {
				t.Errorf("%+v, want median %v, goal %q, met %t", got, test.median, test.goal, test.met)
			}
		})
	}
}

func TestPrintedAreTheLinesThatWereMeasured(t *testing.T) {
	t.Parallel()
	whole := &table{machine: "a machine", lines: lines()}
	whole.add("loader fresh items", 0.9)
	var text bytes.Buffer
	must(t, whole.print(&text))
	got := text.String()
	if !strings.HasPrefix(got, "a machine\n") || strings.Count(got, "\n") != 3 || !strings.Contains(got, "\nloader fresh items ") || !strings.Contains(got, "met") {
		t.Errorf("printed was\n%s", got)
	}
}

func TestTablesAreThoseOfTheStreamParentsFirst(t *testing.T) {
	t.Parallel()
	service, resource, err := declared("credit_notes")
	must(t, err)
	got := tables(service, resource)
	// COPY of a nested array finds its parents only if theirs came before.
	parent := slices.Index(got, `"inventory"."credit_notes_line_items"`)
	nested := slices.IndexFunc(got, func(name string) bool { return strings.HasPrefix(name, `"inventory"."credit_notes_line_items_`) })
	if got[0] != `"inventory"."credit_notes"` || parent < 0 || nested < parent {
		t.Errorf("line items are at %d, what hangs on them at %d of %q", parent, nested, got)
	}
	if _, _, err := declared("unicorns"); err == nil {
		t.Error("a resource that is not declared was found")
	}
}

// TestAWorkerHasLimitsOnlyAtTheLimit asks the program, as a worker wires it, what a call is held
// against.
func TestAWorkerHasLimitsOnlyAtTheLimit(t *testing.T) {
	t.Parallel()
	for _, limited := range []bool{false, true} {
		a, err := engine.Load(engine.Options{
			Catalogue: catalogue(limited), ConfigPath: "../../../pipeline/engine/config/testdata/minimal.good.yaml", Now: time.Now, LogTo: io.Discard,
			LookupEnv: func(string) (string, bool) { return "secret", true },
			ReadFile:  os.ReadFile,
		})
		must(t, err)
		limits := a.Organization(a.Config.Organizations[0].Key).Limits["inventory"]
		if of := []int{limits.PerMinute, limits.Daily, limits.Concurrent}; limited == slices.Contains(of, 0) || !limited && slices.Max(of) > 0 {
			t.Errorf("limited %t: calls are held against %+v", limited, limits)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	full, err := parse(nil, io.Discard)
	if err != nil || full.rounds != 3 || full.large != 50_400 || len(full.only) != 5 {
		t.Errorf("without flags %+v is measured, %v", full, err)
	}
	quick, err := parse([]string{"-quick", "-only", "loader,limit"}, io.Discard)
	if err != nil || quick.rounds != 1 || quick.large >= full.large {
		t.Errorf("with -quick %+v is measured, %v", quick, err)
	}
	if !slices.Equal(quick.only, []string{"loader", "limit"}) {
		t.Errorf("with -only %q is measured", quick.only)
	}
	for _, args := range [][]string{{"-only", "unicorns"}, {"surprise"}} {
		if p, err := parse(args, io.Discard); err == nil {
			t.Errorf("%q gives %+v and no error", args, p)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
