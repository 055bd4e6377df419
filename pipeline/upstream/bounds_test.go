package upstream_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/pipeline"
	"sluice/schema"
)

// manyOf repeats an element of a list.
func manyOf(element string, count int) string {
	return strings.TrimSuffix(strings.Repeat(element+",", count), ",")
}

func TestAPageHasNotManyTimesAsManyRecordsAsWereAskedFor(t *testing.T) {
	t.Parallel()
	const end = `],"page_context":{"page":1,"per_page":200,"has_more_page":false}}`
	for name, tc := range map[string]struct {
		resource       *schema.Resource
		count, perPage int
		fits           bool
	}{
		"ten times as many":     {accounts, 2_000, 200, true},
		"one more":              {accounts, 2_001, 200, false},
		"a small page":          {accounts, 2_000, 10, true},
		"a large page":          {accounts, 5_000, 500, true},
		"one more than that":    {accounts, 5_001, 500, false},
		"a list that is whole":  {customers, 10_000, 200, true},
		"one of too many":       {customers, 10_001, 200, false},
		"a list by token":       {channels, 2_001, 100, false},
		"far too many, by page": {accounts, 700_000, 200, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newFixture(t, answer(200, jsonType, `{"code":0,"`+tc.resource.Key+`":[`+manyOf(`{"a":"b"}`, tc.count)+end))
			question := of(accounting, tc.resource)
			question.PerPage = tc.perPage
			if tc.resource == customers {
				question.Parent = "77"
			}
			page, err := r.client.Page(t.Context(), question)
			if !tc.fits {
				r.mustFail(t, err, pipeline.Unexpected)
				if !strings.Contains(err.Error(), "more than") {
					t.Errorf("it does not say why: %v", err)
				}
				return
			}
			if err != nil || len(page.Records) != tc.count {
				t.Errorf("%d records, %v", len(page.Records), err)
			}
		})
	}
}

func TestSinglesAreNotMoreThanWereAskedFor(t *testing.T) {
	t.Parallel()
	r := newFixture(t, answer(200, jsonType, fmt.Sprintf(`{"code":0,"items":[%s]}`, manyOf(`{}`, 3))))
	_, err := r.client.Details(t.Context(), detailsOf(items), []string{"1", "2"})
	r.mustFail(t, err, pipeline.Unexpected)
}

func TestATokenIsShort(t *testing.T) {
	t.Parallel()
	r := newFixture(t, answer(200, jsonType, `{"channels":[],"next_token":"`+strings.Repeat("t", 5_000)+`"}`))
	_, err := r.client.Page(t.Context(), of(chat, channels))
	r.mustFail(t, err, pipeline.Unexpected)
}
