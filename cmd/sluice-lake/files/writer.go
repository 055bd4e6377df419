// Package files writes and reads the files of a table of the lake: rows in Parquet, and the
// positions of rows that are gone.
//
// A file has rows of one bucket of organizations, in the order of the key. Files are never changed:
// a record that changed gets its new rows in a new file, and the positions of its former rows in a
// file of positions. Why these and no equality deletes: docs/decisions/0030-lake.
//
// It knows no Postgres and no snapshot of its own. Start reading at Writer, then Live and Search.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/google/uuid"

	"sluice/cmd/sluice-lake/shape"
	"sluice/cmd/sluice-lake/storage"
)

const (
	// FileRows bounds the rows of a file: some tens of megabytes. groupRows bounds those of a row
	// group, which a writer has in memory.
	FileRows  = 16 * groupRows
	groupRows = 32_768
	zstdLevel = 1
)

// Writer writes rows of one bucket of a table.
type Writer struct {
	store  storage.Storage
	to     *table.Table
	schema *arrow.Schema
	bucket int
	cell   string
	// content says what the files hold; suffix is a part of their names.
	content iceberg.ManifestEntryContent
	suffix  string

	current *open
	columns *columns
	done    []iceberg.DataFile
}

// open is the file that is written now.
type open struct {
	path   string
	file   io.WriteCloser
	size   *counter
	writer *file.Writer
	group  file.BufferedRowGroupWriter
	// rows are those of the file, inGroup those of the row group.
	rows, inGroup int64
	stats         stats
}

type counter struct {
	io.Writer

	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

// Arrow is the schema of a table's rows in Arrow, with the numbers of its fields.
func Arrow(schema *iceberg.Schema) (*arrow.Schema, error) {
	converted, err := table.SchemaToArrowSchema(schema, nil, true, false)
	if err != nil {
		return nil, fmt.Errorf("the schema of the lake in Arrow: %w", err)
	}
	return converted, nil
}

// NewWriter makes a writer of rows of a cell, whose word is in the names of the files.
func NewWriter(store storage.Storage, to *table.Table, schema *arrow.Schema, bucket int, cell string) *Writer {
	return &Writer{
		store: store, to: to, schema: schema, bucket: bucket, cell: cell,
		content: iceberg.EntryContentData, suffix: ".parquet", columns: newColumns(),
	}
}

// Write writes a batch.
func (w *Writer) Write(ctx context.Context, batch arrow.RecordBatch) error {
	for at := int64(0); at < batch.NumRows(); {
		if w.current == nil {
			if err := w.begin(); err != nil {
				return err
			}
		}
		size := min(batch.NumRows()-at, FileRows-w.current.rows, groupRows-w.current.inGroup)
		part := batch.NewSlice(at, at+size)
		err := w.current.write(ctx, w.columns, part)
		part.Release()
		if err != nil {
			return err
		}
		if at += size; w.current.rows == FileRows {
			if err := w.end(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close ends the last file and returns all of them.
func (w *Writer) Close() ([]iceberg.DataFile, error) {
	if w.current != nil {
		if err := w.end(); err != nil {
			return nil, err
		}
	}
	return w.done, nil
}

// Abort closes a file that will not be used.
func (w *Writer) Abort() {
	if w.current != nil {
		_ = w.current.file.Close() // it is not referred to, and swept with the next ones
		w.current = nil
	}
}

func (w *Writer) begin() error {
	folder := w.to.Location() + "/data/"
	if w.bucket != NoBucket {
		folder += fmt.Sprintf("%s=%d/", shape.BucketField, w.bucket)
	}
	o := &open{path: folder + w.cell + "." + uuid.NewString() + w.suffix}
	to, err := w.store.Create(o.path)
	if err != nil {
		return fmt.Errorf("creating %s: %w", o.path, err)
	}
	o.file, o.size = to, &counter{Writer: to}
	options := []parquet.WriterProperty{
		parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCompressionLevel(zstdLevel), parquet.WithMaxRowGroupLength(groupRows),
		parquet.WithCreatedBy("sluice-lake"), parquet.WithDictionaryDefault(true),
	}
	for _, field := range w.schema.Fields() {
		// Nearly every value is another one: a dictionary would be made, and thrown away.
		if field.Type.ID() == arrow.TIMESTAMP || !field.Nullable && field.Name != "organization_id" {
			options = append(options, parquet.WithDictionaryFor(field.Name, false))
		}
	}
	properties := parquet.NewWriterProperties(options...)
	schema, err := pqarrow.ToParquet(w.schema, properties, pqarrow.DefaultWriterProps())
	if err == nil {
		// The writer closes what it writes to only if that can be closed, which a counter cannot.
		o.writer, err = file.NewParquetWriterWithError(o.size, schema.Root(), file.WithWriterProps(properties))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("beginning %s: %w", o.path, err), to.Close())
	}
	o.stats = newStats(w.schema)
	w.current = o
	return nil
}

func (o *open) write(ctx context.Context, columns *columns, part arrow.RecordBatch) error {
	var err error
	if o.group == nil {
		if o.group, err = o.writer.AppendBufferedRowGroupChecked(); err != nil {
			return fmt.Errorf("writing %s: %w", o.path, err)
		}
	}
	if err := columns.write(ctx, o.group, part); err != nil {
		return fmt.Errorf("writing %s: %w", o.path, err)
	}
	o.stats.see(part)
	o.rows += part.NumRows()
	if o.inGroup += part.NumRows(); o.inGroup == groupRows {
		return o.endGroup()
	}
	return nil
}

func (o *open) endGroup() error {
	if o.group == nil {
		return nil
	}
	err := o.group.Close()
	if o.group, o.inGroup = nil, 0; err != nil {
		return fmt.Errorf("writing %s: %w", o.path, err)
	}
	return nil
}

func (w *Writer) end() error {
	o := w.current
	w.current = nil
	if err := errors.Join(o.endGroup(), o.writer.Close(), o.file.Close()); err != nil {
		return fmt.Errorf("ending %s: %w", o.path, err)
	}
	var partition map[int]any
	if w.bucket != NoBucket {
		partition = map[int]any{shape.BucketFieldID: int32(w.bucket)} //nolint:gosec // below 1,024
	}
	b, err := iceberg.NewDataFileBuilder(w.to.Spec(), w.content, o.path, iceberg.ParquetFile, partition, nil, nil, o.rows, o.size.n)
	if err != nil {
		return fmt.Errorf("describing %s: %w", o.path, err)
	}
	low, high := o.stats.bounds()
	b.ValueCounts(o.stats.values).NullValueCounts(o.stats.nulls).LowerBoundValues(low).UpperBoundValues(high)
	if w.content == iceberg.EntryContentData {
		b.SortOrderID(w.to.SortOrder().OrderID())
	}
	if meta, err := o.writer.FileMetadata(); err == nil {
		sizes, splits := map[int]int64{}, make([]int64, 0, meta.NumRowGroups())
		ids := slices.Sorted(maps.Keys(o.stats.names))
		for g := range meta.NumRowGroups() {
			group := meta.RowGroup(g)
			for i, at := range ids {
				column, err := group.ColumnChunk(at)
				if err != nil {
					return fmt.Errorf("describing %s: %w", o.path, err)
				}
				if i == 0 {
					splits = append(splits, firstByte(column.DataPageOffset(), column.DictionaryPageOffset()))
				}
				sizes[o.stats.names[at]] += column.TotalCompressedSize()
			}
		}
		b.ColumnSizes(sizes).SplitOffsets(splits)
	}
	w.done = append(w.done, b.Build())
	return nil
}

func firstByte(data, dictionary int64) int64 {
	if dictionary > 0 && dictionary < data {
		return dictionary
	}
	return data
}
