package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"

	"sluice/cmd/sluice-lake/storage"
)

// batchRows is how many rows are read at a time.
const batchRows = 16_384

// Scan reads columns of a file batch by batch, in the order of names; a column that the file does
// not have is missing in each batch. First is the position of the batch's first row. No columns
// means all.
func Scan(ctx context.Context, store storage.Storage, path string, names []string, each func(first int64, batch arrow.RecordBatch) error) error {
	if err := scan(ctx, store, path, names, each); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	return nil
}

func scan(
	ctx context.Context, store storage.Storage, path string, names []string, each func(first int64, batch arrow.RecordBatch) error,
) (err error) {
	opened, err := store.Open(path)
	if err != nil {
		return err
	}
	parquetFile, err := file.NewParquetReader(opened)
	if err != nil {
		return errors.Join(err, opened.Close())
	}
	defer func() { err = errors.Join(err, parquetFile.Close()) }() // it closes what it reads
	reader, err := pqarrow.NewFileReader(parquetFile, pqarrow.ArrowReadProperties{BatchSize: batchRows}, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	columns := []int{}
	schema := parquetFile.MetaData().Schema
	for i := range schema.NumColumns() {
		if len(names) == 0 {
			columns = append(columns, i)
		}
	}
	for _, name := range names {
		if at := schema.ColumnIndexByName(name); at >= 0 {
			columns = append(columns, at)
		}
	}
	groups := make([]int, parquetFile.NumRowGroups())
	for i := range groups {
		groups[i] = i
	}
	records, err := reader.GetRecordReader(ctx, columns, groups)
	if err != nil {
		return err
	}
	defer records.Release()
	first := int64(0)
	for records.Next() {
		batch := records.RecordBatch()
		if err := each(first, batch); err != nil {
			return err
		}
		first += batch.NumRows()
	}
	if err := records.Err(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// search finds the rows of records in a file.
func search(ctx context.Context, store storage.Storage, in iceberg.DataFile, keys Keys, key string) ([]int64, error) {
	var found []int64
	err := Scan(ctx, store, in.FilePath(), []string{"organization_id", key}, func(first int64, batch arrow.RecordBatch) error {
		organizations, ok := batch.Column(0).(*array.String)
		ids, fine := batch.Column(1).(*array.String)
		if !ok || !fine {
			return errNoText
		}
		var of map[string]struct{}
		last, some := "", false
		for i := range ids.Len() {
			if organization := organizations.Value(i); !some || organization != last {
				of, last, some = keys[organization], organization, true
			}
			if of == nil {
				continue
			}
			if _, is := of[ids.Value(i)]; is {
				found = append(found, first+int64(i))
			}
		}
		return nil
	})
	return found, err
}

var errNoText = errors.New("a column of the key is no text")

// Rows reads all rows of a bucket. Gone says of a row of the batch that it is deleted.
func Rows(ctx context.Context, store storage.Storage, live *Live, each func(batch arrow.RecordBatch, gone func(i int) bool) error) error {
	deleted, err := ReadDeletes(ctx, store, live.Deletes, func(string) bool { return true })
	if err != nil {
		return err
	}
	for _, f := range live.Data {
		positions := deleted[f.FilePath()]
		err := Scan(ctx, store, f.FilePath(), nil, func(first int64, batch arrow.RecordBatch) error {
			return each(batch, func(i int) bool {
				_, is := slices.BinarySearch(positions, first+int64(i))
				return is
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
