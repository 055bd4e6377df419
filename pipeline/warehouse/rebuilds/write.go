package rebuilds

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/history"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/rows"
	"sluice/pipeline/warehouse/tombstones"
	"sluice/schema/record"
)

// Row is a row to be written.
type Row struct {
	// Record is the row that its raw records make together, with the content hash and payload hash
	// of the list's record; Raws are those raw records.
	Record record.Record
	Raws   [][]byte
	// DetailHash is the content hash of the single record; nil if there is none, or if the row no
	// longer has it.
	DetailHash []byte
	// ChangedAt is the time of the last change of a row with a single record, which the rewritten
	// row keeps. Nil means that it changes now. Of other rows the loader decides by content hash.
	ChangedAt *time.Time
	// Tombstones says that the row's elements, once written, may have another tombstone than the
	// row.
	Tombstones bool
}

// Write writes rows with the loader, which preserves their calls, the time they were first seen and
// their tombstones. A row that the database refuses stays as it is. Write returns the raw records
// of such rows with the reason (invariant 4), and their number. The caller holds the locks that
// keep other writers off the rows. Versions says that versions of the records are kept.
func Write(
	ctx context.Context, tx pgx.Tx, loader *rows.Loader, stream pipeline.Stream, run int64, batch []Row, versions bool,
) ([]rows.Rejected, int, error) {
	if len(batch) == 0 {
		return nil, 0, nil
	}
	records, keys := make([]record.Record, len(batch)), make([]string, len(batch))
	for i := range batch {
		records[i], keys[i] = batch[i].Record, batch[i].Record.ID
	}
	before, err := digests(ctx, tx, stream, keys)
	if err != nil {
		return nil, 0, err
	}
	_, refused, err := loader.LoadBisect(ctx, tx, rows.Batch{Organization: stream.Organization, Run: run, Rewrite: true, Records: records})
	if err != nil {
		return nil, 0, fmt.Errorf("rewriting rows: %w", err)
	}
	reasons := make(map[string]rows.Rejected, len(refused))
	for i := range refused {
		reasons[refused[i].RejectedRecord.ID] = refused[i]
	}
	var whole []rows.Rejected
	written := make([]Row, 0, len(batch))
	for i := range batch {
		reason, stays := reasons[batch[i].Record.ID]
		if !stays {
			written = append(written, batch[i])
			continue
		}
		for _, raw := range batch[i].Raws {
			reason.RejectedRecord.Raw = raw
			whole = append(whole, reason)
		}
	}
	if err := settle(ctx, tx, stream, written, versions); err != nil {
		return nil, 0, err
	}
	return whole, len(refused), logDifferent(ctx, tx, stream, keys, before)
}

// settle updates what depends on the written rows: times and hashes, tombstones and versions.
func settle(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, written []Row, versions bool) error {
	if err := note(ctx, tx, stream, written); err != nil {
		return err
	}
	var all, buried []string
	for i := range written {
		all = append(all, written[i].Record.ID)
		if written[i].Tombstones {
			buried = append(buried, written[i].Record.ID)
		}
	}
	if err := tombstones.Follow(ctx, tx, stream, buried); err != nil || !versions {
		return err
	}
	return history.Write(ctx, tx, stream.ListKey(), all)
}

// note restores the time of the last change of rows with a single record, and its content hash.
func note(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, written []Row) error {
	noted := slices.DeleteFunc(slices.Clone(written), func(r Row) bool { return r.ChangedAt == nil && r.DetailHash == nil })
	if len(noted) == 0 {
		return nil
	}
	keys, times, hashes := make([]string, len(noted)), make([]*time.Time, len(noted)), make([][]byte, len(noted))
	for i := range noted {
		keys[i], times[i], hashes[i] = noted[i].Record.ID, noted[i].ChangedAt, noted[i].DetailHash
	}
	detail := ""
	if stream.Resource.Details != nil {
		detail = ", _detail_hash = coalesce(w.detail_hash, t._detail_hash)"
	}
	_, err := tx.Exec(ctx, fmt.Sprintf(`UPDATE %s AS t SET _changed_at = coalesce(w.changed_at, now())%s
FROM unnest($2::text[], $3::timestamptz[], $4::bytea[]) AS w (key, changed_at, detail_hash) WHERE t.organization_id = $1 AND t.%s = w.key`,
		pgx.Identifier{stream.Resource.SchemaName(stream.Service), stream.Resource.Name}.Sanitize(), detail,
		pgx.Identifier{stream.Resource.Columns[0].ColumnName()}.Sanitize()), stream.Organization, keys, times, hashes)
	return postgres.Fail("rewriting rows", err)
}
