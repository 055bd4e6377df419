// Package raws reads raw records: the bytes of records as upstream sent them, which are kept by call and found by their place.
package raws

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/archive"
)

// The parts of calls in which places lie: an export is one call in many parts.
const sqlParts = `
SELECT p.call_id, p.first_position FROM unnest($1::bigint[], $2::integer[], $3::integer[]) AS w (call_id, low, high)
JOIN sluice.raw_records p ON p.call_id = w.call_id AND p.first_position <= w.high AND p.first_position >= coalesce((
	SELECT max(q.first_position) FROM sluice.raw_records q WHERE q.call_id = w.call_id AND q.first_position <= w.low), 0)
ORDER BY p.call_id, p.first_position`

const sqlRaws = `
SELECT r.call_id, r.first_position, r.records FROM unnest($1::bigint[], $2::integer[]) AS w (call_id, first_position)
JOIN sluice.raw_records r USING (call_id, first_position)`

// Querier is a transaction or a pool of connections.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Place is where a raw record is kept: _call_id and _raw_position of a row.
type Place struct {
	Call     int64
	Position int32
}

// Archives are parts of calls, taken apart, by the place of their first record.
type Archives map[Place][][]byte

// Read gives the raw records of places, as far as they are kept.
func Read(ctx context.Context, from Querier, places []Place) (map[Place][]byte, error) {
	records, _, err := Archives(nil).Read(ctx, from, places)
	if err != nil {
		return nil, err
	}
	raws := make(map[Place][]byte, len(places))
	for i, raw := range records {
		if raw != nil {
			raws[places[i]] = raw
		}
	}
	return raws, nil
}

// Read gives the raw record of each place, nil if it is not kept, and the archives that they are from. An archive that is known already is
// not read again: rows that come next were often brought by the same call.
func (known Archives) Read(ctx context.Context, from Querier, places []Place) ([][]byte, Archives, error) {
	used := Archives{}
	parts, err := findParts(ctx, from, places)
	if err != nil {
		return nil, nil, err
	}
	var (
		calls     []int64
		positions []int32
		firsts    = make([]Place, len(places)) // where the part of each begins
	)
	for i, at := range places {
		first, kept := parts.of(at)
		if firsts[i] = first; !kept {
			firsts[i].Position = -1 // where none begins
			continue
		}
		if i > 0 && first == firsts[i-1] {
			continue
		}
		if _, again := used[first]; again {
			continue
		}
		if used[first] = known[first]; used[first] == nil {
			calls, positions = append(calls, first.Call), append(positions, first.Position)
		}
	}
	if err := used.fetch(ctx, from, calls, positions); err != nil {
		return nil, nil, err
	}
	raws := make([][]byte, len(places))
	var part [][]byte
	for i, first := range firsts {
		if i == 0 || first != firsts[i-1] {
			part = used[first]
		}
		if index := int(places[i].Position - first.Position); index < len(part) {
			raws[i] = part[index]
		}
	}
	return raws, used, nil
}

// fetch reads archives.
func (known Archives) fetch(ctx context.Context, from Querier, calls []int64, positions []int32) error {
	if len(calls) == 0 {
		return nil
	}
	found, err := from.Query(ctx, sqlRaws, calls, positions)
	if err != nil {
		return fmt.Errorf("reading raw records: %w", err)
	}
	var (
		at   Place
		text []byte
	)
	_, err = pgx.ForEachRow(found, []any{&at.Call, &at.Position, &text}, func() error {
		known[at], err = archive.Split(text)
		if err != nil {
			return fmt.Errorf("call %d: %w", at.Call, err)
		}
		text = nil // the records lie in it
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading raw records: %w", err)
	}
	return nil
}

// parts are the first positions of the parts of calls, in order.
type parts map[int64][]int32

// of gives the part in which a place lies, if its call has one.
func (p parts) of(at Place) (Place, bool) {
	firsts := p[at.Call]
	i, exact := slices.BinarySearch(firsts, at.Position)
	if !exact {
		i--
	}
	if i < 0 {
		return Place{}, false
	}
	return Place{Call: at.Call, Position: firsts[i]}, true
}

func findParts(ctx context.Context, from Querier, places []Place) (parts, error) {
	bounds := map[int64][2]int32{}
	for _, at := range places {
		if known, ok := bounds[at.Call]; ok {
			bounds[at.Call] = [...]int32{min(known[0], at.Position), max(known[1], at.Position)}
		} else {
			bounds[at.Call] = [...]int32{at.Position, at.Position}
		}
	}
	p := make(parts, len(bounds))
	if len(bounds) == 0 {
		return p, nil
	}
	calls, low, high := make([]int64, 0, len(bounds)), make([]int32, 0, len(bounds)), make([]int32, 0, len(bounds))
	for call, bound := range bounds {
		calls, low, high = append(calls, call), append(low, bound[0]), append(high, bound[1])
	}
	found, err := from.Query(ctx, sqlParts, calls, low, high)
	if err != nil {
		return nil, fmt.Errorf("looking for raw records: %w", err)
	}
	var at Place
	_, err = pgx.ForEachRow(found, []any{&at.Call, &at.Position}, func() error {
		p[at.Call] = append(p[at.Call], at.Position)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for raw records: %w", err)
	}
	return p, nil
}
