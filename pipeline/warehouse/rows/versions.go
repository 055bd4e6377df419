package rows

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/history"
)

// keepVersions keeps the versions of what was written, rows and arrays, where that is asked for.
func (w *work) keepVersions(ctx context.Context, tx pgx.Tx) error {
	if !w.batch.History {
		return nil
	}
	ids := make([]string, 0, len(w.fresh)+len(w.changed))
	for _, group := range [][]*kept{w.fresh, w.changed} {
		for _, k := range group {
			ids = append(ids, k.ID)
		}
	}
	of := history.Resource{Organization: w.batch.Organization, Service: w.sql.Service, Name: w.sql.Resource}
	return w.fail("keep versions of", history.Keep(ctx, tx, of, ids))
}
