package places

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const sqlPatterns = `CREATE TEMP TABLE sluice_patterns (escaped boolean NOT NULL, pattern text NOT NULL) ON COMMIT DROP`

// Load loads the text until a transaction ends.
func (n *Needle) Load(ctx context.Context, tx pgx.Tx) error {
	return n.load(ctx, tx.Conn(), sqlPatterns)
}
