package rebuild

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/schema/normalize"
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

// place is where a raw record is kept.
type place struct {
	call     int64
	position int32
}

// version is a record that made a row what it is.
type version struct {
	place

	// hash is the content hash that is stored; nil if it was forgotten.
	hash   []byte
	record normalize.Record
}

// differs says whether the declaration makes something else of the record than it did.
func (v *version) differs() bool { return v.hash != nil && !bytes.Equal(v.hash, v.record.Hash[:]) }

// row is a row with what made it.
type row struct {
	key, parent string
	list        version
	detail      *version
}

// selectRows reads rows behind a key and keeps them as they are until the transaction ends.
func selectRows(stream pipeline.Stream) string {
	resource := stream.Resource
	key := pgx.Identifier{resource.Columns[0].ColumnName()}.Sanitize()
	parent, detail := "''", "NULL::bytea, NULL::bigint, NULL::integer"
	if name := parentColumn(resource); name != "" {
		parent = "coalesce(t." + pgx.Identifier{name}.Sanitize() + "::text, '')"
	}
	if resource.Details != nil {
		detail = "t._detail_hash, t._detail_call_id, t._detail_raw_position"
	}
	return fmt.Sprintf(`SELECT t.%[2]s, %[3]s, t._hash, t._call_id, t._raw_position, %[4]s FROM %[1]s AS t
WHERE t.organization_id = $1 AND t.%[2]s > $2 ORDER BY t.%[2]s LIMIT $3 FOR NO KEY UPDATE OF t`,
		pgx.Identifier{resource.SchemaName(stream.Service), resource.Name}.Sanitize(), key, parent, detail)
}

func (r *Rows) read(ctx context.Context, tx pgx.Tx, after string) ([]row, error) {
	found, err := tx.Query(ctx, r.sql, r.stream.Organization, after, batchRows)
	if err != nil {
		return nil, fmt.Errorf("reading rows: %w", err)
	}
	rows, err := pgx.CollectRows(found, func(at pgx.CollectableRow) (row, error) {
		var (
			one      row
			hash     []byte
			call     *int64
			position *int32
		)
		err := at.Scan(&one.key, &one.parent, &one.list.hash, &one.list.call, &one.list.position, &hash, &call, &position)
		if err == nil && call != nil && position != nil {
			one.detail = &version{place: place{*call, *position}, hash: hash}
		}
		return one, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading rows: %w", err)
	}
	return rows, nil
}

// readRaws gives the raw records of rows, as far as they are kept.
func readRaws(ctx context.Context, tx pgx.Tx, rows []row) (map[place][]byte, error) {
	var (
		calls     []int64
		positions []int32
	)
	wanted := map[place]bool{}
	want := func(v *version) {
		if v != nil && !wanted[v.place] {
			wanted[v.place] = true
			calls, positions = append(calls, v.call), append(positions, v.position)
		}
	}
	for i := range rows {
		want(&rows[i].list)
		want(rows[i].detail)
	}
	parts, err := tx.Query(ctx, sqlRaws, calls, positions)
	if err != nil {
		return nil, fmt.Errorf("reading raw records: %w", err)
	}
	defer parts.Close()
	raws := make(map[place][]byte, len(wanted))
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
