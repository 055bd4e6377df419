package verify

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/lineage/audit"
)

// local holds rows against their raw records: a sample, or all.
func (s *subject) local(ctx context.Context) error {
	if n := s.run.Sample; n > 0 {
		return s.run.view(ctx, func(tx pgx.Tx) error {
			keys, err := s.table.Sample(ctx, tx, n, false)
			if err == nil {
				err = s.lookAt(ctx, tx, keys)
			}
			return err
		})
	}
	return s.each(ctx, func(tx pgx.Tx, keys []string) error { return s.lookAt(ctx, tx, keys) })
}

// each hands over the keys of all rows in their order, a batch in each transaction.
func (s *subject) each(ctx context.Context, work func(pgx.Tx, []string) error) error {
	for after := ""; ; {
		over := false
		err := s.run.view(ctx, func(tx pgx.Tx) error {
			keys, err := s.table.Behind(ctx, tx, after, localBatch)
			if err != nil || len(keys) == 0 {
				over = true
				return err
			}
			after = keys[len(keys)-1]
			return work(tx, keys)
		})
		if err != nil || over {
			return err
		}
	}
}

// lookAt holds those rows against their raw records that were not looked at before.
func (s *subject) lookAt(ctx context.Context, tx pgx.Tx, keys []string) error {
	for len(keys) > 0 {
		var fresh []string
		batch := keys[:min(len(keys), localBatch)]
		keys = keys[len(batch):]
		for _, key := range batch {
			if !s.looked[key] {
				s.looked[key] = true
				fresh = append(fresh, key)
			}
		}
		if len(fresh) == 0 {
			continue
		}
		findings, rows, err := s.table.Local(ctx, tx, fresh)
		if err != nil {
			return err
		}
		s.verified.Rows += int64(rows)
		for i := range findings {
			s.edited[findings[i].Record] = findings[i].Code == audit.CodeEdited || findings[i].Code == audit.CodeHash
			s.found(findings[i])
		}
	}
	return nil
}
