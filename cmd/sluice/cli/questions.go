package cli

import (
	"regexp"
	"strconv"
	"strings"

	"sluice"
)

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
