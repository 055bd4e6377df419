package rebuild

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/schema"
	"sluice/schema/scan"
)

// Each part of an archive is read once, however many of its records are asked for: an export is one call in many parts.
const sqlRaws = `
SELECT r.call_id, r.first_position, r.records FROM (
	SELECT DISTINCT f.call_id, f.first_position FROM unnest($1::bigint[], $2::integer[]) AS w (call_id, position)
	CROSS JOIN LATERAL (
		SELECT p.call_id, p.first_position FROM sluice.raw_records p
		WHERE p.call_id = w.call_id AND p.first_position <= w.position ORDER BY p.first_position DESC LIMIT 1
	) AS f
) AS part JOIN sluice.raw_records r USING (call_id, first_position)`

// querier is a transaction or a pool of connections.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Place is where a raw record is kept: _call_id and _raw_position of a row.
type Place struct {
	Call     int64
	Position int32
}

// Raws gives raw records by their places, as far as they are kept.
func Raws(ctx context.Context, tx pgx.Tx, places []Place) (map[Place][]byte, error) {
	wanted := make([]place, len(places))
	for i, at := range places {
		wanted[i] = place{call: at.Call, position: at.Position}
	}
	found, err := readRaws(ctx, tx, wanted)
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

// readRaws gives the raw records of places, as far as they are kept.
func readRaws(ctx context.Context, from querier, places []place) (map[place][]byte, error) {
	var (
		calls     []int64
		positions []int32
	)
	wanted := make(map[place]bool, len(places))
	for _, at := range places {
		if !wanted[at] {
			wanted[at] = true
			calls, positions = append(calls, at.call), append(positions, at.position)
		}
	}
	raws := make(map[place][]byte, len(wanted))
	if len(calls) == 0 {
		return raws, nil
	}
	parts, err := from.Query(ctx, sqlRaws, calls, positions)
	if err != nil {
		return nil, fmt.Errorf("reading raw records: %w", err)
	}
	defer parts.Close()
	for parts.Next() {
		var (
			at      place
			text    []byte
			records [][]byte
		)
		if err := parts.Scan(&at.call, &at.position, &text); err != nil {
			return nil, fmt.Errorf("reading raw records: %w", err)
		}
		if records, err = split(text); err != nil {
			return nil, fmt.Errorf("reading raw records of call %d: %w", at.call, err)
		}
		for _, raw := range records {
			if wanted[at] {
				raws[at] = raw
			}
			at.position++
		}
	}
	if err := parts.Err(); err != nil {
		return nil, fmt.Errorf("reading raw records: %w", err)
	}
	return raws, nil
}

// split takes an archive apart. The array around the records is no part of how deep they nest.
func split(text []byte) ([][]byte, error) {
	var records [][]byte
	if end, ok := scan.Elements(text, 0, -1, func(raw []byte) { records = append(records, raw) }); ok && end == len(text) {
		return records, nil
	}
	var raws []json.RawMessage
	if err := json.Unmarshal(text, &raws); err != nil {
		return nil, fmt.Errorf("it is no array of records: %w", err)
	}
	records = make([][]byte, len(raws))
	for i, raw := range raws {
		records[i] = raw
	}
	return records, nil
}
