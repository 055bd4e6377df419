//go:build e2e

package cli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"sluice/sandbox"
	"sluice/sandbox/world/ids"
	bookkeeping "sluice/sandbox/world/ledger"
	"sluice/sandbox/world/ledger/figures"
)

// updateResults writes the results of the questions into their page:
// go test -tags e2e ./cmd/sluice/cli -run TestQuestions -update.
var updateResults = flag.Bool("update", false, "write the results of the questions into their page")

const questionsPage = "../../../docs/analysts/questions.md"

// pageQuestion is one of the thirty questions of the page.
type pageQuestion struct {
	title, sql, result string
	number             int
}

// shownQuestion matches a question of the page: number and title, SQL, and its result.
var shownQuestion = regexp.MustCompile("(?ms)^### ([0-9]+)\\. ([^\n]+)\n\n```sql\n(.*?)```\n(?:\n```text\n(.*?)```\n)?")

func readQuestions(t *testing.T) (string, []pageQuestion) {
	t.Helper()
	page := sure(os.ReadFile(questionsPage))(t)
	var all []pageQuestion
	for _, found := range shownQuestion.FindAllStringSubmatch(string(page), -1) {
		number := sure(strconv.Atoi(found[1]))(t)
		all = append(all, pageQuestion{number: number, title: found[2], sql: strings.TrimSuffix(found[3], ";\n"), result: found[4]})
	}
	return string(page), all
}

// oracles are the answers by the number of the question. Each has all rows, without the key of the
// organization, in any order.
func oracles() map[int]func(*organizationBooks) []row {
	type o = organizationBooks
	return map[int]func(*organizationBooks) []row{
		1: (*o).byAge, 2: (*o).byAgeThen, 3: (*o).creditors, 4: (*o).dueSoon, 5: (*o).late, 6: (*o).byVendorAndMonth, 7: (*o).byAccountLoaded, 8: (*o).bySum,
		9: (*o).pricesPaid, 10: (*o).taxes, 11: (*o).applied, 12: (*o).leftOver, 13: (*o).openNotes, 14: (*o).activity, 15: (*o).punctual,
		16: (*o).exchangeResult, 17: (*o).exposed, 18: (*o).revalued, 19: (*o).inEuros, 20: (*o).reconciled, 21: (*o).opened, 22: (*o).held, 23: (*o).toReorder,
		24: (*o).rises, 25: (*o).changed, 27: (*o).lost, 29: (*o).centres,
	}
}

// looks say what of an answer is compared, where the clock of the test or of the warehouse decides
// about the rest.
func looks() map[int]string {
	return map[int]string{
		27: "SELECT organization_id, resource, record_id, is_gone FROM (%s) AS shown",
		10: "SELECT * FROM (%s) AS shown WHERE rate IS DISTINCT FROM 0", // the books have no entry for a tax of nothing
	}
}

// falling are the columns by which answers fall within an organization, unknown values last.
func falling() map[int]int { return map[int]int{1: 4, 2: 3, 3: 4, 5: 4} }

// TestQuestions asks the thirty questions of the docs in a warehouse whose books close, and
// compares all rows with the figures of the books: with no single record loaded, with some, with
// all, and after weeks of changes.
func TestQuestions(t *testing.T) {
	t.Parallel()
	page, all := readQuestions(t)
	fatalIf(t, len(all) != 30, "%s has %d questions", questionsPage, len(all))
	q := newBooks(t)
	began := time.Now()
	for _, state := range []struct {
		name  string
		reach func()
	}{
		{"no details", q.copyHeaders},
		{"some details", func() { q.copyDetails(2) }},
		{"all details", q.copyAllDetails},
		{"after changes", q.goOn},
	} {
		state.reach()
		t.Log(state.name, time.Since(began))
		for _, asked := range all {
			t.Run(fmt.Sprintf("%s/%d", state.name, asked.number), func(t *testing.T) { q.answers(t, asked, state.name == "after changes") }) //nolint:paralleltest // they share a connection
		}
		t.Run(state.name+"/difference", func(t *testing.T) { q.findsDifference(t, state.name == "after changes") }) //nolint:paralleltest // as above
	}
	t.Run("tutorial", func(t *testing.T) { q.teaches(t) }) //nolint:paralleltest // as above
	q.shows(t, page, all)
}

func (q *booksFixture) shows(t *testing.T, page string, all []pageQuestion) {
	t.Helper()
	for _, asked := range all {
		if untold()[asked.number] {
			continue
		}
		result := q.result(t, asked.sql)
		if *updateResults {
			old, fresh := "```sql\n"+asked.sql+";\n```\n", "```sql\n"+asked.sql+";\n```\n\n```text\n"+result+"```\n"
			if asked.result != "" {
				old += "\n```text\n" + asked.result + "```\n"
			}
			page = strings.Replace(page, old, fresh, 1)
		} else if asked.result != result {
			t.Errorf("%d. %s: the page shows\n%s\nand the answer is\n%s", asked.number, asked.title, asked.result, result)
		}
	}
	if *updateResults {
		must(t, os.WriteFile(questionsPage, []byte(page), 0o600))
	}
}

// untold are the questions whose answers hold times of the test itself.
func untold() map[int]bool { return map[int]bool{27: true, 28: true} }

// result is an answer as psql aligns it: its first rows, and how many there are.
func (q *booksFixture) result(t *testing.T, sql string) string {
	t.Helper()
	rows := sure(q.conn.Query(t.Context(), sql, pgx.QueryExecModeSimpleProtocol))(t)
	var names []string
	for _, f := range rows.FieldDescriptions() {
		names = append(names, f.Name)
	}
	rows.Close()
	const most = 5
	all := q.query(t, sql)
	lines, widths, figures := [][]string{names}, make([]int, len(names)), make([]bool, len(names))
	for _, r := range all[:min(most, len(all))] {
		var cells []string
		for i, cell := range r {
			text := ""
			if cell != nil {
				text = cell.(string)
				figures[i] = figure.MatchString(text) && !strings.HasSuffix(names[i], "_id")
			}
			cells = append(cells, text)
		}
		lines = append(lines, cells)
	}
	for _, cells := range lines {
		for i, text := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	var b strings.Builder
	for n, cells := range lines {
		for i, text := range cells {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if n > 0 && figures[i] {
				text = pad + text
			} else {
				text += pad
			}
			cells[i] = " " + text
		}
		b.WriteString(strings.TrimRight(strings.Join(cells, " |"), " ") + "\n")
		if n == 0 {
			for i, width := range widths {
				cells[i] = strings.Repeat("-", width+2)
			}
			b.WriteString(strings.Join(cells, "+") + "\n")
		}
	}
	fmt.Fprintf(&b, "(%d of %d rows)\n", len(lines)-1, len(all))
	return b.String()
}

// answers compares the answer of a question with the books. Only companies that have lived on have
// an answer to every question.
func (q *booksFixture) answers(t *testing.T, asked pageQuestion, lived bool) {
	t.Helper()
	if check := checksOfQuestions()[asked.number]; check != nil {
		check(q, t, asked)
		return
	}
	oracle := oracles()[asked.number]
	got := q.query(t, looked(looks()[asked.number], asked.sql))
	want, answered := sixths(q.each(oracle)), sixths(got)
	errorIf(t, lived && len(want) == 0, "%d. %s: the books have no answer, so nothing was compared", asked.number, asked.title)
	column, falls := falling()[asked.number]
	errorIf(t, falls && !fallsBy(got, column), "%d. %s: the rows do not fall by column %d", asked.number, asked.title, column)
	if missing, invented := apart(want, answered); len(missing)+len(invented) > 0 {
		t.Errorf("%d. %s\nof %d rows of the books %d are missing:\n%s\nof %d rows of the answer %d are not in the books:\n%s", asked.number, asked.title,
			len(want), len(missing), head(missing), len(answered), len(invented), head(invented))
	}
}

func apart(a, b []string) ([]string, []string) {
	var onlyA, onlyB []string
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			onlyA, a = append(onlyA, a[0]), a[1:]
		case len(a) == 0 || b[0] < a[0]:
			onlyB, b = append(onlyB, b[0]), b[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
	return onlyA, onlyB
}

func (q *booksFixture) query(t *testing.T, sql string) []row {
	t.Helper()
	rows, err := q.conn.Query(t.Context(), sql, pgx.QueryExecModeSimpleProtocol)
	fatalIf(t, err != nil, "%v\n%s", err, sql)
	got, err := pgx.CollectRows(rows, cellsOf)
	fatalIf(t, err != nil, "%v\n%s", err, sql)
	return got
}

// sixth writes a row so that equal values look alike: numbers with six decimals.
func sixth(cells row) string { return spelled(cells, nearly) }

// sixths writes rows, sorted.
func sixths(rows []row) []string {
	var all []string
	for _, r := range rows {
		all = append(all, sixth(r))
	}
	slices.Sort(all)
	return all
}

// nearly writes a number with six decimals. The database ends quotients somewhere, so that halves
// would go either way: a little more than half is one.
func nearly(value *big.Rat) string {
	return new(big.Rat).Add(value, big.NewRat(1, 1_000_000_000)).FloatString(6)
}

func fallsBy(rows []row, column int) bool {
	return slices.IsSortedFunc(rows, func(a, b row) int {
		if a[0] != b[0] {
			return 0
		}
		x, y := numeral(a[column]), numeral(b[column])
		if x == nil || y == nil {
			return boolean(x == nil) - boolean(y == nil)
		}
		return y.Cmp(x)
	})
}

func numeral(cell any) *big.Rat {
	value, ok := new(big.Rat).SetString(fmt.Sprint(cell))
	if !ok {
		return nil
	}
	return value
}

// checksOfQuestions are the checks of answers that are no figures of the books.
func checksOfQuestions() map[int]func(*booksFixture, *testing.T, pageQuestion) {
	return map[int]func(*booksFixture, *testing.T, pageQuestion){
		26: (*booksFixture).findsTwins, 28: (*booksFixture).agreesWithStatus, 30: (*booksFixture).listsAllViews,
	}
}

// findsTwins: every vendor that was entered twice is found, by what the copied records show, and at
// most one pair that is none, among 80 vendors; bills that were entered twice are noticed.
func (q *booksFixture) findsTwins(t *testing.T, asked pageQuestion) {
	t.Helper()
	found := map[string]map[string]bool{}
	for _, b := range q.all {
		found[b.key] = map[string]bool{}
	}
	for _, r := range q.query(t, asked.sql) {
		found[r[0].(string)][fmt.Sprint(r[1], " ", r[2])] = true
	}
	for _, b := range q.all {
		q.books(b, func(o *organizationBooks) {
			pairs := map[string]bool{}
			for _, d := range o.Duplicates() {
				pair := d.First + " " + d.Second
				pairs[pair] = true
				errorIf(t, !found[b.key][pair] && (d.Name || len(o.bills) > len(o.Ledger.Bills)/2),
					"%s: the vendors %s are one, and are not found", b.name, pair)
			}
			invented := 0
			for pair := range found[b.key] {
				if !pairs[pair] {
					invented++
				}
			}
			errorIf(t, invented > 1, "%s: %d pairs of vendors are no duplicates: %v", b.name, invented, found[b.key])
			q.findsBillsTwice(t, b, o.TwiceEntered())
		})
	}
}

func (q *booksFixture) findsBillsTwice(t *testing.T, b business, twice []figures.TwiceEntered) {
	t.Helper()
	var want []string
	for _, pair := range twice {
		want = append(want, pair.First, pair.Second)
	}
	slices.Sort(want)
	got := one[[]string](q.fixture, `SELECT coalesce(array_agg(record_id ORDER BY record_id), '{}') FROM analytics.quality
		WHERE organization_id = $1 AND resource = 'inventory.bills' AND check_name = 'bill_number_repeated'`, b.key)
	errorIf(t, len(twice) == 0 || !slices.Equal(got, slices.Compact(want)),
		"%s: bills entered twice are %v, noticed are %v", b.name, want, got)
}

// agreesWithStatus: the times are those that the operator sees.
func (q *booksFixture) agreesWithStatus(t *testing.T, asked pageQuestion) {
	t.Helper()
	const form = "2006-01-02 15:04:05.000000"
	written := func(at *time.Time) any {
		if at == nil {
			return nil
		}
		return at.UTC().Round(time.Microsecond).Format(form)
	}
	var status struct {
		Streams []struct {
			Organization string     `json:"organization"`
			Service      string     `json:"service"`
			Resource     string     `json:"resource"`
			Watermark    *time.Time `json:"watermark"`
			LastDoneAt   *time.Time `json:"last_done_at"`
			NextDueAt    *time.Time `json:"next_due_at"`
			Quarantined  int        `json:"quarantined"`
			Enabled      bool       `json:"enabled"`
		} `json:"streams"`
	}
	o := q.run("status", "--json")
	must(t, json.Unmarshal([]byte(o.stdout), &status))
	seen := map[string]string{}
	for _, s := range status.Streams {
		state := "copied"
		switch {
		case !s.Enabled:
			state = "not copied any more"
		case s.Watermark == nil:
			state = "first copy under way"
		}
		seen[s.Organization+" "+s.Service+"."+s.Resource] = sixth(row{state, written(s.Watermark), written(s.LastDoneAt), written(s.NextDueAt), s.Quarantined})
	}
	rows := q.query(t, `SELECT organization_id, resource, state, to_char(complete_up_to AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'),
		to_char(last_looked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), to_char(next_look_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'),
		in_quarantine, share_complete FROM (`+asked.sql+`) AS shown`)
	errorIf(t, len(rows) < 50, "%d rows", len(rows))
	for _, r := range rows {
		got, want := sixth(r[2:7]), seen[fmt.Sprint(r[0], " ", r[1])]
		errorIf(t, got != want, "%s %s: %s, status says %s", r[0], r[1], got, want)
	}
	for _, b := range q.all {
		var bills map[string]bool
		q.books(b, func(o *organizationBooks) { bills = o.bills })
		live, loaded := 0, 0
		for raw := range q.world.TruthOf(b.id, b.dataCenter, "inventory", "bills") {
			live++
			if bills[parse(raw).text("bill_id")] {
				loaded++
			}
		}
		at := slices.IndexFunc(rows, func(r row) bool { return r[0] == b.key && r[1] == "inventory.bills" })
		want := fmt.Sprintf("%.4f", float64(loaded)/float64(live))
		errorIf(t, rows[at][7] != want, "%s: %v of the bills are complete, want %s", b.name, rows[at][7], want)
	}
}

// findsDifference: where a payables account was made to differ from the open bills by 1.00, the
// checks say so, and nowhere else.
func (q *booksFixture) findsDifference(t *testing.T, planted bool) {
	t.Helper()
	got := q.query(t, `SELECT organization_id, amount FROM analytics.quality WHERE check_name = 'control_differs'`)
	if !planted {
		errorIf(t, len(got) > 0, "the books agree, the checks find differences: %v", got)
		return
	}
	errorIf(t, len(got) != 1 || got[0][0] != q.all[2].key || rounded(numeral(got[0][1])).Cmp(big.NewRat(1, 1)) != 0,
		"the checks find %v, want 1.00 of %s", got, q.all[2].key)
}

// listsAllViews: the catalog has each view with all its columns.
func (q *booksFixture) listsAllViews(t *testing.T, asked pageQuestion) {
	t.Helper()
	var got []string
	for _, r := range q.query(t, asked.sql) {
		got = append(got, sixth(r[:3]))
	}
	want := one[[]string](q.fixture, `SELECT array_agg(concat_ws(' | ', table_schema, table_name, n || '.000000') ORDER BY table_name)
		FROM (SELECT table_schema::text, table_name::text, count(*) AS n FROM information_schema.columns WHERE table_schema = 'analytics' GROUP BY 1, 2) AS c`)
	slices.Sort(got)
	slices.Sort(want)
	errorIf(t, !slices.Equal(got, want) || len(got) < 40, "the catalog lists\n%v\nthere are\n%v", got, want)
}

// lesson is what the books say about one statement of the tutorial.
type lesson struct {
	// has is a text that only this statement contains; look selects what of the answer is compared.
	has, look string
	of        func(*organizationBooks) []row
	// wrong: the tutorial says that the statement is wrong, so its answer has to be.
	wrong bool
}

func lessons() []lesson {
	type o = organizationBooks
	return []lesson{
		{has: "SELECT organization_id, base_currency, time_zone, today", of: (*o).itself},
		{has: "sum(open_base) AS open_base FROM analytics.bills WHERE is_posted AND open > 0 GROUP BY organization_id, vendor_id", of: (*o).owes},
		{has: "count(open_base) AS with_rate", of: (*o).owesByCurrency},
		{has: "FROM analytics.quality", look: "SELECT organization_id, check_name, records FROM (%s) AS shown WHERE check_name IN ('rate_unknown', 'bill_number_repeated')", of: (*o).doubts},
		{has: "FROM analytics.freshness", look: "SELECT organization_id, state, share_complete FROM (%s) AS shown WHERE resource = 'inventory.bills'", of: func(*o) []row {
			return []row{{"copied", 1}}
		}},
		{has: "FROM analytics.completeness", look: "SELECT organization_id, sum(documents), sum(complete) FROM (%s) AS shown GROUP BY 1", of: (*o).documents},
		{has: "JOIN analytics.spend_lines AS l", wrong: true, of: func(b *o) []row { return []row{b.grossAndPaid()[0][1:]} }},
		{has: "sum(b.gross_base) AS gross_base, sum(a.paid_base)", of: (*o).grossAndPaid},
		{has: "AS entered_on", of: (*o).enteredOn},
		{has: "FROM analytics.ap_ageing_on('2026-10-31')", of: (*o).openInOctober},
		{has: "FROM analytics.catalog", look: "SELECT 'any', count(*) > 5 FROM (%s) AS shown"},
	}
}

func (q *booksFixture) teaches(t *testing.T) {
	t.Helper()
	page := sure(os.ReadFile("../../../docs/analysts/README.md"))(t)
	used := 0
	for _, s := range statementsIn("the tutorial", string(page)) {
		at := slices.IndexFunc(lessons(), func(l lesson) bool { return strings.Contains(s.sql, l.has) })
		if at < 0 {
			t.Errorf("no test knows what the tutorial's statement has to answer:\n%s", s.sql)
			continue
		}
		used++
		known := lessons()[at]
		want := sixths([]row{{"any", "t"}})
		if known.of != nil {
			want = sixths(q.each(known.of))
		}
		for _, zone := range sessions() {
			q.exec("SET TimeZone = '" + zone + "'")
			got := sixths(q.query(t, looked(known.look, s.sql)))
			if right := slices.Equal(got, want); right == known.wrong {
				t.Errorf("session in %s: right is %t:\n%s\nthe answer is\n%s\nand the books say\n%s", zone, right, s.sql, head(got), head(want))
			}
		}
	}
	q.exec("RESET TimeZone")
	errorIf(t, used != len(lessons()), "the tutorial has %d statements, %d are known", used, len(lessons()))
}

func looked(look, sql string) string {
	if look == "" {
		return sql
	}
	return strings.Replace(look, "%s", sql, 1)
}

func (o *organizationBooks) itself() []row {
	return []row{{o.base(), o.Ledger.Zone.String(), o.today}}
}

func (o *organizationBooks) owes() []row {
	return rowsOf(slices.All(o.creditors()), func(_ int, r row) row { return row{r[0], r[1], r[3]} })
}

func (o *organizationBooks) owesByCurrency() []row {
	sums := map[string]*figures.Ageing{}
	for _, a := range o.Ageing(o.today) {
		sum := sumAt(sums, a.Currency)
		sum.Bills, sum.Open, sum.Base, sum.WithoutRate = sum.Bills+a.Bills, sum.Open+a.Open, sum.Base+a.Base, sum.WithoutRate+a.WithoutRate
	}
	return rowsOf(maps.All(sums), func(currency string, s *figures.Ageing) row {
		return row{currency, s.Bills, s.Bills - s.WithoutRate, money(s.Open), moneyIf(s.Bills > s.WithoutRate, s.Base)}
	})
}

// doubts are the bills without a rate and those that were entered twice.
func (o *organizationBooks) doubts() []row {
	twice := map[string]bool{}
	for _, pair := range o.TwiceEntered() {
		twice[pair.First], twice[pair.Second] = true, true
	}
	return []row{{"rate_unknown", len(o.WithoutRate())}, {"bill_number_repeated", len(twice)}}
}

func (o *organizationBooks) documents() []row {
	live := 0
	for n := range o.Ledger.Bills {
		if o.Live(ids.Bills, n) {
			live++
		}
	}
	return []row{{live, live}}
}

func (o *organizationBooks) grossAndPaid() []row {
	var paid figures.Amount
	for _, a := range o.Applications() {
		paid += bookkeeping.Convert(a.Amount.Cents(), int64(o.bill(a.Bill).Rate))
	}
	return []row{{money(allSpend(o.Spend(figures.ByVendor)).Gross), money(paid)}}
}

func (o *organizationBooks) enteredOn() []row {
	days := map[figures.Day]int{}
	for n := range o.Ledger.Bills {
		if o.Live(ids.Bills, n) {
			days[bookkeeping.DayOf(time.Unix(o.Ledger.Bills[n].Entered, 0).In(o.Ledger.Zone))]++
		}
	}
	return rowsOf(maps.All(days), func(day figures.Day, n int) row { return row{day, n} })
}

func (o *organizationBooks) openInOctober() []row {
	day := bookkeeping.DayOf(time.Date(2026, time.October, 31, 0, 0, 0, 0, time.UTC))
	bills, base := 0, figures.Amount(0)
	for _, a := range o.Ageing(day) {
		bills, base = bills+a.Bills, base+a.Base
	}
	return []row{{bills, money(base), 0}}
}

// askedAt is the instant at which the questions are asked: that of the results in the docs.
func askedAt() time.Time { return time.Date(2026, time.November, 26, 9, 0, 0, 0, time.UTC) }

// copiedAt is the instant at which the company was copied first, as its history says it.
func copiedAt() time.Time { return time.Date(2026, time.October, 20, 9, 0, 0, 0, time.UTC) }

// booksFixture is the setting for the thirty questions: three organizations whose books close, each
// with another base currency, two of them under one identifier. Clocks of upstream and of the views
// stand still, and at this instant the organizations have two dates.
type booksFixture struct {
	*fixture

	all []business
	// then is what was open after the first copy, by key of the organization and bill; gone are the
	// bills that were deleted since, back those of them that were restored.
	then       map[string]map[string]figures.Amount
	gone, back map[string][]string
}

// organizationBooks is the oracle of one organization, and what sluice has loaded of it.
type organizationBooks struct {
	figures.Books

	then     map[string]figures.Amount
	gone     []string
	back     []string
	today    figures.Day
	names    map[string]string // of items and locations, by identifier
	bills    map[string]bool   // whose single record is loaded
	payments map[string]bool
	adjusted map[string]bool
	items    map[string]bool
}

// booksResources have all that the questions need. The numbers bound the single records of a run.
const booksResources = `resources:
  inventory.bills: {history: true, calls_per_run: %d}
  inventory.items: {history: true, calls_per_run: %d}
  inventory.credit_notes: {calls_per_run: %d}
  accounting.vendor_payments: {calls_per_run: %d}
  accounting.base_currency_adjustments: {calls_per_run: %d}
  inventory.composite_items: {calls_per_run: 10}
  accounting.expenses: {enabled: true}
  accounting.contact_persons: {calls_per_run: 10}
  invoicing.contact_persons: {enabled: false}
tombstones: {apart: 0s}
`

func newBooks(t *testing.T) *booksFixture {
	t.Helper()
	q := &booksFixture{
		all: []business{
			{key: sandbox.DefaultOrganizationID, name: "first", id: sandbox.DefaultOrganizationID},
			{key: "70099990001", name: "second", id: "70099990001"},
			{key: "first-eu", name: "third", id: sandbox.DefaultOrganizationID, dataCenter: "eu"},
		},
		then: map[string]map[string]figures.Amount{}, gone: map[string][]string{}, back: map[string][]string{},
	}
	q.fixture = newFixture(t, sandbox.Options{
		World: sandbox.WorldBooks, Seed: 5, Records: 300, AsLive: true, Limits: sandbox.Limits{Off: true}, Now: askedAt,
		Organizations: []sandbox.OrganizationOptions{
			{ID: q.all[1].id, Seed: 6, TimeZone: "Europe/Berlin"},
			{ID: q.all[2].id, DataCenter: "eu", Seed: 7, TimeZone: "Pacific/Honolulu"},
		},
	})
	q.configure(q.all)
	q.bound(0)
	text := sure(os.ReadFile(filepath.Join("..", "..", "..", "migrations", "views", "organizations.sql")))(t)
	still := strings.ReplaceAll(string(text), "clock_timestamp()", "'"+askedAt().Format(time.RFC3339)+"'::timestamptz")
	fatalIf(t, still == string(text), "the views take the time from elsewhere")
	q.exec(still)
	return q
}

// bound lets each later run read so many single records of an organization, in percent of a round.
// At least it reads one: no configuration copies a list and no single record of it.
func (q *booksFixture) bound(percent int) {
	q.t.Helper()
	text := sure(os.ReadFile(q.config))(q.t)
	before, _, _ := strings.Cut(string(text), "resources:\n")
	before = strings.ReplaceAll(before, "inventory: {plan: premium}, chat", "inventory: {plan: premium}, invoicing: {plan: free}, chat")
	var calls []any
	for _, most := range []int{48, 10, 8, 30, 4} { // a minute's calls: more are made one by one
		calls = append(calls, max(1, most*percent/100))
	}
	must(q.t, os.WriteFile(q.config, []byte(before+fmt.Sprintf(booksResources, calls...)), 0o600))
}

func (q *booksFixture) hurried(resources ...string) {
	q.t.Helper()
	conn := sure(pgx.Connect(q.t.Context(), q.environment["SLUICE_DATABASE_URL"]))(q.t)
	ctx, stop := context.WithCancel(q.t.Context())
	ended := make(chan error)
	go func() {
		defer func() { ended <- conn.Close(context.WithoutCancel(ctx)) }()
		for tick := time.Tick(100 * time.Millisecond); ctx.Err() == nil; {
			select {
			case <-ctx.Done():
			case <-tick:
				// If it fails, sync waits for the minute to end.
				_, _ = conn.Exec(ctx, `UPDATE sluice.live_calls SET free_at = clock_timestamp() WHERE finished_at IS NOT NULL`)
			}
		}
	}()
	q.sync(codeFine, resources...)
	stop()
	must(q.t, <-ended)
}

// copyHeaders copies all lists, and one single record for each list that shows no lines.
func (q *booksFixture) copyHeaders() {
	q.t.Helper()
	q.hurried("accounting.organizations") // from now on the streams are known
	q.hurried(one[[]string](q.fixture, `SELECT array_agg(DISTINCT service || '.' || resource) FROM sluice.streams
		WHERE resource NOT LIKE '%.details' AND resource NOT LIKE '%.sweep' AND resource NOT LIKE '%.look'
		AND service || '.' || resource NOT IN ('invoicing.contact_persons')`)...)
}

// later is an hour later, as sluice sees it: the next turn of each stream has come. The access
// tokens stay: upstream, whose clock stands still, gives only a few.
func (q *booksFixture) later() {
	q.t.Helper()
	q.pass(2 * time.Hour)
	q.exec(`UPDATE sluice.tokens SET expires_at = expires_at + interval '2 hours'`)
	// What changes upstream has the time of its clock, which stands still, while the dates of its
	// answers go on.
	q.exec(`UPDATE sluice.streams SET watermark = least(watermark, $1)`, askedAt().Add(-time.Hour))
}

// copyDetails copies single records: two fifths of the bills in two rounds.
func (q *booksFixture) copyDetails(rounds int) {
	q.t.Helper()
	q.bound(100)
	for range rounds {
		q.later()
		q.hurried("inventory.bills.details", "inventory.items.details", "inventory.credit_notes.details", "inventory.composite_items.details",
			"accounting.vendor_payments.details", "accounting.base_currency_adjustments.details")
	}
}

func (q *booksFixture) copyAllDetails() {
	q.t.Helper()
	for range 20 {
		q.copyDetails(1)
		if one[int](q.fixture, `SELECT sum(backlog)::int FROM analytics.freshness`) == 0 {
			return
		}
	}
	q.t.Fatal("single records are missing after twenty rounds")
}

// goOn lets the companies live on, and copies what happened. What was copied until now was copied
// weeks ago, as the history says it.
func (q *booksFixture) goOn() {
	q.t.Helper()
	q.loseBills()
	q.backdate()
	q.settle()
	q.change()
	q.settle()
}

func (q *booksFixture) loseBills() {
	q.t.Helper()
	for _, b := range q.all {
		q.then[b.key] = q.openNow(b)
		gone := sure(q.world.Plant(b.id, b.dataCenter, "deletions"))(q.t)
		q.gone[b.key] = gone
	}
}

// change restores one of the deleted bills, enters, edits and pays bills, raises prices, and makes
// the payables account of the last organization differ from its bills by 1.00.
func (q *booksFixture) change() {
	q.t.Helper()
	for _, b := range q.all {
		back := sure(q.world.Plant(b.id, b.dataCenter, "restore"))(q.t)
		q.back[b.key] = back
		sure(q.world.Plant(b.id, b.dataCenter, "price_rises"))(q.t)
		sure(q.world.ChangeOf(b.id, b.dataCenter, sandbox.Change{Seed: 9, Inserts: 3, Edits: 6, Resources: []string{"bills"}}))(q.t)
	}
	last := q.all[len(q.all)-1]
	sure(q.world.Plant(last.id, last.dataCenter, "difference"))(q.t)
}

// settle copies what changed, with two scans that prove what is gone.
func (q *booksFixture) settle() {
	q.t.Helper()
	q.age()
	q.later()
	q.copyHeaders()
	for range 2 {
		q.hurried("inventory.bills.sweep")
	}
	q.hurried("accounting.chart_of_accounts.sweep") // balances move without a modification time
	q.copyAllDetails()
}

// backdate says that the first copy was made weeks ago.
func (q *booksFixture) backdate() {
	since := time.Since(copiedAt()).String()
	q.exec(`UPDATE history.versions SET valid_from = valid_from - $1::interval, valid_to = valid_to - $1::interval, upstream_from = least(upstream_from, valid_from - $1::interval)`, since)
	q.exec(`UPDATE history.periods SET began_at = began_at - $1::interval, asked_at = asked_at - $1::interval`, since)
}

func (q *booksFixture) openNow(b business) map[string]figures.Amount {
	open := map[string]figures.Amount{}
	q.books(b, func(o *organizationBooks) {
		for _, item := range o.OpenItems(o.Ledger.Latest) {
			open[item.Bill] = item.Open
		}
	})
	return open
}

func (q *booksFixture) books(b business, f func(*organizationBooks)) {
	q.t.Helper()
	zone, err := time.LoadLocation(one[string](q.fixture, `SELECT time_zone FROM analytics.organizations WHERE organization_id = $1`, b.key))
	must(q.t, err)
	loaded := func(table, id string) map[string]bool {
		ids := one[[]string](q.fixture, `SELECT coalesce(array_agg(`+id+`), '{}') FROM `+table+` WHERE organization_id = $1 AND _detail_state IN ('current', 'none_needed')`, b.key)
		set := map[string]bool{}
		for _, id := range ids {
			set[id] = true
		}
		return set
	}
	o := &organizationBooks{
		then: q.then[b.key], gone: q.gone[b.key], back: q.back[b.key],
		names: map[string]string{}, today: bookkeeping.DayOf(askedAt().In(zone)), bills: loaded("inventory.bills", "bill_id"), payments: loaded("accounting.vendor_payments", "payment_id"),
		adjusted: loaded("accounting.base_currency_adjustments", "base_currency_adjustment_id"), items: loaded("inventory.items", "item_id"),
	}
	for raw := range q.world.TruthOf(b.id, b.dataCenter, "inventory", "items") {
		item := parse(raw)
		o.names[item.text("item_id")] = item.text("name")
	}
	for raw := range q.world.TruthOf(b.id, b.dataCenter, "inventory", "locations") {
		location := parse(raw)
		o.names[location.text("location_id")] = location.text("location_name")
	}
	must(q.t, q.world.Books(b.id, b.dataCenter, func(books figures.Books) {
		o.Books = books
		f(o)
	}))
}

// each gives the answers for all businesses, each under its key.
func (q *booksFixture) each(of func(*organizationBooks) []row) []row {
	q.t.Helper()
	var rows []row
	for _, b := range q.all {
		q.books(b, func(o *organizationBooks) {
			for _, r := range of(o) {
				rows = append(rows, append(row{b.key}, r...))
			}
		})
	}
	slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(a[0].(string), b[0].(string)) })
	return rows
}
