package rebuild

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"sluice/schema"
	"sluice/schema/scan"
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

// archives are parts of calls, taken apart, by the place of their first record.
type archives map[place][][]byte

// readRaws gives the raw records of places, as far as they are kept.
func readRaws(ctx context.Context, from querier, places []place) (map[place][]byte, error) {
	raws, _, err := archives(nil).read(ctx, from, places)
	return raws, err
}

// read gives the raw records of places, as far as they are kept, and the archives that they are from. An archive that is known already is
// not read again: rows that come next were often brought by the same call.
func (known archives) read(ctx context.Context, from querier, places []place) (map[place][]byte, archives, error) {
	raws, used := make(map[place][]byte, len(places)), archives{}
	parts, err := findParts(ctx, from, places)
	if err != nil {
		return nil, nil, err
	}
	var (
		calls     []int64
		positions []int32
		wanted    = make(map[place]place, len(places)) // the part of each
	)
	for _, at := range places {
		first, kept := parts.of(at)
		if !kept {
			continue
		}
		wanted[at] = first
		if _, again := used[first]; again {
			continue
		}
		if used[first] = known[first]; used[first] == nil {
			calls, positions = append(calls, first.call), append(positions, first.position)
		}
	}
	if err := used.fetch(ctx, from, calls, positions); err != nil {
		return nil, nil, err
	}
	for at, first := range wanted {
		if records, index := used[first], int(at.position-first.position); index < len(records) {
			raws[at] = records[index]
		}
	}
	return raws, used, nil
}

// fetch reads archives.
func (known archives) fetch(ctx context.Context, from querier, calls []int64, positions []int32) error {
	if len(calls) == 0 {
		return nil
	}
	found, err := from.Query(ctx, sqlRaws, calls, positions)
	if err != nil {
		return fmt.Errorf("reading raw records: %w", err)
	}
	var (
		at   place
		text []byte
	)
	_, err = pgx.ForEachRow(found, []any{&at.call, &at.position, &text}, func() error {
		known[at], err = split(text)
		if err != nil {
			return fmt.Errorf("call %d: %w", at.call, err)
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
func (p parts) of(at place) (place, bool) {
	firsts := p[at.call]
	i, exact := slices.BinarySearch(firsts, at.position)
	if !exact {
		i--
	}
	if i < 0 {
		return place{}, false
	}
	return place{call: at.call, position: firsts[i]}, true
}

func findParts(ctx context.Context, from querier, places []place) (parts, error) {
	bounds := map[int64][2]int32{}
	for _, at := range places {
		if known, ok := bounds[at.call]; ok {
			bounds[at.call] = [...]int32{min(known[0], at.position), max(known[1], at.position)}
		} else {
			bounds[at.call] = [...]int32{at.position, at.position}
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
	var at place
	_, err = pgx.ForEachRow(found, []any{&at.call, &at.position}, func() error {
		p[at.call] = append(p[at.call], at.position)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for raw records: %w", err)
	}
	return p, nil
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
