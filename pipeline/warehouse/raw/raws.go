// Package raw reads raw records: the bytes of records as upstream sent them, stored by call and
// addressed by call and position.
package raw

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/raw/archive"
)

// The archives in which positions lie: an export is one call with many archives.
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

// Ref is the address of a raw record: _call_id and _raw_position of a row.
type Ref struct {
	Call     int64
	Position int32
}

// storedBytes bounds the archives that stay in memory for the next rows: some thirty of the usual
// size.
const storedBytes = 8 << 20

// Archives are decoded archives. The zero value has none.
type Archives struct {
	stored map[Ref]storedRecords
	size   int
	// Scattered says that more archives were read than fit in storedBytes: the requested records
	// are spread over many archives, with few in each.
	Scattered bool
}

// storedRecords is one archive, split into its records, and its size in bytes.
type storedRecords struct {
	records [][]byte
	size    int
}

// Read returns the raw records at the given addresses, as far as they are kept.
func Read(ctx context.Context, from Querier, places []Ref) (map[Ref][]byte, error) {
	records, _, err := new(Archives).Read(ctx, from, places)
	if err != nil {
		return nil, err
	}
	raws := make(map[Ref][]byte, len(places))
	for i, raw := range records {
		if raw != nil {
			raws[places[i]] = raw
		}
	}
	return raws, nil
}

// Read returns the raw record at each address, nil if it is not kept, and the archives that they
// are from. An archive in known is not read again: the same call often brought the next rows, too.
// Of archives beyond storedBytes only the requested records stay in memory: where a list's order is
// not that of the keys, a few thousand rows can need as many archives.
func (known *Archives) Read(ctx context.Context, from Querier, places []Ref) ([][]byte, *Archives, error) {
	used := &Archives{stored: map[Ref]storedRecords{}}
	parts, err := findParts(ctx, from, places)
	if err != nil {
		return nil, used, err
	}
	wanted := parts.sort(places)
	raws := make([][]byte, len(places))
	var unknown []Ref
	for at, asked := range wanted {
		if found, again := known.stored[at]; again {
			asked.pick(raws, found.records, !used.store(at, found))
		} else {
			unknown = append(unknown, at)
		}
	}
	err = fetch(ctx, from, unknown, func(at Ref, found storedRecords) {
		wanted[at].pick(raws, found.records, !used.store(at, found))
	})
	return raws, used, err
}

// store keeps an archive in memory if there is room, and says whether it did.
func (known *Archives) store(at Ref, found storedRecords) bool {
	if known.size+found.size > storedBytes {
		known.Scattered = true
		return false
	}
	known.stored[at], known.size = found, known.size+found.size
	return true
}

// asked are the records that are requested of one archive: their index in it, and in the whole
// request.
type asked []struct{ in, of int }

// pick copies the requested records into raws. With copied, it clones their bytes.
func (a asked) pick(raws, records [][]byte, copied bool) {
	for _, one := range a {
		if one.in >= len(records) {
			continue
		}
		raws[one.of] = records[one.in]
		if copied {
			raws[one.of] = bytes.Clone(records[one.in])
		}
	}
}

// fetch reads archives, one after the other.
func fetch(ctx context.Context, from Querier, firsts []Ref, each func(at Ref, found storedRecords)) error {
	if len(firsts) == 0 {
		return nil
	}
	calls, positions := make([]int64, len(firsts)), make([]int32, len(firsts))
	for i, at := range firsts {
		calls[i], positions[i] = at.Call, at.Position
	}
	rows, _ := from.Query(ctx, sqlRaws, calls, positions)
	var (
		at   Ref
		text []byte
	)
	_, err := pgx.ForEachRow(rows, []any{&at.Call, &at.Position, &text}, func() error {
		records, err := archive.Split(text)
		if err != nil {
			return fmt.Errorf("call %d: %w", at.Call, err)
		}
		each(at, storedRecords{records: records, size: len(text)})
		text = nil // the records refer to its bytes
		return nil
	})
	return postgres.Fail("reading raw records", err)
}

// parts are the first positions of the archives of each call, in order.
type parts map[int64][]int32

// of returns the archive in which a position lies, if its call has one.
func (p parts) of(at Ref) (Ref, bool) {
	firsts := p[at.Call]
	i, exact := slices.BinarySearch(firsts, at.Position)
	if !exact {
		i--
	}
	if i < 0 {
		return Ref{}, false
	}
	return Ref{Call: at.Call, Position: firsts[i]}, true
}

// sort groups the requested records by archive. Positions without an archive are left out.
func (p parts) sort(places []Ref) map[Ref]asked {
	wanted := map[Ref]asked{}
	for from := 0; from < len(places); {
		first, ok := p.of(places[from])
		if !ok {
			from++
			continue
		}
		list, to := wanted[first], from
		for ; to < len(places); to++ { // consecutive addresses are often in one archive
			if next, ok := p.of(places[to]); !ok || next != first {
				break
			}
			list = append(list, struct{ in, of int }{int(places[to].Position - first.Position), to})
		}
		wanted[first], from = list, to
	}
	return wanted
}

func findParts(ctx context.Context, from Querier, places []Ref) (parts, error) {
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
	found, _ := from.Query(ctx, sqlParts, calls, low, high)
	var at Ref
	_, err := pgx.ForEachRow(found, []any{&at.Call, &at.Position}, func() error {
		p[at.Call] = append(p[at.Call], at.Position)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for raw records: %w", err)
	}
	return p, nil
}
