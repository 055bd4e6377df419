package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-sandbox/demo"
	"sluice/sandbox"
)

// answer is what the tests know about one statement in texts for people.
type answer struct {
	// has is a text that only this statement contains.
	has string
	// stands gives pairs of old and new words, for a statement that names an organization, a record
	// or an instant of its own. why is the reason for that, or the reason why the statement is not
	// run.
	stands func(*companyFixture, time.Time) []string
	why    string
	// look wraps the statement and selects what of its answer is compared; "" compares all of it.
	look string
	// truth is the whole answer, computed from upstream's records at an instant. It is nil for a
	// statement that has an effect, and for a text that only looks like a statement.
	truth func(*companyFixture, time.Time) []row
	// effect runs the statement and checks its effect.
	effect func(context.Context, *testing.T, pgx.Tx, string)
	// unordered answers are compared without the order of their rows.
	unordered bool
}

// sessions are the session time zones in which every question is asked: an answer must not depend
// on them.
func sessions() []string { return []string{"UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"} }

// TestAnswersAreRight runs every statement that is shown in README, docs, help texts, the example
// of the configuration, the tour and the comments in the database. It runs them against a company
// that sluice copied, and compares each answer with upstream's records.
func TestAnswersAreRight(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	shown := shownStatements(t.Context(), t, c.conn)
	c.answersAll(t, shown)
}

// analystPages are the pages whose statements are asked of books that close, not of the company of
// TestAnswersAreRight.
func analystPages() []string {
	return []string{"docs/analysts/README.md", "docs/analysts/questions.md"}
}

// pagesOfPackages are the pages whose statements another test runs: TestThePageFollows of changes,
// TestTablesArePublished with two servers. Those for other engines are no statements of Postgres;
// TestOneCut of cmd/sluice-lake asks DuckDB. TestImportedWarehouseEqualsSyncedOne copies tables of
// other programs.
func pagesOfPackages() []string {
	return []string{"docs/analysts/following-changes.md", "docs/operations/copies.md", "docs/analysts/reading-the-lake.md", "docs/importing.md"}
}

func (c *companyFixture) answersAll(t *testing.T, shown []statement) {
	t.Helper()
	all, used := otherStatements(), map[string]int{}
	var tour []string
	for _, s := range shown {
		if strings.HasPrefix(s.place, "the tour: ") {
			tour = append(tour, s.sql)
		}
	}
	for _, s := range shown {
		if slices.Contains(analystPages(), s.place) || slices.Contains(tour, s.sql) || slices.Contains(pagesOfPackages(), s.place) {
			continue // TestQuestions, TestTheTourAsksQuestionsOfThePage, and those of the packages
		}
		var known []answer
		for i := range all {
			if strings.Contains(s.sql, all[i].has) {
				known = append(known, all[i])
				used[all[i].has]++
			}
		}
		if len(known) != 1 {
			t.Errorf("%s shows a statement that %d tests know: add what its answer has to be to answers_other_test.go\n%s", s.place, len(known), s.sql)
			continue
		}
		errorIf(t, bare.MatchString(s.sql), "%s names an instant without its zone:\n%s", s.place, s.sql)
		if known[0].truth == nil && known[0].effect == nil {
			if s.sql != known[0].has { // the text is longer than the one known to be no statement
				t.Errorf("%s shows a statement that no test runs:\n%s", s.place, s.sql)
			}
			continue // the field why has the reason
		}
		for _, zone := range sessions() {
			err := c.ask(&known[0], s.sql, zone)
			errorIf(t, err != nil, "%s, session in %s: %v\n%s", s.place, zone, err, s.sql)
		}
	}
	for _, a := range all {
		errorIf(t, used[a.has] == 0, "no statement has %q any more: remove what is known of it", a.has)
	}
}

// bare is an instant of the past without a zone.
var bare = regexp.MustCompile(`as_of\([^')]*'[0-9: -]+'(?: *[,)]|$)`)

// TestTheTourAsksQuestionsOfThePage: the demo asks what docs/analysts/questions.md asks, word for
// word, so TestQuestions holds its answers, too.
func TestTheTourAsksQuestionsOfThePage(t *testing.T) {
	t.Parallel()
	page := sure(os.ReadFile("../../../docs/analysts/questions.md"))(t)
	for _, q := range demo.Questions() {
		errorIf(t, !strings.Contains(string(page), q.Text+"\n\n```sql\n"+q.SQL+";\n```"),
			"docs/analysts/questions.md does not ask %q with\n%s", q.Text, q.SQL)
	}
}

// ask runs a statement in a session with a time zone, and compares its answer or checks its effect.
// It rolls everything back.
func (c *companyFixture) ask(a *answer, sql, zone string) (err error) {
	c.t.Helper()
	ctx := c.t.Context()
	tx, err := c.conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tx.Rollback(context.WithoutCancel(ctx))) }()
	if _, err := tx.Exec(ctx, "SET LOCAL TimeZone = '"+zone+"'"); err != nil {
		return err
	}
	var now time.Time
	if err := tx.QueryRow(ctx, "SELECT now()").Scan(&now); err != nil {
		return err
	}
	if a.stands != nil {
		pairs := a.stands(c, now)
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(sql, pairs[i]) {
				return fmt.Errorf("it has no %q, which the test replaces: %s", pairs[i], a.why)
			}
		}
		sql = strings.NewReplacer(pairs...).Replace(sql)
	}
	if a.effect != nil {
		a.effect(ctx, c.t, tx, sql)
		return nil
	}
	return c.compare(ctx, tx, a, sql, now)
}

// compare compares the answer of a statement with the ledgers.
func (c *companyFixture) compare(ctx context.Context, tx pgx.Tx, a *answer, sql string, now time.Time) error {
	if a.look != "" {
		sql = fmt.Sprintf(a.look, sql)
	}
	rows, err := tx.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return err
	}
	answered, err := pgx.CollectRows(rows, cellsOf)
	if err != nil {
		return err
	}
	var got, want []string
	for _, r := range answered {
		got = append(got, written(r))
	}
	for _, r := range a.truth(c, now) {
		want = append(want, written(r))
	}
	if len(want) == 0 {
		return errors.New("the books have no answer, so nothing was compared")
	}
	if a.unordered {
		slices.Sort(got)
		slices.Sort(want)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("it answers (%d rows)\n%s\nand the books say (%d rows)\n%s", len(got), head(got), len(want), head(want))
	}
	return nil
}

func cellsOf(answered pgx.CollectableRow) (row, error) {
	var cells row
	for _, raw := range answered.RawValues() {
		if raw == nil {
			cells = append(cells, nil)
		} else {
			cells = append(cells, string(raw))
		}
	}
	return cells, nil
}

func head(rows []string) string {
	const most = 12
	if len(rows) > most {
		rows = append(slices.Clone(rows[:most]), "…")
	}
	return strings.Join(rows, "\n")
}

// written writes a row so that equal values look alike, whatever their type and scale.
func written(cells row) string { return spelled(cells, plain) }

// spelled writes a row with its numbers as number does.
func spelled(cells row, number func(*big.Rat) string) string {
	texts := make([]string, 0, len(cells))
	for _, cell := range cells {
		text := fmt.Sprint(cell)
		switch value := cell.(type) {
		case nil:
			text = "?"
		case *big.Rat:
			text = "?"
			if value != nil {
				text = number(value)
			}
		case bool:
			text = text[:1]
		default:
			if value, ok := new(big.Rat).SetString(text); ok && figure.MatchString(text) {
				text = number(value)
			}
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " | ")
}

// figure matches the texts that count as numbers in an answer.
var figure = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

func plain(value *big.Rat) string {
	text := value.FloatString(20)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// each gives the answers for all businesses, each under its key, in the order of the keys.
func (c *companyFixture) each(of func(business, *ledger) []row) []row {
	var rows []row
	for _, b := range c.all {
		for _, r := range of(b, c.today[b.key]) {
			rows = append(rows, append(row{b.key}, r...))
		}
	}
	return rows
}

func todayOf(b business, now time.Time) string {
	zone, err := time.LoadLocation(companyZones()[b.key])
	if err != nil {
		return err.Error()
	}
	return now.In(zone).Format(time.DateOnly)
}

// ledger holds upstream's records of one business.
type ledger struct{ bills, notes, items, accounts []record }

// record is a record of upstream.
type record map[string]json.RawMessage

func parse(raw []byte) record {
	var r record
	if json.Unmarshal(raw, &r) != nil {
		return record{}
	}
	return r
}

func (r record) text(name string) string {
	var s string
	if json.Unmarshal(r[name], &s) == nil {
		return s
	}
	if string(r[name]) == "null" {
		return ""
	}
	return string(r[name])
}

func (r record) list(name string) []record {
	var list []record
	if json.Unmarshal(r[name], &list) != nil {
		return nil
	}
	return list
}

func (r record) amount(name string) *big.Rat {
	value, ok := new(big.Rat).SetString(r.text(name))
	if !ok {
		return nil
	}
	return value
}

func rounded(sum *big.Rat) *big.Rat {
	if sum == nil {
		return nil
	}
	text, _ := new(big.Rat).SetString(sum.FloatString(2))
	return text
}

// row is a row of an answer: texts, whole numbers, fractions, and nil for unknown values.
type row = []any

func boolean(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

// yesterday replaces an instant in the docs: by its rows, the company was copied three days ago and
// has changed since.
func yesterday(_ *companyFixture, now time.Time) []string {
	kolkata := time.FixedZone("Asia/Kolkata", 19800)
	return []string{"'2026-11-01 00:00 Asia/Kolkata'", "'" + now.Add(-24*time.Hour).In(kolkata).Format(time.DateTime) + " Asia/Kolkata'"}
}

const atAnInstant = "no test knows what a warehouse held on a day of the calendar"

// ofDocs are the organization and the bill that docs name, and a bill of the company that changed
// since yesterday.
func ofDocs(c *companyFixture, now time.Time) []string {
	return append(yesterday(c, now), "'10234695'", "'"+c.all[1].key+"'", "'460000000038049'", "'"+c.changed(c.all[1])+"'")
}

// changed is a bill of a business that was edited once, the first by its identifier.
func (c *companyFixture) changed(b business) string { return slices.Min(c.edited[b.key]) }

// before is the answer for each business as it was yesterday.
func (c *companyFixture) before(of func(business, *ledger) []row) []row {
	var rows []row
	for _, b := range c.all {
		for _, r := range of(b, c.then[b.key]) {
			rows = append(rows, append(row{b.key}, r...))
		}
	}
	return rows
}

func balances(_ business, l *ledger) []row {
	var rows []row
	for _, r := range l.bills {
		rows = append(rows, row{r.text("bill_id"), r.text("status"), r.amount("balance"), r.amount("exchange_rate")})
	}
	return rows
}

func explained(b business, l *ledger) []row {
	var rows []row
	for _, r := range l.bills {
		id, owed := r.text("bill_id"), r.amount("balance")
		if status := r.text("status"); status == "draft" || status == "void" || owed == nil || owed.Sign() <= 0 {
			continue
		}
		address := "https://sluice.example.com/r/inventory.bills/" + url.PathEscape(id) + "?org=" + url.QueryEscape(b.key)
		rows = append(rows, row{id, owed, address})
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a[0].(string), b[0].(string)) })
	return rows
}

func shownByViews(_ business, l *ledger) []row {
	var rows []row
	for _, r := range l.bills {
		rows = append(rows, row{r.text("bill_id"), r.text("status"), r.amount("balance")})
	}
	return rows
}

const lookAtBills = "SELECT organization_id, bill_id, status, balance, exchange_rate FROM (%s) AS shown"

// role replaces the role in statements that grant rights: roles belong to the server, which tests
// share.
const role = "analysts_of_the_test"

// companyFixture is the setting for the questions of the docs: two businesses under one identifier
// in two data centers, whose dates always differ.
type companyFixture struct {
	*fixture
	all []business
	// then is what upstream had before the changes, today what it has now.
	then, today map[string]*ledger
	// edited are the bills that were edited in between, by business.
	edited map[string][]string
}

// companyZones are 25 hours apart: at any time their dates differ, and one of them differs from the
// date in UTC.
func companyZones() map[string]string {
	return map[string]string{sandbox.DefaultOrganizationID: "Pacific/Kiritimati", "first-eu": "Pacific/Pago_Pago"}
}

// companyResources are the resources that the statements of the docs need, and few others.
const companyResources = `resources:
  inventory.bills: {history: true, calls_per_run: 4}
  inventory.credit_notes: {history: true}
  inventory.items: {daily: [items_locations]}
  accounting.chart_of_accounts: {daily: [current_balance]}
  accounting.contact_persons: {calls_per_run: 5}
  accounting.base_currency_adjustments: {calls_per_run: 3}
  invoicing.contact_persons: {enabled: true, calls_per_run: 2}
  billing.contact_persons: {calls_per_run: 2}
tombstones: {apart: 0s}
`

// newCompany copies the businesses, changes them, and copies the changes that the lists show.
func newCompany(t *testing.T) *companyFixture {
	t.Helper()
	all := []business{
		{key: sandbox.DefaultOrganizationID, name: "first", id: sandbox.DefaultOrganizationID},
		{key: "first-eu", name: "second", id: sandbox.DefaultOrganizationID, dataCenter: "eu"},
	}
	zones := companyZones()
	c := &companyFixture{all: all, edited: map[string][]string{}, fixture: newFixture(t, sandbox.Options{
		Seed: 5, Records: 300, TimeZone: zones[all[0].key], Limits: sandbox.Limits{Off: true},
		Organizations: []sandbox.OrganizationOptions{{ID: all[1].id, DataCenter: "eu", Seed: 6, Records: 300, TimeZone: zones[all[1].key]}},
	})}
	c.configure(all)
	text := sure(os.ReadFile(c.config))(t)
	before, _, _ := strings.Cut(string(text), "resources:\n")
	before = strings.ReplaceAll(before, "chat: {plan: free}", "invoicing: {plan: free}, billing: {plan: paid}")
	must(t, os.WriteFile(c.config, []byte(before+companyResources), 0o600))
	c.runs(codeFine, "migrate")
	c.sync(codeFine)
	c.then = c.look()
	c.backdate()
	c.change()
	c.pass(2 * time.Minute)
	c.sync(codeFine, "bills")
	for range 2 { // two scans prove that a record is gone
		c.sync(codeFine, "bills.sweep")
	}
	c.today = c.look()
	c.exec(`INSERT INTO sluice.console_address (address) VALUES ('https://sluice.example.com')`)
	return c
}

func (c *companyFixture) backdate() {
	c.age()
	c.exec(`UPDATE history.versions SET valid_from = valid_from - interval '3 days', valid_to = valid_to - interval '3 days'`)
	c.exec(`UPDATE history.periods SET began_at = began_at - interval '3 days', asked_at = asked_at - interval '3 days'`)
}

func (c *companyFixture) change() {
	c.t.Helper()
	for _, b := range c.all {
		changed := sure(c.world.ChangeOf(b.id, b.dataCenter, sandbox.Change{Seed: 8, Inserts: 6, Edits: 20, Resources: []string{"bills"}}))(c.t)
		c.edited[b.key] = changed["bills"].Edited
		var gone []string
		for _, bill := range c.then[b.key].bills {
			if id := bill.text("bill_id"); len(gone) < 4 && !slices.Contains(c.edited[b.key], id) {
				gone = append(gone, id)
			}
		}
		c.deleteOf(b, "inventory.bills", gone...)
	}
}

func (c *companyFixture) look() map[string]*ledger {
	c.t.Helper()
	ledgers := map[string]*ledger{}
	for _, b := range c.all {
		read := func(service, resource string) []record {
			var records []record
			for raw := range c.world.TruthOf(b.id, b.dataCenter, service, resource) {
				records = append(records, parse(raw))
			}
			fatalIf(c.t, len(records) == 0, "%s has no %s", b.name, resource)
			return records
		}
		ledgers[b.key] = &ledger{
			bills: read("inventory", "bills"), notes: read("inventory", "credit_notes"), items: read("inventory", "items"),
			accounts: read("accounting", "chart_of_accounts"),
		}
	}
	return ledgers
}
