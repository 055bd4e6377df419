// Package retrace makes versions of records from the raw records that are kept, without a call.
//
// The loader loads the raw records once more, in the order in which they came and with the present
// declaration. It loads them into temporary tables like those of the resource, so only one rule
// says what a row is. After each batch the functions of the database that keep versions read row
// and arrays, and history.weave inserts the result among the existing versions. The temporary
// tables end with the connection: if it is killed, each record has complete versions, and the next
// call begins anew. Why: docs/decisions/0016-versions.
//
// Start reading at Replay, then Weave.
package retrace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/erasures"
	"sluice/pipeline/warehouse/raw/archive"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema/record"
)

// ErrNoHistory says that no versions are kept of a resource.
var ErrNoHistory = errors.New("no versions are kept: the configuration asks for them by history: true")

const (
	// batchRecords is how many records are loaded at once. A batch has at most one raw record of
	// each record.
	batchRecords = 1000
	// weaveRecords is how many records get their versions in one transaction, which keeps runs from
	// writing to the resource.
	weaveRecords = 500
)

// Normalize turns the bytes of one record into rows, by the present declaration; parent is the
// parent under which the record was listed.
type Normalize func(raw []byte, parent string) (record.Record, error)

// Counts are the results of a retrace.
type Counts struct {
	// Archives and Raw records were read, which belong to so many Records.
	Archives, Raw, Records int
	// Versions were written.
	Versions int
	// Rejected are raw records that no longer fit the declaration: their records keep their
	// existing versions.
	Rejected int
	// Since is the instant from which on versions say what the table held; zero if the raw records
	// do not prove any.
	Since time.Time
}

// Past retraces the versions of one resource of one organization on a connection of its own.
type Past struct {
	stream    pipeline.Stream
	normalize Normalize
	loader    *rows.Loader
	parent    string
	batch     []step
	in        map[string]bool
	rejected  map[string]bool
	// unnamed says that a rejected raw record had no known identifier.
	unnamed bool
	counts  Counts
}

// step is one raw record that is being loaded.
type step struct {
	record record.Record
	raw    []byte
	at     place
}

// New prepares to retrace the records of a stream's resource.
func New(stream pipeline.Stream, normalize Normalize) *Past {
	there := *stream.Resource
	there.Schema, there.History = temporary, nil
	return &Past{
		stream: stream, normalize: normalize, loader: rows.New(stream.Service, &there),
		parent: stream.Resource.ColumnOfParent(), in: map[string]bool{}, rejected: map[string]bool{},
	}
}

// Replay loads all raw records of the resource. Progress, if not nil, gets the number read so far.
func (p *Past) Replay(ctx context.Context, conn *pgx.Conn, progress func(n int)) error {
	if err := p.prepare(ctx, conn); err != nil {
		return err
	}
	archives, err := p.archives(ctx, conn)
	if err != nil {
		return err
	}
	for _, a := range archives {
		raws, err := a.read(ctx, conn)
		if err != nil {
			return err
		}
		for i, raw := range raws {
			if string(raw) == archive.Erased {
				continue
			}
			at := a
			at.Position += int32(i)
			if err := p.take(ctx, conn, raw, at); err != nil {
				return err
			}
		}
		p.counts.Archives++
		p.counts.Raw += len(raws)
		if progress != nil {
			progress(p.counts.Raw)
		}
	}
	if err := p.flush(ctx, conn); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sqlReady)
	return wrap("sorting what was read", err)
}

// take adds a raw record to the batch.
func (p *Past) take(ctx context.Context, conn *pgx.Conn, raw []byte, at place) error {
	record, err := p.normalize(raw, "")
	if err != nil {
		p.rejectRecord(err)
		return nil
	}
	if p.in[record.ID] || len(p.batch) == batchRecords {
		if err := p.flush(ctx, conn); err != nil {
			return err
		}
	}
	p.in[record.ID] = true
	p.batch = append(p.batch, step{record: record, raw: raw, at: at})
	return nil
}

// rejectRecord records that a raw record no longer fits.
func (p *Past) rejectRecord(err error) {
	p.counts.Rejected++
	if misfit, ok := errors.AsType[*record.RejectedError](err); ok && misfit.ID != "" {
		p.rejected[misfit.ID] = true
		return
	}
	p.unnamed = true
}

// flush loads the batch and stores what the rows then hold.
func (p *Past) flush(ctx context.Context, conn *pgx.Conn) error {
	if len(p.batch) == 0 {
		return nil
	}
	defer func() { p.batch = p.batch[:0]; clear(p.in) }()
	if err := p.adopt(ctx, conn); err != nil {
		return err
	}
	return wrap("loading raw records of "+p.stream.String(), pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, p.sqlRows(), p.stream.Organization, p.ids(), p.instants()); err != nil {
			return fmt.Errorf("making rows: %w", err)
		}
		records := make([]record.Record, len(p.batch))
		for i := range p.batch {
			records[i] = p.batch[i].record
		}
		_, refused, err := p.loader.LoadBisect(ctx, tx, rows.Batch{
			Organization: p.stream.Organization, Run: 1, Call: 1, Rewrite: true, Records: records,
		})
		if err != nil {
			return err
		}
		for i := range refused {
			p.counts.Rejected++
			p.rejected[refused[i].RejectedRecord.ID] = true
		}
		_, err = tx.Exec(ctx, sqlRetraced, p.setting(), p.ids(), p.instants(), p.calls(), p.positions(), p.details())
		return wrap("noting what rows hold", err)
	}))
}

// adopt normalizes records again with the parents under which they were listed, which their rows
// hold.
func (p *Past) adopt(ctx context.Context, conn *pgx.Conn) error {
	if p.parent == "" {
		return nil
	}
	rows, err := conn.Query(ctx, p.sqlParents(), p.stream.Organization, p.ids())
	if err != nil {
		return fmt.Errorf("reading parents: %w", err)
	}
	parents := map[string]string{}
	var id, parent string
	if _, err := pgx.ForEachRow(rows, []any{&id, &parent}, func() error { parents[id] = parent; return nil }); err != nil {
		return fmt.Errorf("reading parents: %w", err)
	}
	adopted := p.batch[:0]
	for _, s := range p.batch {
		if s.record, err = p.normalize(s.raw, parents[s.record.ID]); err != nil {
			p.rejectRecord(err)
			continue
		}
		adopted = append(adopted, s)
	}
	p.batch = adopted
	return nil
}

// Weave makes the versions of the next records after a key anew, within a transaction in which no
// other session writes to the resource. It returns the last of these keys, "" if no record was
// left.
func (p *Past) Weave(ctx context.Context, tx pgx.Tx, after string) (string, error) {
	rows, err := tx.Query(ctx, sqlNext, after, weaveRecords)
	if err != nil {
		return "", fmt.Errorf("reading which records come next: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(ids) == 0 {
		return "", wrap("reading which records come next", err)
	}
	s := p.stream
	erased, err := erasures.Refused(ctx, tx, s.ListKey(), ids) // since the raw records were read
	if err != nil {
		return "", err
	}
	fit := make([]string, 0, len(ids))
	for _, id := range ids {
		if !p.rejected[id] && !erased[id] {
			fit = append(fit, id)
		}
	}
	var written int
	if err := tx.QueryRow(ctx, sqlWeave, s.Organization, s.Service.Name, s.Resource.Name, fit).Scan(&written); err != nil {
		if errors.Is(err, pgx.ErrNoRows) {
			err = ErrNoHistory
		}
		return "", fmt.Errorf("writing versions of %s: %w", s, err)
	}
	p.counts.Records += len(fit)
	p.counts.Versions += written
	return ids[len(ids)-1], nil
}

// Cover stores since when versions say what the table held. If a record could not be read, it
// stores nothing.
func (p *Past) Cover(ctx context.Context, tx pgx.Tx) (Counts, error) {
	if p.unnamed || len(p.rejected) > 0 {
		return p.counts, nil
	}
	var since *time.Time
	s := p.stream
	err := tx.QueryRow(ctx, sqlCover, s.Organization, s.Service.Name, s.Resource.Name).Scan(&since)
	if since != nil {
		p.counts.Since = *since
	}
	return p.counts, wrap("noting since when versions are kept of "+s.String(), err)
}

// Requested returns ErrNoHistory unless versions of a resource are kept.
func Requested(ctx context.Context, conn *pgx.Conn, stream pipeline.Stream) error {
	var kept bool
	if err := conn.QueryRow(ctx, sqlWanted, stream.Organization, stream.Service.Name, stream.Resource.Name).Scan(&kept); err != nil {
		return fmt.Errorf("reading whether versions are kept of %s: %w", stream, err)
	}
	if !kept {
		return fmt.Errorf("%s: %w", stream, ErrNoHistory)
	}
	return nil
}
