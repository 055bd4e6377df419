package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"sluice/cmd/sluice-lake/files"
)

// Published is the table of the lake that says which snapshots of all tables are of one cut. It has
// the newest cut; its own earlier snapshots have the earlier ones.
const Published = namespace + "." + "sluice_published"

// namespace is that of the tables of the lake that the warehouse does not have.
const namespace = "sluice"

// How the properties of a snapshot of Published begin that each cell has: the cursor, and the time
// of the cut in microseconds.
const (
	cursorOf    = Cursor + "."
	publishedAt = "sluice-published-at."
)

// position is up to where the log of changes of a cell was read for the lake.
type position struct {
	cursor string
	at     time.Time
}

// position reads the position; nil if nothing is published.
func (w *work) position(ctx context.Context) (*position, error) {
	if !w.catalog.Has(Published) {
		return nil, nil //nolint:nilnil // there is none
	}
	t, err := w.loaded(ctx, Published)
	if err != nil {
		return nil, err
	}
	all, err := positions(t)
	if found, is := all[w.cell]; is {
		return &found, err
	}
	return nil, err
}

// positions are those of all cells.
func positions(t *table.Table) (map[string]position, error) {
	snapshot := t.CurrentSnapshot()
	if snapshot == nil || snapshot.Summary == nil {
		return nil, fmt.Errorf("%s has no snapshot", Published)
	}
	found := map[string]position{}
	for name, value := range snapshot.Summary.Properties {
		cell, is := strings.CutPrefix(name, publishedAt)
		if !is {
			continue
		}
		micros, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the property %s of the current snapshot of %s is no time: %w", name, Published, err)
		}
		found[cell] = position{cursor: snapshot.Summary.Properties[cursorOf+cell], at: time.UnixMicro(micros).UTC()}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("the current snapshot of %s is not one of a publication", Published)
	}
	return found, nil
}

// The columns of Published.
func publishedSchema() *iceberg.Schema {
	return iceberg.NewSchemaWithIdentifiers(0, []int{2, 6},
		iceberg.NestedField{ID: 1, Name: "published_at", Type: iceberg.PrimitiveTypes.TimestampTz, Required: true,
			Doc: "When the cut was made: all rows of the cell are of that instant."},
		iceberg.NestedField{ID: 2, Name: "table_name", Type: iceberg.PrimitiveTypes.String, Required: true,
			Doc: "Schema and name of the table, as inventory.bills."},
		iceberg.NestedField{ID: 3, Name: "snapshot_id", Type: iceberg.PrimitiveTypes.Int64, Required: true,
			Doc: "The snapshot of the table that belongs to the cut: read the table as of it. It has the rows of all cells."},
		iceberg.NestedField{ID: 4, Name: "row_count", Type: iceberg.PrimitiveTypes.Int64, Required: true, Doc: "How many rows the snapshot has."},
		iceberg.NestedField{ID: 5, Name: "cursor", Type: iceberg.PrimitiveTypes.String, Required: true,
			Doc: "Where the log of changes of the cell goes on behind the cut, as analytics.changes takes it."},
		iceberg.NestedField{ID: 6, Name: "cell", Type: iceberg.PrimitiveTypes.String, Required: true,
			Doc: "Which of the warehouses that publish into the lake: property lake of its own schema lake. Most lakes have one."},
	)
}

// note writes which snapshots are of this cut, and with it the position.
func (w *work) note(ctx context.Context) error {
	t, err := w.published(ctx)
	if err != nil {
		return fmt.Errorf("noting the cut in %s: %w", Published, err)
	}
	schema, err := files.Arrow(t.Schema())
	if err != nil {
		return err
	}
	cells := map[string]position{}
	if t.CurrentSnapshot() != nil {
		if cells, err = positions(t); err != nil {
			return err
		}
	}
	cells[w.cell] = position{cursor: w.cursor, at: w.at}
	batch, err := w.cut(ctx, schema, cells)
	if err != nil {
		return err
	}
	defer batch.Release()
	writer := files.NewWriter(w.Store, t, schema, files.NoBucket, w.cell)
	defer writer.Abort()
	if err := writer.Write(ctx, batch); err != nil {
		return err
	}
	data, err := writer.Close()
	if err != nil {
		return err
	}
	live, err := files.LiveFiles(w.Store, t, files.EveryCell)
	if err != nil {
		return err
	}
	var before []iceberg.DataFile
	if l := live[files.NoBucket]; l != nil {
		before = l.Data
	}
	update := t.NewTransaction()
	summary := iceberg.Properties{}
	for cell, at := range cells {
		summary[cursorOf+cell], summary[publishedAt+cell] = at.cursor, strconv.FormatInt(at.at.UnixMicro(), 10)
	}
	if err := update.ReplaceDataFilesWithDataFiles(ctx, before, data, summary, table.WithoutAutoNameMapping()); err != nil {
		return fmt.Errorf("noting the cut in %s: %w", Published, err)
	}
	if _, err := update.Commit(ctx); err != nil {
		return fmt.Errorf("noting the cut in %s: %w", Published, err)
	}
	return nil
}

func (w *work) published(ctx context.Context) (*table.Table, error) {
	if w.catalog.Has(Published) {
		return w.loaded(ctx, Published)
	}
	spec := iceberg.NewPartitionSpec()
	return w.catalog.New(Published, publishedSchema(), &spec, table.UnsortedSortOrder, properties())
}

// cut has a row for each table of the lake that has a snapshot, and each cell.
func (w *work) cut(ctx context.Context, schema *arrow.Schema, cells map[string]position) (arrow.RecordBatch, error) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	at, _ := b.Field(0).(*array.TimestampBuilder)
	name, _ := b.Field(1).(*array.StringBuilder)
	snapshot, _ := b.Field(2).(*array.Int64Builder)
	rows, _ := b.Field(3).(*array.Int64Builder)
	cursor, _ := b.Field(4).(*array.StringBuilder)
	cell, _ := b.Field(5).(*array.StringBuilder)
	add := func(table string, id, count int64) {
		for _, of := range slices.Sorted(maps.Keys(cells)) {
			at.Append(arrow.Timestamp(cells[of].at.UnixMicro()))
			name.Append(table)
			snapshot.Append(id)
			rows.Append(count)
			cursor.Append(cells[of].cursor)
			cell.Append(of)
		}
	}
	some := false
	for _, full := range w.names() {
		t, err := w.loaded(ctx, full)
		if err != nil {
			return nil, err
		}
		if current := t.CurrentSnapshot(); current != nil {
			add(full, current.SnapshotID, Rows(t))
			some = true
		}
	}
	if !some { // a warehouse without rows has a cut, too
		add(Published, 0, 0)
	}
	return b.NewRecordBatch(), nil
}

// names are the tables of the lake with rows of the warehouse.
func (w *work) names() []string {
	names := slices.Sorted(maps.Keys(w.catalog.Locations()))
	return slices.DeleteFunc(names, func(full string) bool { return full == Published })
}
