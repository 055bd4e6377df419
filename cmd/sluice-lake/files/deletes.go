package files

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"sluice/cmd/sluice-lake/storage"
)

// Positions are places of rows, from 0 and in order, by the path of their file.
type Positions map[string][]int64

// Len is the number of positions.
func (p Positions) Len() int64 {
	n := 0
	for _, positions := range p {
		n += len(positions)
	}
	return int64(n)
}

// The columns of a file of positions. Source: Iceberg, position delete files.
const (
	pathColumn     = "file_path"
	positionColumn = "pos"
)

// WriteDeletes writes the positions of rows that are gone; no file if there are none.
func WriteDeletes(ctx context.Context, store storage.Storage, to *table.Table, bucket int, cell string, gone Positions) ([]iceberg.DataFile, error) {
	if len(gone) == 0 {
		return nil, nil
	}
	schema, err := Arrow(iceberg.PositionalDeleteSchema)
	if err != nil {
		return nil, err
	}
	w := NewWriter(store, to, schema, bucket, cell)
	w.content, w.suffix = iceberg.EntryContentPosDeletes, "-deletes.parquet"
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	paths, ok := b.Field(0).(*array.StringBuilder)
	places, fine := b.Field(1).(*array.Int64Builder)
	if !ok || !fine {
		return nil, errColumns
	}
	for _, path := range slices.Sorted(maps.Keys(gone)) {
		for _, position := range gone[path] {
			paths.Append(path)
			places.Append(position)
		}
	}
	batch := b.NewRecordBatch()
	defer batch.Release()
	if err := w.Write(ctx, batch); err != nil {
		w.Abort()
		return nil, err
	}
	return w.Close()
}

var errColumns = errors.New("a file of positions has a path and a position in each row")

// ReadDeletes reads which rows are gone of the files that are wanted.
func ReadDeletes(ctx context.Context, store storage.Storage, deletes []iceberg.DataFile, wanted func(path string) bool) (Positions, error) {
	lists := map[string]*[]int64{}
	for _, file := range deletes {
		err := Scan(ctx, store, file.FilePath(), []string{pathColumn, positionColumn}, func(_ int64, batch arrow.RecordBatch) error {
			paths, ok := batch.Column(0).(*array.String)
			places, fine := batch.Column(1).(*array.Int64)
			if !ok || !fine {
				return errColumns
			}
			for i := range paths.Len() {
				path := paths.Value(i)
				list := lists[path]
				if list == nil {
					if !wanted(path) {
						continue
					}
					list = new([]int64)
					lists[strings.Clone(path)] = list // the batch is released
				}
				*list = append(*list, places.Value(i))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	gone := Positions{}
	for path, list := range lists {
		slices.Sort(*list)
		gone[path] = slices.Compact(*list)
	}
	return gone, nil
}

// without gives the positions that are not among the others; both are in order.
func without(positions, others []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(positions), func(p int64) bool {
		_, is := slices.BinarySearch(others, p)
		return is
	})
}
