package rebuild

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/rows"
	"sluice/schema/record"
)

// passes are records to be written, in the order in which they were loaded.
type passes struct{ earlierList, earlierDetail, laterList, laterDetail []record.Record }

func (p *passes) inOrder() [4][]record.Record {
	return [...][]record.Record{p.earlierList, p.earlierDetail, p.laterList, p.laterDetail}
}

// add sorts a row's records into the passes.
func (p *passes) add(row *row) {
	switch {
	case row.detail == nil:
		p.laterList = append(p.laterList, *row.list.record)
	case row.detail.hash == nil:
		p.earlierDetail, p.laterList = append(p.earlierDetail, *row.detail.record), append(p.laterList, *row.list.record)
	default:
		p.earlierList, p.laterDetail = append(p.earlierList, *row.list.record), append(p.laterDetail, *row.detail.record)
	}
}

// update writes rows by the statements of the loader: values that the database refuses are found one by one, and what
// hangs on a row stays with it.
func (r *Rows) update(ctx context.Context, tx pgx.Tx, l *layout, differing []*row, done *Done) error {
	if len(differing) == 0 {
		return nil
	}
	var passes passes
	for _, row := range differing {
		passes.add(row)
	}
	refusedKeys := map[string]bool{}
	for i, records := range passes.inOrder() {
		if len(records) == 0 {
			continue
		}
		_, refused, err := r.loader.LoadBisect(ctx, tx, rows.Batch{
			Organization: r.stream.Organization, Run: r.run, Details: i%2 == 1, Rewrite: true, Records: records,
		})
		if err != nil {
			return fmt.Errorf("rewriting rows: %w", err)
		}
		for _, one := range refused {
			refusedKeys[one.Record.ID] = true
		}
		done.Refused = append(done.Refused, refused...)
	}
	done.Rewritten += len(differing) - len(refusedKeys)
	done.Unfit += len(refusedKeys)
	return r.unchanged(ctx, tx, l, differing)
}

// unchanged gives rows of which the declaration makes the same as before the time of their last change back.
func (r *Rows) unchanged(ctx context.Context, tx pgx.Tx, l *layout, rows []*row) error {
	var keys []string
	var times []pgtype.Timestamptz
	for _, row := range rows {
		if row.differs() {
			continue
		}
		var at pgtype.Timestamptz
		if err := tx.Conn().TypeMap().Scan(pgtype.TimestamptzOID, pgtype.BinaryFormatCode, row.fields[l.changed], &at); err != nil {
			return fmt.Errorf("reading _changed_at of %s: %w", r.table.name, err)
		}
		keys, times = append(keys, row.key), append(times, at)
	}
	if len(keys) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `UPDATE `+r.table.name+` AS t SET _changed_at = w.at FROM unnest($2::text[], $3::timestamptz[]) AS w (key, at)
WHERE t.organization_id = $1 AND t.`+r.table.key+` = w.key AND t._changed_at IS DISTINCT FROM w.at`, r.stream.Organization, keys, times)
	if err != nil {
		return fmt.Errorf("rewriting rows: %w", err)
	}
	return nil
}
