package warehouse

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/erasures"
	"sluice/pipeline/warehouse/history"
	"sluice/pipeline/warehouse/leftout"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/pipeline/warehouse/raw"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema/redact"
)

// How much one transaction of a scrub handles: archives, entries of the quarantine, rows.
const (
	scrubArchives = 20
	scrubEntries  = 100
	scrubRows     = 500
)

// Scrubbed counts what a scrub changed, or would change.
type Scrubbed struct {
	// Archives are arrays of raw records, Entries those of the quarantine, Rows records with other
	// values in the row or in an array.
	Archives int `json:"archives"`
	Entries  int `json:"quarantined"`
	Rows     int `json:"rows"`
}

// Scrub leaves columns out of all that is stored of a stream's resource, as the stream says: raw
// records, quarantine, drift, rows with their elements, versions and values by day. Stored redacts
// what tables hold. Content hashes stay: a rebuild makes them anew.
//
// Each step is a transaction, and a scrub that was stopped or killed is made again from its
// beginning, where nothing is left to change. Runs go on meanwhile: each step keeps them off the
// rows for its own time only. With dry it writes nothing, and rows are not counted. Progress, if
// not nil, is called behind each step.
func (db *DB) Scrub(ctx context.Context, stream pipeline.Stream, stored *redact.Redactor, dry bool, progress func(Scrubbed)) (Scrubbed, error) {
	s := scrub{db: db, stream: stream, dry: dry, progress: progress}
	err := s.archives(ctx)
	if err == nil {
		err = s.entries(ctx)
	}
	if err == nil && !dry {
		err = s.rows(ctx, stored)
	}
	return s.Scrubbed, err
}

// scrub is one scrub of a stream's resource.
type scrub struct {
	Scrubbed

	db       *DB
	stream   pipeline.Stream
	dry      bool
	progress func(Scrubbed)
}

// each repeats a step until it says that nothing is left.
func (s *scrub) each(ctx context.Context, step func(tx pgx.Tx) (more bool, err error)) error {
	op := "scrubbing " + s.stream.String()
	for more := true; more; {
		err := s.db.inTx(ctx, op, func(tx pgx.Tx) error {
			key := s.stream.ListKey()
			if _, err := tx.Exec(ctx, sqlLockWriters, key.Organization, key.Service, key.Resource); err != nil {
				return postgres.Fail(op, err)
			}
			var err error
			more, err = step(tx)
			return postgres.Fail(op, err)
		})
		if err != nil {
			return err
		}
		if s.progress != nil {
			s.progress(s.Scrubbed)
		}
	}
	return nil
}

func (s *scrub) archives(ctx context.Context) error {
	after := raw.Ref{Call: -1}
	return s.each(ctx, func(tx pgx.Tx) (bool, error) {
		last, written, err := rows.LeaveOut(ctx, tx, s.stream, after, scrubArchives, s.dry)
		if err != nil || last == nil {
			return false, err
		}
		after, s.Archives = *last, s.Archives+written
		return true, nil
	})
}

func (s *scrub) entries(ctx context.Context) error {
	after := int64(0)
	return s.each(ctx, func(tx pgx.Tx) (bool, error) {
		last, changed, err := quarantine.LeaveOut(ctx, tx, s.stream, after, scrubEntries, s.dry)
		if err != nil || last == 0 {
			return false, err
		}
		after, s.Entries = last, s.Entries+changed
		return true, nil
	})
}

func (s *scrub) rows(ctx context.Context, stored *redact.Redactor) error {
	cleaner, after := leftout.NewCleaner(s.stream, stored), ""
	err := s.each(ctx, func(tx pgx.Tx) (bool, error) {
		last, changed, err := cleaner.Step(ctx, tx, after, scrubRows)
		after, s.Rows = last, s.Rows+changed
		return last != "", err
	})
	if err != nil {
		return err
	}
	list, after := s.stream.ListKey(), ""
	return s.each(ctx, func(tx pgx.Tx) (bool, error) {
		ids, err := history.Recorded(ctx, tx, list, after, scrubRows)
		if err == nil && len(ids) > 0 {
			after = ids[len(ids)-1]
			return true, history.LeaveOut(ctx, tx, list, ids, stored)
		}
		if err == nil {
			err = quarantine.ForgetDrift(ctx, tx, s.stream)
		}
		return false, err
	})
}

// errDry ends the transaction of a dry run.
var errDry = errors.New("nothing is written")

// Erase erases a record in one transaction, which locks all streams that write the resource: a kill
// leaves all of it or nothing, and a batch that is being loaded comes before it, or has lost its
// claim (invariant 6). A dry run does the same and rolls it back. The errors are those of
// erasures.Record.
func (db *DB) Erase(ctx context.Context, subject *erasures.Subject, dry bool) (erasures.Receipt, error) {
	key := subject.Stream.ListKey()
	op := "erasing a record of " + key.String()
	var receipt erasures.Receipt
	err := db.inTx(ctx, op, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlLockWriters, key.Organization, key.Service, key.Resource); err != nil {
			return postgres.Fail(op, err)
		}
		var err error
		if receipt, err = erasures.Record(ctx, tx, subject); err == nil && dry {
			err = errDry
		}
		return err
	})
	if errors.Is(err, errDry) {
		return receipt, nil
	}
	if err != nil {
		return receipt, err
	}
	err = receipt.Forget(ctx, db.pool, subject)
	return receipt, err
}
