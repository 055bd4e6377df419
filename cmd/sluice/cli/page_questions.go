package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sluice"
	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline/warehouse/readers"
)

const (
	// answerWithin is how long an answer may take, and mostAnswered how many rows it has.
	answerWithin = 5 * time.Second
	mostAnswered = 100
	// answerStays is how long an answer is shown before the question is asked again: a page that is
	// watched is made every two seconds.
	answerStays = time.Minute
)

// recentAnswers keeps the last answer to each question.
type recentAnswers struct {
	mu   sync.Mutex
	last map[int]lastAnswer
}

type lastAnswer struct {
	at     time.Time
	answer readers.Answer
	err    error
}

// of gives the answer to a question, asked again if the last one is too old. Those who ask meanwhile
// wait, so that the database answers one question at a time.
func (a *recentAnswers) of(number int, now time.Time, ask func() (readers.Answer, error)) (readers.Answer, time.Time, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	last, asked := a.last[number]
	if !asked || now.Sub(last.at) >= answerStays {
		answer, err := ask()
		last = lastAnswer{now, answer, err}
		if a.last == nil {
			a.last = map[int]lastAnswer{}
		}
		if !errors.Is(err, context.Canceled) { // the browser has left; the next one asks again
			a.last[number] = last
		}
	}
	return last.answer, last.at, last.err
}

// questions lists what analysts ask.
func (p *pages) questions(context.Context, *console.Request) (console.Page, error) {
	all := analystQuestions()
	page := console.Page{
		Title: "Questions", Document: all,
		Sentence: view.Plural(len(all), "question") + " of analysts, each with a query over schema analytics.",
	}
	page.Parts = []console.Part{
		console.List("Questions", "", "About  Question  What the answer leaves out", all, func(q *analystQuestion) view.Row {
			return view.Row{q.Section, console.To(q.Question, "/questions/"+strconv.Itoa(q.Number)), q.Remark}
		}),
	}
	return page, nil
}

// answeredView is a question with its answer.
type answeredView struct {
	analystQuestion

	// Answer is nil where values of records are not shown to those who ask.
	Answer *readers.Answer `json:"answer"`
}

// question shows one question, and its answer where values of records are shown.
func (p *pages) question(ctx context.Context, r *console.Request) (console.Page, error) {
	all := analystQuestions()
	at := slices.IndexFunc(all, func(q analystQuestion) bool { return strconv.Itoa(q.Number) == r.Value("n") })
	if at < 0 {
		return console.Page{}, fmt.Errorf("%w: there is no question of this number", console.ErrNotFound)
	}
	shown := answeredView{analystQuestion: all[at]}
	page := console.Page{Title: strconv.Itoa(shown.Number) + ". " + shown.Question, Sentence: "About: " + shown.Section + "."}
	query := console.Source{Caption: "The query", Lines: strings.Split(shown.SQL, "\n")}
	if shown.Remark != "" {
		page.Parts = append(page.Parts, console.Note{Text: shown.Remark})
	}
	if !p.shows(r) {
		page.Document = shown
		page.Parts = append(page.Parts, console.Note{Text: "Operators see the answer: it has values of records.", Mood: console.Muted}, query)
		return page, nil
	}
	answer, asked, err := p.answers.of(shown.Number, r.Now, func() (readers.Answer, error) {
		return readers.Query(ctx, p.app.DB.Pool(), shown.SQL, answerWithin, mostAnswered)
	})
	switch {
	case errors.Is(err, readers.ErrTooLong):
		page.Sentence, page.Mood = "The answer takes more than "+view.Age(answerWithin)+": ask with a client of the database.", console.Warn
	case err != nil:
		return console.Page{}, err
	default:
		shown.Answer = &answer
		when := "Asked at " + view.Second(asked, time.UTC) + ". A minute later it is asked again."
		page.Parts = append(page.Parts, answerTable(&answer), console.Note{Text: when, Mood: console.Muted})
	}
	page.Document = shown
	page.Parts = append(page.Parts, query)
	return page, nil
}

func answerTable(answer *readers.Answer) console.Table {
	table := console.Table{Caption: view.Plural(len(answer.Rows), "row"), None: "The answer has no row."}
	if answer.More {
		table.Caption = "The first " + view.Plural(len(answer.Rows), "row") + " of more"
	}
	for _, column := range answer.Columns {
		table.Head = append(table.Head, column.Name)
	}
	for _, row := range answer.Rows {
		cells := make([]console.Cell, len(row))
		for i, value := range row {
			if cells[i] = console.None(); value != nil {
				cells[i] = console.Cell{Text: shortened(*value), Number: answer.Columns[i].Number}
			}
		}
		table.Rows = append(table.Rows, cells)
	}
	return table
}

// analystQuestion is one of the thirty questions of docs/analysts/questions.md.
type analystQuestion struct {
	Number   int    `json:"number"`
	Section  string `json:"section"`
	Question string `json:"question"`
	SQL      string `json:"sql"`
	// Remark says what the answer leaves out.
	Remark string `json:"remark,omitempty"`
}

var (
	askedInPage   = regexp.MustCompile("(?s)^([0-9]+)\\. ([^\n]+)\n\n```sql\n(.*?);\n```\n(.*)")
	resultInPage  = regexp.MustCompile("(?s)^\\s*```text\n.*?```\n")
	linkInPage    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	sectionInPage = regexp.MustCompile("(?m)^## ([^\n]+)$")
)

// analystQuestions reads the questions out of their page, which is a part of the program.
func analystQuestions() []analystQuestion {
	var all []analystQuestion
	section := ""
	for piece := range strings.SplitSeq("\n"+sluice.Questions, "\n### ") {
		body, next, _ := strings.Cut(piece, "\n## ")
		if found := askedInPage.FindStringSubmatch(body); found != nil {
			number, _ := strconv.Atoi(found[1]) // digits
			remark := resultInPage.ReplaceAllString(found[4], "")
			remark = strings.ReplaceAll(linkInPage.ReplaceAllString(remark, "$1"), "`", "")
			all = append(all, analystQuestion{
				Number: number, Section: section, Question: found[2], SQL: found[3], Remark: strings.Join(strings.Fields(remark), " "),
			})
		}
		for _, begun := range sectionInPage.FindAllStringSubmatch("## "+next, -1) {
			section = begun[1]
		}
	}
	return all
}
