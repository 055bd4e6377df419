// Package rebuild writes rows anew out of the raw records that are kept beside them, after a declaration learned columns: no
// call is made, and rows keep their calls and the instant at which they were first seen.
//
// A row is what its last list record and its last single record made of it, in the order in which they were asked for; each
// is normalized again, and where the content hash is another one now, it is written again. What only an earlier version of
// the record carried is not looked for.
//
// Start reading at Step.
package rebuild

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/loader"
	"sluice/schema"
	"sluice/schema/normalize"
)

// batchRows is how many rows one transaction goes through: the rows stay locked meanwhile.
const batchRows = 1000

// Normalize turns the bytes of one record into rows, as the declaration has it now; parent is the one that the record was
// listed under, "" where there are none. What does not fit is a *normalize.ValueError.
type Normalize func(raw []byte, parent string) (normalize.Record, error)

// Rows writes the rows of one resource anew.
type Rows struct {
	stream    pipeline.Stream
	loader    *loader.Loader
	normalize Normalize
	sql       string
	run       int64
}

// Counts say what became of rows.
type Counts struct {
	// Rows were looked at; Rewritten were written because their content is another one by now.
	Rows, Rewritten int
	// Unfit do not fit the declaration any more: they stay as they are. Lost have no raw record.
	Unfit, Lost int
}

// Add adds other counts.
func (c *Counts) Add(other Counts) {
	c.Rows += other.Rows
	c.Rewritten += other.Rewritten
	c.Unfit += other.Unfit
	c.Lost += other.Lost
}

// Done is what one step did.
type Done struct {
	Counts

	// Last is the key of the last row, "" if there was none left.
	Last string
	// Rejects and Refused do not fit, by the declaration and by the database.
	Rejects []pipeline.Reject
	Refused []loader.Refused
}

// New prepares a rebuild of the stream's resource by a run.
func New(stream pipeline.Stream, run int64, l *loader.Loader, n Normalize) *Rows {
	return &Rows{stream: stream, run: run, loader: l, normalize: n, sql: selectRows(stream)}
}

// Step goes through the next rows behind a key, within a transaction of the caller's. History says that versions are kept.
func (r *Rows) Step(ctx context.Context, tx pgx.Tx, after string, history bool) (Done, error) {
	var done Done
	rows, err := r.read(ctx, tx, after)
	if err != nil || len(rows) == 0 {
		return done, err
	}
	raws, err := readRaws(ctx, tx, rows)
	if err != nil {
		return done, err
	}
	done.Rows, done.Last = len(rows), rows[len(rows)-1].key
	var passes passes
	for i := range rows {
		if r.renew(&rows[i], raws, &done) && passes.add(&rows[i]) {
			done.Rewritten++
		}
	}
	for i, records := range passes.inOrder() {
		if len(records) == 0 {
			continue
		}
		_, refused, err := r.loader.LoadBisect(ctx, tx, loader.Batch{
			Organization: r.stream.Organization, Run: r.run, Details: i%2 == 1, Rewrite: true, History: history, Records: records,
		})
		if err != nil {
			return done, fmt.Errorf("rewriting rows: %w", err)
		}
		done.Refused = append(done.Refused, refused...)
		done.Rewritten -= len(refused)
		done.Unfit += len(refused)
	}
	return done, nil
}

// renew normalizes what made the row. It says false, and counts why, if the row has to stay as it is.
func (r *Rows) renew(row *row, raws map[place][]byte, done *Done) bool {
	for _, version := range []*version{&row.list, row.detail} {
		if version == nil {
			continue
		}
		raw, found := raws[version.place]
		if !found {
			done.Lost++
			return false
		}
		record, err := r.normalize(raw, row.parent)
		if err == nil && record.ID != row.key {
			err = &normalize.ValueError{
				ID: row.key, Path: r.stream.Resource.ID, Code: normalize.CodeNoID, Detail: "the raw record now has another key than its row",
			}
		}
		if err != nil {
			done.Unfit++
			done.Rejects = append(done.Rejects, reject(row.key, raw, err))
			return false
		}
		version.record = record
	}
	return true
}

// reject keeps a raw record whole, with the reason (promise 4).
func reject(id string, raw []byte, err error) pipeline.Reject {
	if misfit, ok := errors.AsType[*normalize.ValueError](err); ok {
		return pipeline.Reject{Raw: raw, ID: id, Code: string(misfit.Code), Path: misfit.Path, Detail: misfit.Detail}
	}
	return pipeline.Reject{Raw: raw, ID: id, Code: string(normalize.CodeBadJSON), Detail: err.Error()}
}

// passes are records to be written, in the order in which they are: what was asked for first comes first.
type passes struct{ olderList, olderDetail, newerList, newerDetail []normalize.Record }

func (p *passes) inOrder() [4][]normalize.Record {
	return [...][]normalize.Record{p.olderList, p.olderDetail, p.newerList, p.newerDetail}
}

// add sorts a row's versions into the passes and says whether any is to be written.
func (p *passes) add(row *row) bool {
	list := row.list.differs()
	switch detail := row.detail; {
	case detail == nil:
		if list {
			p.newerList = append(p.newerList, row.list.record)
		}
		return list
	case row.list.call <= detail.call:
		if list {
			p.olderList = append(p.olderList, row.list.record)
		}
		if list || detail.differs() {
			p.newerDetail = append(p.newerDetail, detail.record)
			return true
		}
		return false
	default:
		// The list record came last and may have taken its word back from the single record's hash: then that one is written
		// again if the list's is.
		single := detail.differs() || list && detail.hash == nil
		if single {
			p.olderDetail = append(p.olderDetail, detail.record)
		}
		if list || single {
			p.newerList = append(p.newerList, row.list.record)
		}
		return list || single
	}
}

// parentColumn is the column that holds the parent, "" where rows have none.
func parentColumn(resource *schema.Resource) string {
	cursor, ok := resource.Cursor.(schema.PerParent)
	if !ok {
		return ""
	}
	for _, column := range resource.Columns {
		if column.Wire == cursor.Column {
			return column.ColumnName()
		}
	}
	return ""
}
