package quarantine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema/redact"
)

const (
	sqlNextEntries = `
SELECT id, raw FROM sluice.quarantine WHERE (organization_id, service, resource) = ($1, $2, $3) AND id > $4 ORDER BY id LIMIT $5 FOR UPDATE`

	// Of two entries that become the same bytes, the one that has them already stays.
	sqlSameEntry = `
DELETE FROM sluice.quarantine WHERE id = $1 AND EXISTS (
	SELECT FROM sluice.quarantine q WHERE (q.organization_id, q.service, q.resource, q.record_hash) = ($2, $3, $4, $5::bytea) AND q.id <> $1)`

	sqlNewEntry = `UPDATE sluice.quarantine SET raw = $2, record_hash = $3::bytea WHERE id = $1`

	sqlForgetDrift = `
DELETE FROM sluice.drift WHERE (organization_id, service, resource) = ($1, $2, $3)
	AND (path = ANY ($4::text[]) OR $5 AND NOT starts_with(kind, 'value: '))`
)

// LeaveOut leaves columns out of the next entries behind one, as the stream says. It returns the
// last entry, zero if there is no further one, and how many it changed. With dry it changes none.
func LeaveOut(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, after int64, limit int, dry bool) (int64, int, error) {
	key := stream.ListKey()
	found, _ := tx.Query(ctx, sqlNextEntries, key.Organization, key.Service, key.Resource, after, limit)
	queue, changed := new(pgx.Batch), 0
	var last, id int64
	var raw []byte
	_, err := pgx.ForEachRow(found, []any{&id, &raw}, func() error {
		last = id
		now := stream.LeaveOut.Record(raw)
		if string(now) == string(raw) || redact.Withheld(raw) {
			return nil
		}
		hash := sha256.Sum256(now)
		queue.Queue(sqlSameEntry, id, key.Organization, key.Service, key.Resource, hash[:])
		queue.Queue(sqlNewEntry, id, append([]byte(nil), now...), hash[:])
		changed++
		return nil
	})
	if err != nil {
		return 0, 0, fmt.Errorf("reading the quarantine of %s: %w", key, err)
	}
	if changed > 0 && !dry {
		if err := tx.SendBatch(ctx, queue).Close(); err != nil {
			return 0, 0, fmt.Errorf("writing the quarantine of %s: %w", key, err)
		}
	}
	return last, changed, nil
}

// ForgetDrift forgets values of columns that are left out, and keys without a column if those are.
func ForgetDrift(ctx context.Context, tx pgx.Tx, stream pipeline.Stream) error {
	key, tables := stream.ListKey(), stream.Resource.Tables()
	var paths []string
	undeclared := false
	for _, rule := range stream.LeaveOut.Rules() {
		table, column, ok := rule.Place()
		if !ok {
			undeclared = true
			continue
		}
		parts := append(slices.Clone(tables[table].Path), tables[table].Columns[column].Wire)
		paths = append(paths, strings.Join(parts, "[]."))
	}
	_, err := tx.Exec(ctx, sqlForgetDrift, key.Organization, key.Service, key.Resource, paths, undeclared)
	return postgres.Fail("forgetting drift of "+key.String(), err)
}
