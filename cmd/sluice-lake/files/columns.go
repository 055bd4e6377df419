package files

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// columns writes batches into row groups. The library's own writer of batches does the same, and
// makes a value for each null: most columns of most tables are null in each row of a batch. That is
// a third of the time of a first copy.
type columns struct {
	properties pqarrow.ArrowWriterProperties
	zero, some []int16
}

func newColumns() *columns {
	return &columns{properties: pqarrow.DefaultWriterProps(), zero: make([]int16, groupRows), some: make([]int16, groupRows)}
}

// write writes a batch of at most groupRows rows.
func (c *columns) write(ctx context.Context, group file.BufferedRowGroupWriter, batch arrow.RecordBatch) error {
	ctx = pqarrow.NewArrowWriteContext(ctx, &c.properties)
	for at := range int(batch.NumCols()) {
		to, err := group.Column(at)
		if err != nil {
			return fmt.Errorf("column %d: %w", at, err)
		}
		column, nullable := batch.Column(at), batch.Schema().Field(at).Nullable
		switch {
		case !nullable:
			err = pqarrow.WriteArrowToColumn(ctx, to, column, nil, nil, false)
		case column.NullN() == column.Len():
			err = nulls(to, c.zero[:column.Len()])
		default:
			err = pqarrow.WriteArrowToColumn(ctx, to, column, c.levels(column), nil, true)
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", batch.ColumnName(at), err)
		}
	}
	return nil
}

// levels says of each value whether it is there, as Parquet has it: 1, or 0 for null.
func (c *columns) levels(column arrow.Array) []int16 {
	levels := c.some[:column.Len()]
	for i := range levels {
		levels[i] = 1
		if column.IsNull(i) {
			levels[i] = 0
		}
	}
	return levels
}

// nulls writes as many nulls as there are levels.
func nulls(to file.ColumnChunkWriter, levels []int16) error {
	var err error
	switch to := to.(type) {
	case *file.ByteArrayColumnChunkWriter:
		_, err = to.WriteBatch(nil, levels, nil)
	case *file.FixedLenByteArrayColumnChunkWriter:
		_, err = to.WriteBatch(nil, levels, nil)
	case *file.BooleanColumnChunkWriter:
		_, err = to.WriteBatch(nil, levels, nil)
	case *file.Int32ColumnChunkWriter:
		_, err = to.WriteBatch(nil, levels, nil)
	case *file.Int64ColumnChunkWriter:
		_, err = to.WriteBatch(nil, levels, nil)
	default:
		err = fmt.Errorf("no column of the lake is written by %T", to)
	}
	return err
}
