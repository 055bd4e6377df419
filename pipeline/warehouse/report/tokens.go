package report

import (
	"context"
	"fmt"
)

const sqlFellBack = `SELECT count(*) FROM sluice.tokens WHERE fell_back`

// TokensFellBack is how many credentials use the configured refresh token because the one that upstream sent in its place was refused.
func (r *Reader) TokensFellBack(ctx context.Context) (int, error) {
	var fell int
	if err := r.pool.QueryRow(ctx, sqlFellBack).Scan(&fell); err != nil {
		return 0, fmt.Errorf("reading which refresh tokens were refused: %w", err)
	}
	return fell, nil
}

const sqlDiedYoung = `SELECT coalesce(max(died_young), 0) FROM sluice.tokens`

// TokensDiedYoung is how many access tokens in a row upstream refused before their time, of the credential with most of them.
func (r *Reader) TokensDiedYoung(ctx context.Context) (int, error) {
	var young int
	if err := r.pool.QueryRow(ctx, sqlDiedYoung).Scan(&young); err != nil {
		return 0, fmt.Errorf("reading which tokens died young: %w", err)
	}
	return young, nil
}
