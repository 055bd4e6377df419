package warehouse_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"sluice/pipeline"
	"sluice/pipeline/warehouse"
)

func TestOneRefreshForTheFleet(t *testing.T) {
	t.Parallel()
	h := open(t)
	// Two processes with few connections: those that wait must leave some to the one that
	// refreshes.
	processes := []*warehouse.DB{h.another(warehouse.Options{MaxConns: 2}), h.another(warehouse.Options{MaxConns: 2})}
	var refreshes, seen atomic.Int64
	group, ctx := errgroup.WithContext(t.Context())
	for worker := range 20 {
		db := processes[worker%2]
		group.Go(func() error {
			return db.WithToken(ctx, "credential", func(ctx context.Context, token pipeline.Token) (pipeline.Token, bool, error) {
				if token.ExpiresIn > time.Minute && string(token.Sealed) == "sealed" && token.Version == 1 {
					seen.Add(1)
					return token, false, nil
				}
				refreshes.Add(1)
				if _, err := db.Reserve(ctx, aCall("auth"), pipeline.Limits{Shared: "auth"}); err != nil {
					return token, true, err
				}
				return pipeline.Token{Sealed: []byte("sealed"), ExpiresIn: time.Hour}, true, nil
			})
		})
	}
	h.must(group.Wait())
	if refreshes.Load() != 1 || seen.Load() != 19 {
		t.Errorf("%d refreshes, %d saw the new token", refreshes.Load(), seen.Load())
	}
}

func TestWhatIsStoredOfAToken(t *testing.T) {
	t.Parallel()
	h := open(t)
	with := func(ctx context.Context, give pipeline.Token, attempted bool, failure error) pipeline.Token {
		t.Helper()
		var had pipeline.Token
		err := h.db.WithToken(ctx, "c", func(_ context.Context, token pipeline.Token) (pipeline.Token, bool, error) {
			had = token
			return give, attempted, failure
		})
		if !errors.Is(err, failure) || (failure == nil) != (err == nil) {
			t.Fatalf("WithToken = %v, want %v", err, failure)
		}
		return had
	}
	good := pipeline.Token{Sealed: []byte("one"), Refresh: []byte("another"), DiedYoung: 2, ExpiresIn: time.Hour, Reason: "why", Scopes: []string{"a.READ", "b.ALL"}}
	if had := with(t.Context(), good, false, nil); len(had.Sealed) != 0 || had.Version != 0 || had.SinceRefresh < 1000*time.Hour {
		t.Errorf("a new credential has %+v", had)
	}
	if had := with(t.Context(), pipeline.Token{Reason: "denied"}, true, errBoom); had.SinceRefresh < 1000*time.Hour {
		t.Errorf("what was not attempted was stored: %+v", had)
	}
	if had := with(t.Context(), good, false, errBoom); had.Version != 0 || had.SinceRefresh > time.Minute || had.Reason != "denied" {
		t.Errorf("after a failed attempt: %+v", had)
	}

	// The caller's context ends while the answer arrives: the token is stored all the same.
	ctx, cancel := context.WithCancel(t.Context())
	h.must(h.db.WithToken(ctx, "c", func(_ context.Context, _ pipeline.Token) (pipeline.Token, bool, error) {
		cancel()
		return good, true, nil
	}))
	had := with(t.Context(), good, false, nil)
	if string(had.Sealed) != "one" || string(had.Refresh) != "another" || had.DiedYoung != 2 || had.Version != 1 || had.Reason != "why" || had.ExpiresIn < 59*time.Minute || had.ExpiresIn > time.Hour {
		t.Errorf("after a refresh: %+v", had)
	}

	if !slices.Equal(had.Scopes, []string{"a.READ", "b.ALL"}) {
		t.Errorf("after a refresh the scopes are %q", had.Scopes)
	}

	// A refusal while the token is valid: its expiry and its version stay as they are.
	refused := had
	refused.Reason, refused.Refusals, refused.FellBack, refused.ExpiresIn = "", 2, true, 5*time.Hour
	with(t.Context(), refused, true, nil)
	had = with(t.Context(), good, false, nil)
	if string(had.Sealed) != "one" || had.Version != 1 || had.ExpiresIn > time.Hour || had.Refusals != 2 || !had.FellBack || !had.Worked || had.Reason != "" {
		t.Errorf("after a refusal: %+v", had)
	}
	// A token that the operator dropped is no attempt.
	ask[string](h, "UPDATE sluice.tokens SET attempted_at = attempted_at - interval '30 seconds' RETURNING credential")
	with(t.Context(), pipeline.Token{Forgotten: true}, true, nil)
	had = with(t.Context(), good, false, nil)
	if len(had.Sealed) != 0 || had.Version != 2 || had.Scopes != nil || had.Refusals != 0 || had.FellBack || !had.Worked || had.SinceRefresh < 30*time.Second {
		t.Errorf("after it was forgotten: %+v", had)
	}
}
