package cli

import (
	"maps"
	"strings"
	"testing"

	"sluice/sandbox"
	"sluice/schema"
)

func dayRead() *schema.Read {
	return &schema.Read{Name: "forecast", Params: []schema.Param{{Name: "day", Doc: "Day.", Required: true}, {Name: "note", Doc: "Note."}}}
}

func TestReadParams(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]map[string]string{
		"day=2026-01-02":   {"day": "2026-01-02"},
		"note=a=b,c day=1": {"day": "1", "note": "a=b,c"},
	} {
		if got, err := readParams(dayRead(), strings.Fields(line)); err != nil || !maps.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", line, got, err, want)
		}
	}
	for line, want := range map[string]string{
		"":             "the parameter day is missing",
		"note=1":       "the parameter day is missing",
		"day":          "no parameter=value",
		"day=":         "no parameter=value",
		"day=1 week=2": `no parameter "week", it has: day, note`,
		"day=1 day=2":  "given twice",
	} {
		if _, err := readParams(dayRead(), strings.Fields(line)); err == nil || !strings.Contains(err.Error(), want) || codeOf(err) != codeUsage {
			t.Errorf("%q: %v, want a mistake of usage with %q", line, err, want)
		}
	}
}

func TestFindRead(t *testing.T) {
	t.Parallel()
	services := []schema.Service{{Name: "stock"}, {Name: "sales", Reads: []schema.Read{*dayRead()}}}
	for _, name := range []string{"forecast", "sales.forecast"} {
		if service, read, err := findRead(services, name); err != nil || service.Name != "sales" || read.Name != "forecast" {
			t.Errorf("%s: %v, %v, %v", name, service, read, err)
		}
	}
	for _, name := range []string{"stock.forecast", "sales", "sales.", ""} {
		if _, _, err := findRead(services, name); codeOf(err) != codeUsage {
			t.Errorf("%q: %v, want a mistake of usage", name, err)
		}
	}
}

// TestRead asks upstream for the accounts that another exchange rate would change.
func TestRead(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 5, Records: 300})
	const name = "accounting.base_currency_adjustment_accounts"
	s.run("read").prints(t, codeFine, name, "exchange_rate (required)")
	s.sync(codeFine, "invoicing.currencies")
	currency := one[string](s, `SELECT currency_id FROM invoicing.currencies WHERE NOT is_base_currency ORDER BY 1 LIMIT 1`)
	before := s.calls()
	answer := decoded[any](s, codeFine, "read", name, "currency_id="+currency, "adjustment_date=2026-03-31", "exchange_rate=84.2", "notes=quarter")
	if answer == nil || s.calls() != before+1 {
		t.Errorf("the read gave %v for %d calls, want an answer for one", answer, s.calls()-before)
	}
	for line, want := range map[string]string{
		name:                               "the parameter currency_id is missing",
		name + " currency_id=1 colour=red": `no parameter "colour"`,
		"inventory.weather":                `there is no "inventory.weather" to read`,
		name + " currency_id=1 adjustment_date=2026-03-31 exchange_rate=2 --org 1": "no configured organization",
	} {
		s.complains(codeUsage, want, strings.Fields("read "+line)...)
	}
	errorIf(t, s.calls() != before+1, "a mistake of usage cost a call")
}
