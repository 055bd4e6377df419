package places

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Load loads the text in a transaction that the caller rolls back.
func (n *Needle) Load(ctx context.Context, tx pgx.Tx) error { return n.load(ctx, tx.Conn()) }
