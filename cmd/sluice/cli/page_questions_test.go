package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"sluice/pipeline/warehouse/readers"
	"sluice/sandbox"
)

// TestPagesOfQuestions asks all questions, and holds one answer against the table that it is of.
func TestPagesOfQuestions(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 99, Records: 20, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)
	var all []analystQuestion
	s.visited(anOperator, false, func(v *desk) {
		must(t, json.Unmarshal([]byte(v.get(http.StatusOK, "/questions?format=json")), &all))
		if len(all) != 30 || all[2].Question != "Whom do we owe most?" || all[2].Section != "What is owed" || all[29].Number != 30 {
			t.Fatalf("%d questions: %+v", len(all), all)
		}
		v.says("/questions", `href="/questions/30"`, "Whom do we owe most?")
		for i := range all {
			v.get(http.StatusOK, "/questions/"+strconv.Itoa(all[i].Number))
		}
		v.get(http.StatusNotFound, "/questions/31")
		v.get(http.StatusNotFound, "/questions/x")
	})
	owed := one[int](s, `SELECT count(DISTINCT (organization_id, vendor_id)) FROM analytics.ap_ageing`)
	vendor := one[string](s, `SELECT vendor_id FROM analytics.ap_ageing ORDER BY vendor_id LIMIT 1`)
	s.visited(anOperator, false, func(v *desk) {
		shown := decodedPage[answeredView](v, "/questions/3?format=json")
		if shown.Answer == nil || len(shown.Answer.Rows) != owed || owed == 0 || shown.Answer.More {
			t.Errorf("%d vendors are owed to; the answer is %+v", owed, shown.Answer)
		}
		v.says("/questions/3", vendor, "FROM analytics.ap_ageing")
	})
	s.visited(aViewer, false, func(v *desk) {
		v.says("/questions/3", "Operators see the answer", "FROM analytics.ap_ageing")
		for _, page := range []string{"/questions/3", "/questions/3?format=json"} {
			v.hides(page, vendor)
		}
	})
}

// TestAnswersStay: within a minute a question is asked once; that a browser left is no answer.
func TestAnswersStay(t *testing.T) {
	t.Parallel()
	var kept recentAnswers
	began, asked := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC), 0
	ask := func(after time.Duration, err error) {
		_, _, _ = kept.of(3, began.Add(after), func() (readers.Answer, error) {
			asked++
			return readers.Answer{}, err
		}) // what counts is how often it was asked
	}
	for _, step := range []struct {
		after time.Duration
		err   error
		asked int
	}{
		{0, context.Canceled, 1}, {time.Second, nil, 2}, {2 * time.Second, nil, 2}, {60 * time.Second, nil, 2}, {61 * time.Second, nil, 3},
	} {
		if ask(step.after, step.err); asked != step.asked {
			t.Errorf("after %s it was asked %d times, want %d", step.after, asked, step.asked)
		}
	}
}
