package enginetest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/closings"
	"sluice/sandbox"
)

// ours are columns that the program fills itself.
const ours = `_content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at`

// TestClosedPeriodOfADeclaredList: a list that the configuration declares is in closed periods by
// its block dated, like one of the program.
func TestClosedPeriodOfADeclaredList(t *testing.T) {
	f := newFixture(t, sandbox.Options{Seed: 91, Records: 3}, nil, "", single())
	f.exec(`INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ($1, $1, 'Asia/Kolkata')`, businessKey)
	f.exec(`INSERT INTO inventory.organizations (organization_id, id, name, currency_code, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
		VALUES ($1, $1, $1, 'INR', '\x00', 1, 0, 1, now(), now())`, businessKey)
	f.reconfigure(f.config + declaredDated)
	f.exec(`UPDATE sluice.streams SET watermark = now()`)
	f.exec(`INSERT INTO custom.sales (organization_id, sale_id, day, net, currency, price, state, shop, note, `+ours+`)
		SELECT $1, id, day::date, net, currency, price, state, 'north', 'note', '\x00', 1, 0, 1, now(), now() FROM (VALUES
			('1', '2025-10-01', 100, 'INR', 1, 'sent'), ('2', '2025-10-31', 7, 'USD', 80, 'sent'), ('3', '2025-10-05', 1000, 'INR', 1, 'won''t do'),
			('4', '2025-11-01', 50, 'INR', 1, 'sent'), ('5', '2025-10-09', 30, 'INR', 1, NULL)) AS v (id, day, net, currency, price, state)`, businessKey)
	f.exec(`INSERT INTO custom.sales_parts (organization_id, _parent_id, _position, item_id, size) VALUES ($1, '1', 0, 'a', 1), ($1, '2', 0, 'b', 2)`, businessKey)
	month := check.Sure(closings.Parse("2025-10"))(t)
	made := check.Sure(f.app.ClosePeriod(t.Context(), businessKey, month, false, false))(t)
	var sums []string
	for _, sum := range made.Sums {
		if sum.Table == "custom.sales" {
			var figures map[string]json.Number
			check.Must(t, json.Unmarshal(sum.Figures, &figures))
			sums = append(sums, fmt.Sprint(sum.Currency, " ", sum.Counted, " ", figures))
		}
	}
	want := []string{"INR 2 map[net:130]", "USD 1 map[net:7]"}
	check.ErrorIf(t, !slices.Equal(sums, want), "closed with %q, want %q", sums, want)
	f.exec(`UPDATE custom.sales SET note = 'another', _changed_at = clock_timestamp()`)             // belongs to no period
	f.exec(`UPDATE custom.sales SET net = 60, _changed_at = clock_timestamp() WHERE sale_id = '1'`) // 40 less
	f.exec(`UPDATE custom.sales SET shop = 'south', _changed_at = clock_timestamp() WHERE sale_id = '2'`)
	f.exec(`UPDATE custom.sales SET state = 'sent', _changed_at = clock_timestamp() WHERE sale_id = '3'`) // 1000 more
	f.exec(`UPDATE custom.sales SET day = '2025-10-30', _changed_at = clock_timestamp() WHERE sale_id = '4'`)
	f.exec(`UPDATE custom.sales_parts SET size = 3 WHERE _parent_id = '2'`) // not said to belong to it
	f.exec(`INSERT INTO custom.sales_parts (organization_id, _parent_id, _position, item_id) VALUES ($1, '5', 0, 'c')`, businessKey)
	f.exec(`UPDATE custom.sales SET _changed_at = clock_timestamp() WHERE sale_id = '5'`)
	got := one[[]string](f, `SELECT array_agg(concat_ws(' ', record_id, kind,
			coalesce(effect ->> 'net', '0'), coalesce(effect_base ->> 'net', '0'), after ->> 'shop''s') ORDER BY record_id)
		FROM analytics.after_close WHERE table_name = 'custom.sales'`)
	want = []string{"1 changed -40 -40", "2 changed 0 0 south", "3 changed 1000 1000", "4 moved_in 50 50 north", "5 changed 0 0"}
	check.ErrorIf(t, !slices.Equal(got, want), "changes %q, want %q", got, want)
}

// declaredDated is a list with all words about its period. Some hold what SQL would take for its
// own.
const declaredDated = `
custom:
  - service: inventory
    name: sales
    doc: A sale over the counter.
    path: /sales
    key: sales
    id: sale_id
    scope: settings
    columns:
      - {wire: day, kind: date}
      - {wire: net, kind: decimal}
      - {wire: currency, kind: id}
      - {wire: price, kind: decimal}
      - {wire: state, kind: text}
      - {wire: "shop's", name: shop, kind: text, class: plain}
      - {wire: note, kind: text}
    children:
      - name: parts
        columns:
          - {wire: item_id, kind: id}
          - {wire: size, kind: decimal}
    dated:
      on: day
      figures: [net]
      currency: currency
      rate: price
      state: state
      out: [draft, "won't do"]
      with: ["shop's"]
      lines: parts
      line_columns: [item_id]
`

// TestFurtherListsGetTheirViews: a list of the catalogue is off until the configuration names it;
// then a plan makes its tables, and the views over them appear with the figures that they have.
func TestFurtherListsGetTheirViews(t *testing.T) {
	f := newFixture(t, sandbox.Options{Seed: 91, Records: 3}, nil, "", single())
	views := func() []string {
		return one[[]string](f, `SELECT coalesce(array_agg(c.relname::text ORDER BY c.relname), '{}') FROM pg_class c
			WHERE relnamespace = 'analytics'::regnamespace AND relname IN ('invoices', 'ar_ageing', 'vendor_credits', 'journal_lines')`)
	}
	if got := views(); len(got) > 0 {
		t.Fatalf("without their lists there are the views %v", got)
	}
	plan := f.reconfigure(f.config + "catalogue: [invoices, journals]\n")
	check.ErrorIf(t, !strings.Contains(plan.SQL, `CREATE TABLE "custom"."invoices_line_items"`), "the plan is\n%s", plan.SQL)
	check.Same(t, "views", []string{"ar_ageing", "invoices", "journal_lines"}, views())
	f.exec(`INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ('x', 'X', 'UTC')`)
	f.exec(`INSERT INTO accounting.organizations (organization_id, id, name, currency_code, ` + ours + `) VALUES ('x', 'x', 'X', 'INR', '\x00', 1, 0, 1, now(), now())`)
	f.exec(`INSERT INTO custom.invoices (organization_id, invoice_id, customer_id, status, due_date, currency_code, exchange_rate, balance, ` + ours + `)
		SELECT 'x', i, 'c', s, (now() AT TIME ZONE 'UTC')::date - late, c, r, open, '\x00', 1, 0, 1, now(), now() FROM (VALUES
			('1', 'sent', 10, 'INR', NULL::numeric, 100), ('2', 'sent', 0, 'INR', 1, 7), ('3', 'draft', 10, 'INR', 1, 1000), ('4', 'sent', 70, 'USD', 80, 2),
			('5', 'sent', 70, 'USD', NULL, 3)) AS v (i, s, late, c, r, open)`)
	got := one[[]string](f, `SELECT array_agg(concat_ws(' ', customer_id, currency_code, open, open_base, not_due_base, days_1_to_30_base, days_61_to_90_base,
		invoices_without_rate) ORDER BY currency_code) FROM analytics.ar_ageing WHERE organization_id = 'x'`)
	want := []string{"c INR 107 107 7 100 0 0", "c USD 5 160 0 0 160 1"}
	check.ErrorIf(t, !slices.Equal(got, want), "ageing %q, want %q", got, want)
	f.exec(`INSERT INTO custom.journals (organization_id, journal_id, status, currency_code, exchange_rate, ` + ours + `)
		VALUES ('x', 'j', 'published', 'USD', 80, '\x00', 1, 0, 1, now(), now())`)
	f.exec(`INSERT INTO custom.journals_line_items (organization_id, _parent_id, _position, account_id, debit_or_credit, amount)
		VALUES ('x', 'j', 0, 'a', 'debit', 5), ('x', 'j', 1, 'b', 'credit', 5)`)
	got = one[[]string](f, `SELECT array_agg(concat_ws(' ', account_id, debit, credit, debit_base, credit_base) ORDER BY line) FROM analytics.journal_lines`)
	want = []string{"a 5 0 400 0", "b 0 5 0 400"}
	check.ErrorIf(t, !slices.Equal(got, want), "journal %q, want %q", got, want)
}

// declaredProducts is a module of the CRM as an operator declares it, under a wrong key.
const declaredProducts = `
custom:
  - service: crm
    name: crm_products
    doc: A product as the CRM has it.
    path: /v8/Products
    key: deals
    id: id
    scope: modules
    paging: token
    params: {fields: "Product_Name,Unit_Price,Created_Time,Modified_Time"}
    cursor: {kind: newest_first, modified: Modified_Time, sort: Modified_Time}
    columns:
      - {wire: Product_Name, kind: text, doc: Name of the product.}
      - {wire: Unit_Price, kind: decimal, doc: Price of one unit.}
      - {wire: Created_Time, kind: time, doc: When the product was made.}
`

// TestCustomListOfTheCRM copies a module of the CRM, which has no built-in list. A wrong key costs
// one call and is named.
func TestCustomListOfTheCRM(t *testing.T) {
	const items, products = "inventory.items", "crm.crm_products"
	f := newFixture(t, sandbox.Options{Seed: 92, Records: 2000}, []string{items}, "", single())
	f.reconfigure(strings.Replace(f.config, "chat: {plan: free}", "chat: {plan: free}, crm: {plan: free}", 1) + declaredProducts)
	f.failing(products)
	const made = `SELECT count(*) FROM sluice.calls WHERE service = 'crm'`
	reason := one[string](f, `SELECT reason FROM sluice.streams WHERE resource = 'crm_products'`)
	if calls := one[int](f, made); calls != 1 || !strings.Contains(reason, "the key deals is missing") || !strings.Contains(reason, "keys data, info") {
		t.Errorf("a wrong key cost %d calls, want 1, and says %q", calls, reason)
	}
	f.config = strings.Replace(f.config, "key: deals", "key: data", 1)
	f.close()
	f.open()
	f.copies(items, products)
	// Inventory rounds no price and shows the same instants with another offset.
	const wrong = `SELECT count(*) FROM custom.crm_products p FULL JOIN inventory.items i ON i.organization_id = p.organization_id AND i.item_id = p.id
		WHERE p.id IS NULL OR i.item_id IS NULL OR p.product_name <> i.name OR p.unit_price <> i.rate
			OR p.modified_time <> i.last_modified_time OR p.created_time <> i.created_time OR p._extra IS NOT NULL`
	rows, n := one[int](f, `SELECT count(*) FROM custom.crm_products`), one[int](f, wrong)
	check.ErrorIf(t, rows <= 400 || n > 0, "%d rows, more than two pages wanted, %d of them not those of the items", rows, n)
	check.Sure(f.world.Change(sandbox.Change{Seed: 4, Inserts: 2, Edits: 3, Resources: []string{"items"}}))(t)
	before := one[int](f, made)
	f.copies(items, products)
	if n, calls := one[int](f, wrong), one[int](f, made)-before; n > 0 || calls != 1 {
		t.Errorf("after changes %d rows are wrong, with %d calls, want 1: the list is sorted by modification", n, calls)
	}
}
