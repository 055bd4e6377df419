package cli

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"sluice/connectors"
	"sluice/pipeline/engine/config"
	"sluice/sandbox"
	"sluice/schema"
	"sluice/schema/custom"
)

// TestEntriesDeclareTheSame: what "sluice catalogue NAME" prints declares the same list, once it is
// pasted into the configuration. Only that its parts are assumed is not said there.
func TestEntriesDeclareTheSame(t *testing.T) {
	t.Parallel()
	for _, service := range connectors.All() {
		for i := range service.Further {
			want := service.Further[i]
			t.Run(want.Name, func(t *testing.T) {
				t.Parallel()
				var out, errs bytes.Buffer
				if code := Main(t.Context(), []string{"catalogue", want.Name}, Env{
					Stdout: &out, Stderr: &errs, LookupEnv: func(string) (string, bool) { return "", false },
					ReadFile: os.ReadFile, Now: time.Now,
				}); code != codeFine {
					t.Fatalf("exit code %d: %s", code, errs.String())
				}
				path := filepath.Join(t.TempDir(), "config.yaml")
				must(t, os.WriteFile(path, []byte(furtherHead+out.String()), 0o600))
				loaded, err := config.LoadOffline(path, func(string) (string, bool) { return "home", true }, os.ReadFile, connectors.All())
				must(t, err)
				at := slices.IndexFunc(loaded.Services, func(s schema.Service) bool { return s.Name == service.Name })
				resources := loaded.Services[at].Resources
				at = slices.IndexFunc(resources, func(r schema.Resource) bool { return r.Name == want.Name && r.Schema == custom.Schema })
				if at < 0 {
					t.Fatal("the list is not declared")
				}
				if diff := gocmp.Diff(sayable(want), sayable(resources[at])); diff != "" {
					t.Errorf("-ready-made +pasted\n%s\n%s", diff, out.String())
				}
			})
		}
	}
}

const furtherHead = `vendor: {api_url: "https://www.example.com", chat_url: "https://chat.example.com", auth_url: "https://accounts.example.com"}
organizations:
  - name: north
    id: "1"
    credentials: {client_id: 1000.NORTH, client_secret: "${SECRET}", refresh_token: "${TOKEN}"}
    services:
      accounting: {plan: standard}
`

// sayable leaves out what an entry cannot say.
func sayable(r schema.Resource) schema.Resource {
	every, _ := time.ParseDuration(r.Every)
	r.Every, r.Assumed = every.String(), nil
	r.Columns = named(r.Columns)
	r.Children = slices.Clone(r.Children)
	for i := range r.Children {
		r.Children[i].Columns = named(r.Children[i].Columns)
	}
	return r
}

func named(columns []schema.Column) []schema.Column {
	columns = slices.Clone(columns)
	for i := range columns {
		columns[i].Assumed = false
		columns[i].Name = cmp.Or(columns[i].Name, columns[i].Wire)
	}
	return columns
}

// TestFurtherListsGetTheirViews: a list of the catalogue is off until the configuration names it;
// then a plan makes its tables, and the views over them appear with the figures that they have.
func TestFurtherListsGetTheirViews(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 91, Records: 30})
	views := func() []string {
		return one[[]string](s, `SELECT coalesce(array_agg(c.relname::text ORDER BY c.relname), '{}') FROM pg_class c
			WHERE relnamespace = 'analytics'::regnamespace AND relname IN ('invoices', 'ar_ageing', 'vendor_credits', 'journal_lines')`)
	}
	if got := views(); len(got) > 0 {
		t.Fatalf("without their lists there are the views %v", got)
	}
	s.append("\ncatalogue: [invoices, journals]\n")
	if plan := s.accept(); !strings.Contains(plan, `CREATE TABLE "custom"."invoices_line_items"`) {
		t.Errorf("the plan is\n%s", plan)
	}
	if got := views(); !slices.Equal(got, []string{"ar_ageing", "invoices", "journal_lines"}) {
		t.Errorf("views %v", got)
	}
	const ours = `_content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at`
	s.exec(`INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ('x', 'X', 'UTC')`)
	s.exec(`INSERT INTO accounting.organizations (organization_id, id, name, currency_code, ` + ours + `) VALUES ('x', 'x', 'X', 'INR', '\x00', 1, 0, 1, now(), now())`)
	s.exec(`INSERT INTO custom.invoices (organization_id, invoice_id, customer_id, status, due_date, currency_code, exchange_rate, balance, ` + ours + `)
		SELECT 'x', i, 'c', s, (now() AT TIME ZONE 'UTC')::date - late, c, r, open, '\x00', 1, 0, 1, now(), now() FROM (VALUES
			('1', 'sent', 10, 'INR', NULL::numeric, 100), ('2', 'sent', 0, 'INR', 1, 7), ('3', 'draft', 10, 'INR', 1, 1000), ('4', 'sent', 70, 'USD', 80, 2),
			('5', 'sent', 70, 'USD', NULL, 3)) AS v (i, s, late, c, r, open)`)
	got := one[[]string](s, `SELECT array_agg(concat_ws(' ', customer_id, currency_code, open, open_base, not_due_base, days_1_to_30_base, days_61_to_90_base,
		invoices_without_rate) ORDER BY currency_code) FROM analytics.ar_ageing WHERE organization_id = 'x'`)
	if want := []string{"c INR 107 107 7 100 0 0", "c USD 5 160 0 0 160 1"}; !slices.Equal(got, want) {
		t.Errorf("ageing %q, want %q", got, want)
	}
	s.exec(`INSERT INTO custom.journals (organization_id, journal_id, status, currency_code, exchange_rate, ` + ours + `)
		VALUES ('x', 'j', 'published', 'USD', 80, '\x00', 1, 0, 1, now(), now())`)
	s.exec(`INSERT INTO custom.journals_line_items (organization_id, _parent_id, _position, account_id, debit_or_credit, amount)
		VALUES ('x', 'j', 0, 'a', 'debit', 5), ('x', 'j', 1, 'b', 'credit', 5)`)
	got = one[[]string](s, `SELECT array_agg(concat_ws(' ', account_id, debit, credit, debit_base, credit_base) ORDER BY line) FROM analytics.journal_lines`)
	if want := []string{"a 5 0 400 0", "b 0 5 0 400"}; !slices.Equal(got, want) {
		t.Errorf("journal %q, want %q", got, want)
	}
}
