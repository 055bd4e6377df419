package report

import (
	"context"
	"fmt"
)

const sqlDiedYoung = `SELECT coalesce(max(died_young), 0) FROM sluice.tokens`

// TokensDiedYoung is how many access tokens in a row upstream refused before their time, of the credential with most of them.
func (r *Reader) TokensDiedYoung(ctx context.Context) (int, error) {
	var young int
	if err := r.pool.QueryRow(ctx, sqlDiedYoung).Scan(&young); err != nil {
		return 0, fmt.Errorf("reading which tokens died young: %w", err)
	}
	return young, nil
}
