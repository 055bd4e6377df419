//go:build e2e

package cli

import (
	"flag"
	"fmt"
	"math/big"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
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
	if len(all) != 30 {
		t.Fatalf("%s has %d questions", questionsPage, len(all))
	}
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

// shows compares the results on the page with the first rows of the answers, or writes them.
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
	var want []string
	for _, r := range q.each(oracle) {
		want = append(want, sixth(r))
	}
	if lived && len(want) == 0 {
		t.Errorf("%d. %s: the books have no answer, so nothing was compared", asked.number, asked.title)
	}
	if column, falls := falling()[asked.number]; falls && !fallsBy(got, column) {
		t.Errorf("%d. %s: the rows do not fall by column %d", asked.number, asked.title, column)
	}
	answered := make([]string, len(got))
	for i, r := range got {
		answered[i] = sixth(r)
	}
	slices.Sort(answered)
	slices.Sort(want)
	if missing, invented := apart(want, answered); len(missing)+len(invented) > 0 {
		t.Errorf("%d. %s\nof %d rows of the books %d are missing:\n%s\nof %d rows of the answer %d are not in the books:\n%s", asked.number, asked.title,
			len(want), len(missing), head(missing), len(answered), len(invented), head(invented))
	}
}

// apart compares two sorted lists: what only one of them has.
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
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	got, err := pgx.CollectRows(rows, cellsOf)
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	return got
}

// sixth writes a row so that equal values look alike: numbers with six decimals.
func sixth(cells row) string { return spelled(cells, nearly) }

// nearly writes a number with six decimals. The database ends quotients somewhere, so that halves
// would go either way: a little more than half is one.
func nearly(value *big.Rat) string {
	return new(big.Rat).Add(value, big.NewRat(1, 1_000_000_000)).FloatString(6)
}

// fallsBy reports whether a column falls from row to row of an organization, unknown values last.
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
