package rebuild

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/schema"
)

// Place is where a raw record is kept: _call_id and _raw_position of a row.
type Place struct {
	Call     int64
	Position int32
}

// Raws gives raw records by their places, as far as they are kept.
func Raws(ctx context.Context, tx pgx.Tx, places []Place) (map[Place][]byte, error) {
	rows := make([]row, len(places))
	for i, at := range places {
		rows[i].list.place = place{call: at.Call, position: at.Position}
	}
	found, err := readRaws(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	raws := make(map[Place][]byte, len(found))
	for at, raw := range found {
		raws[Place{Call: at.call, Position: at.position}] = raw
	}
	return raws, nil
}

// ParentColumn is the column that holds the parent of a resource's rows, "" where rows have none.
func ParentColumn(resource *schema.Resource) string { return parentColumn(resource) }
