package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"sluice/cmd/sluice-lake/files"
	"sluice/cmd/sluice-lake/shape"
)

// ErrShape says that a table of the lake cannot take the rows of the warehouse; the text says what
// to do.
var ErrShape = errors.New("the table of the lake cannot take the rows")

// The ways of publishing a table.
const (
	first = "first"
	whole = "whole"
	some  = "changes"
)

// properties of a table that is made now.
func properties() iceberg.Properties {
	return iceberg.Properties{
		"write.parquet.compression-codec": "zstd",
		// A conflict ends the publication, which begins anew: there is nothing to try again.
		"commit.retry.num-retries": "0",
		// Old metadata is removed by expiring, which knows what a transaction has committed.
		"write.metadata.previous-versions-max": "20",
		"write.delete.mode":                    "merge-on-read",
	}
}

// edit is the change of one table.
type edit struct {
	*work

	shape *shape.Table
	lake  *table.Table
	arrow *arrow.Schema
	live  map[int]*files.Live
	// renews says that crowded buckets are written again.
	renews bool
	// add are files with rows that came and positions of rows that went. fresh are files with all
	// rows of their buckets, and drop what stood there before.
	add, fresh, drop edition
}

// edition are files with rows, and files with positions of rows that are gone.
type edition struct{ data, deletes []iceberg.DataFile }

func (e *edition) empty() bool { return len(e.data)+len(e.deletes) == 0 }

func (e *edition) take(live *files.Live) {
	e.data, e.deletes = append(e.data, live.Data...), append(e.deletes, live.Deletes...)
}

// table publishes a table, and returns nil if it does not change.
func (w *work) table(ctx context.Context, t *shape.Table, changed map[string]files.Keys) (*TableResult, error) {
	e := &edit{work: w, shape: t}
	keys, is := changed[t.Record]
	how := some
	switch {
	case !w.catalog.Has(t.Full()):
		how = first
		if !w.filled[t.Full()] {
			return nil, nil //nolint:nilnil // a table is in the lake from its first row on
		}
	case changed == nil, is && keys == nil, slices.Contains(w.chosen, t.Full()):
		how = whole
	}
	e.renews = w.compacts || w.erased.records[t.Record]
	evolved, err := e.open(ctx, how)
	if err != nil || !is && !evolved && !e.renews && how == some {
		return nil, err
	}
	if how == some {
		err = e.changes(ctx, keys)
	} else {
		err = e.whole(ctx)
	}
	if err != nil {
		return nil, err
	}
	return e.commit(ctx, how)
}

// open makes the table or loads it, and brings its schema up to date. It says whether the schema
// changed, which is committed by then.
func (e *edit) open(ctx context.Context, how string) (bool, error) {
	var evolved bool
	var err error
	full := e.shape.Full()
	if how == first {
		schema, spec, order, err := e.shape.New(e.Buckets)
		if err != nil {
			return false, err
		}
		if e.lake, err = e.catalog.New(full, schema, &spec, order, properties()); err != nil {
			return false, err
		}
	} else if e.lake, err = e.loaded(ctx, full); err != nil {
		return false, err
	}
	if how != first {
		if evolved, err = e.evolve(ctx); err != nil {
			return false, err
		}
	}
	if e.arrow, err = files.Arrow(e.lake.Schema()); err != nil {
		return false, err
	}
	return evolved, nil
}

// loaded loads a table once.
func (w *work) loaded(ctx context.Context, full string) (*table.Table, error) {
	if t := w.snapshots[full]; t != nil {
		return t, nil
	}
	t, err := w.catalog.Load(ctx, full)
	if err != nil {
		return nil, err
	}
	w.snapshots[full] = t
	return t, nil
}

// evolve adds columns that are new, and widens those that are wider. It refuses every other change.
func (e *edit) evolve(ctx context.Context) (bool, error) {
	update := e.lake.NewTransaction()
	schema := update.UpdateSchema(true, false)
	changed := false
	for i := range e.shape.Columns {
		c := &e.shape.Columns[i]
		field, is := e.lake.Schema().FindFieldByName(c.Name)
		switch {
		case !is && c.Required:
			return false, fmt.Errorf("%w: its key has no column %s: drop the table from the lake's catalog; the next publication makes it again",
				ErrShape, c.Name)
		case !is:
			schema.AddColumn([]string{c.Name}, c.Type(), c.Doc, false, nil)
			changed = true
		case field.Type.Equals(c.Type()):
		case wider(field.Type, c.Type()):
			schema.UpdateColumn([]string{c.Name}, table.ColumnUpdate{FieldType: iceberg.Optional[iceberg.Type]{Valid: true, Val: c.Type()}})
			changed = true
		default:
			return false, fmt.Errorf("%w: column %s is %s there and %s by its declaration, and no reader of the former could read the latter: "+
				"drop the table from the lake's catalog; the next publication makes it again", ErrShape, c.Name, field.Type, c.Type())
		}
	}
	if !changed {
		return false, nil
	}
	if err := schema.Commit(); err != nil {
		return false, fmt.Errorf("changing the columns: %w", err)
	}
	lake, err := update.Commit(ctx)
	if err != nil {
		return false, fmt.Errorf("changing the columns: %w", err)
	}
	e.lake, e.snapshots[e.shape.Full()] = lake, lake
	return true, nil
}

// wider reports whether every value of a type is one of another. Source: Iceberg, schema evolution.
func wider(from, to iceberg.Type) bool {
	narrow, ok := from.(iceberg.DecimalType)
	wide, fine := to.(iceberg.DecimalType)
	return from.Equals(iceberg.PrimitiveTypes.Int32) && to.Equals(iceberg.PrimitiveTypes.Int64) ||
		ok && fine && narrow.Scale() == wide.Scale() && narrow.Precision() < wide.Precision()
}

// commit commits the files; nil if there are none. Where some buckets changed and others are
// written again, that makes two snapshots of one commit.
func (e *edit) commit(ctx context.Context, how string) (*TableResult, error) {
	full := e.shape.Full()
	update := e.lake.NewTransaction()
	summary := iceberg.Properties{Cursor: e.cursor}
	var err error
	if !e.add.empty() {
		err = update.NewRowDelta(summary).AddRows(e.add.data...).AddDeletes(e.add.deletes...).Commit(ctx)
	}
	switch {
	case err != nil:
	case !e.drop.empty():
		err = update.ReplaceFiles(ctx, e.drop.data, e.fresh.data, e.drop.deletes, summary, table.WithoutAutoNameMapping())
	case !e.fresh.empty():
		err = update.AddDataFiles(ctx, e.fresh.data, summary, table.WithoutAutoNameMapping())
	case e.add.empty():
		return nil, nil //nolint:nilnil // nothing changed
	}
	if err != nil {
		return nil, fmt.Errorf("making a snapshot: %w", err)
	}
	lake, err := update.Commit(ctx)
	if err != nil {
		return nil, fmt.Errorf("committing a snapshot: %w", err)
	}
	e.snapshots[full] = lake
	return &TableResult{
		Table: full, How: how, Snapshot: lake.CurrentSnapshot().SnapshotID, Rows: Rows(lake),
		Added:   rowsOf(e.add.data) + rowsOf(e.fresh.data),
		Removed: rowsOf(e.add.deletes) + rowsOf(e.drop.data) - rowsOf(e.drop.deletes),
	}, nil
}

// Rows is how many rows the current snapshot of a table has.
func Rows(t *table.Table) int64 {
	snapshot := t.CurrentSnapshot()
	if snapshot == nil {
		return 0
	}
	return total(snapshot, "total-records") - total(snapshot, "total-position-deletes")
}

// total is a figure of a snapshot's summary; 0 if it has none.
func total(snapshot *table.Snapshot, name string) int64 {
	if snapshot.Summary == nil {
		return 0
	}
	n, err := strconv.ParseInt(snapshot.Summary.Properties[name], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func rowsOf(list []iceberg.DataFile) int64 {
	var n int64
	for _, f := range list {
		n += f.Count()
	}
	return n
}

// changes reads the rows of records that changed, and finds their former ones.
func (e *edit) changes(ctx context.Context, keys files.Keys) error {
	buckets := shape.Buckets(e.lake.Spec())
	if buckets == 0 {
		return fmt.Errorf("%w: it is not in buckets of organizations: another program changed its partitions", ErrShape)
	}
	var err error
	if e.live, err = files.LiveFiles(e.Store, e.lake, e.cell); err != nil {
		return err
	}
	byBucket := map[int]files.Keys{}
	for organization, ids := range keys {
		bucket := shape.Bucket(organization, buckets)
		if byBucket[bucket] == nil {
			byBucket[bucket] = files.Keys{}
		}
		byBucket[bucket][organization] = ids
	}
	again := map[int]bool{}
	for bucket, live := range e.live {
		// An erased record may be the only change of a bucket: its rows must not stay in a file.
		if e.renews && (crowded(live) || e.erased.records[e.shape.Record] && byBucket[bucket] != nil) {
			e.drop.take(live)
			again[bucket] = true
		}
	}
	for _, bucket := range slices.Sorted(maps.Keys(byBucket)) {
		if again[bucket] {
			continue
		}
		if err := e.bucket(ctx, bucket, byBucket[bucket]); err != nil {
			return err
		}
	}
	if len(again) == 0 {
		return nil
	}
	return e.buckets(ctx, buckets, func(bucket int) bool { return again[bucket] })
}

// bucket does so in one bucket.
func (e *edit) bucket(ctx context.Context, bucket int, keys files.Keys) error {
	if live := e.live[bucket]; live != nil {
		former, err := files.Search(ctx, e.Store, e.lake, live, keys, e.shape.Key)
		if err != nil {
			return err
		}
		deletes, err := files.WriteDeletes(ctx, e.Store, e.lake, bucket, e.cell, former)
		if err != nil {
			return err
		}
		e.add.deletes = append(e.add.deletes, deletes...)
	}
	organizations, ids := keys.Lists()
	data, err := e.copy(ctx, e.tx, bucket, e.shape.SelectSome(), organizations, ids)
	e.add.data = append(e.add.data, data...)
	return err
}
