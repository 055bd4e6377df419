package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
)

// TestALargeAnswerKeepsItsTurn: a large answer holds its turn until its batch ends the turn, or the
// call fails.
func TestALargeAnswerKeepsItsTurn(t *testing.T) {
	t.Parallel()
	record := `{"account_id":"1","a":"` + strings.Repeat("x", 1<<10) + `"}`
	list := answer(200, jsonType, `{"code":0,"chartofaccounts":[`+manyOf(record, 1900)+`],"page_context":{"page":1,"per_page":200,"has_more_page":false}}`)
	single := answer(200, jsonType, `{"code":0,"bill":{"bill_id":"1","a":"`+strings.Repeat("x", 2<<20)+`"}}`)
	for name, tc := range map[string]struct {
		of  *fixture
		ask func(context.Context, *fixture) (pipeline.Page, error)
	}{
		"a page": {newFixture(t, list), func(ctx context.Context, r *fixture) (pipeline.Page, error) {
			return r.client.Page(ctx, ask(1)) // the test checks it
		}},
		"a single record": {newFixture(t, single), func(ctx context.Context, r *fixture) (pipeline.Page, error) {
			return r.client.Details(ctx, detailsOf(bills), []string{"1"})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, err := tc.ask(t.Context(), tc.of)
			if err != nil || first.Turn == nil {
				t.Fatalf("turn %v, %v", first.Turn, err)
			}
			short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			if _, err := tc.ask(short, tc.of); pipeline.KindOf(err) != pipeline.Unavailable || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("another one beside it: %v", err)
			}
			first.Turn.End()
			tc.of.gate.leaveErr = errors.New("no ledger")
			if page, err := tc.ask(t.Context(), tc.of); err == nil || page.Turn != nil {
				t.Errorf("its end could not be noted: turn %v, %v", page.Turn, err)
			}
			tc.of.gate.leaveErr = nil
			last, err := tc.ask(t.Context(), tc.of)
			if err != nil {
				t.Fatal(fmt.Errorf("behind a call that failed: %w", err))
			}
			last.Turn.End()
		})
	}
}
