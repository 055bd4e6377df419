package files_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"sluice/pipeline/check"
	"sluice/pipeline/files"
)

// content is what a file of Parquet has: its schema, and its values as texts. Null is "-", decimals are
// without their point, days and times are numbers. DuckDB judges the same types in cmd/sluice-lake.
type content struct {
	schema string
	rows   [][]string
	groups int
}

func read(t *testing.T, written []byte) content {
	t.Helper()
	file := opened(t, written)
	found := content{schema: file.Schema().String(), groups: len(file.RowGroups())}
	for _, group := range file.RowGroups() {
		rows := group.Rows()
		for buffer := make([]parquet.Row, 100); ; {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				values := make([]string, len(row))
				for i, value := range row {
					values[i] = spelled(value)
				}
				found.rows = append(found.rows, values)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			check.Must(t, err)
		}
		check.Must(t, rows.Close())
	}
	return found
}

func opened(t *testing.T, written []byte) *parquet.File {
	t.Helper()
	file, err := parquet.OpenFile(bytes.NewReader(written), int64(len(written)))
	check.Must(t, err)
	return file
}

func spelled(v parquet.Value) string {
	switch {
	case v.IsNull():
		return "-"
	case v.Kind() == parquet.FixedLenByteArray:
		return signed(v.ByteArray()).String()
	default:
		return v.String()
	}
}

func TestParquetOfEachKind(t *testing.T) {
	t.Parallel()
	got := read(t, written(t, files.Parquet, columns(), rows()))
	wantSchema := `message rows {
	optional binary text (STRING);
	optional binary open, "json" (JSON);
	optional binary bytes;
	optional boolean is;
	optional int64 count (INT(64,true));
	optional fixed_len_byte_array(16) amount (DECIMAL(38,4));
	optional int32 day (DATE);
	optional int64 at (TIMESTAMP(isAdjustedToUTC=true,unit=MICROS));
}`
	check.Same(t, "columns", wantSchema, got.schema)
	want := [][]string{
		{"plain", `{"a": [1, "x,y"]}`, "\x00\xff", "true", "-9223372036854775808", "-5000", "20454", "1767225600000001"},
		{"-", "-", "-", "-", "-", "-", "-", "-"},
		{"", `""`, "", "false", "0", "0", "-719162", "-62135596800000000"},
		{"say \"hi\",\r\nשלום עולם\u202e", "null", "a", "true", "9223372036854775807", "1234567890123456789012345678901200", "2932896", "253402300799999999"},
		{" edge", "[]", "b", "false", "1", "125000", "-1", "-1"},
	}
	check.Same(t, "rows", want, got.rows)
}

// TestParquetBoundsHoldNegativeDecimals: readers skip what is outside of the bounds.
func TestParquetBoundsHoldNegativeDecimals(t *testing.T) {
	t.Parallel()
	file := opened(t, written(t, files.Parquet, []files.Column{{Name: "amount", Kind: files.Decimal}, {Name: "none", Kind: files.Decimal}},
		[][]files.Value{{text("-5"), {Null: true}}, {{Null: true}, {Null: true}}, {text("3"), {Null: true}}}))
	index := file.ColumnIndexes()
	if len(index) != 2 || len(index[0].MinValues) != 1 || len(index[1].MinValues) != 1 {
		t.Fatalf("%d pages are indexed, want 1 for each column: %+v", len(index), index)
	}
	low, high := signed(index[0].MinValues[0]), signed(index[0].MaxValues[0])
	check.ErrorIf(t, low.Cmp(big.NewInt(-5)) > 0 || high.Cmp(big.NewInt(3)) < 0 || index[0].NullPages[0] || index[0].NullCounts[0] != 1,
		"a page with -5, null and 3 has the index %+v", index[0])
	check.ErrorIf(t, !index[1].NullPages[0] || index[1].NullCounts[0] != 3 || len(index[1].MinValues[0])+len(index[1].MaxValues[0]) != 0,
		"a page without a value has the index %+v", index[1])
	if bounds := file.Metadata().RowGroups[0].Columns[0].MetaData.Statistics; len(bounds.MinValue)+len(bounds.MaxValue)+len(bounds.Min)+len(bounds.Max) != 0 {
		t.Errorf("the group has bounds that the library compared: %+v", bounds)
	}
}

// TestParquetOfManyRows: groups end, pages are compressed, and no row is lost between them. Equal
// rows give equal bytes.
func TestParquetOfManyRows(t *testing.T) {
	t.Parallel()
	const seed, count, most = 5, 60_000, 8 << 20 // bytes, a third of the texts
	made := func() ([][]files.Value, [][]string) {
		random := rand.New(rand.NewPCG(seed, seed))
		var rows [][]files.Value
		var want [][]string
		for i := range int64(count) {
			long := strings.Repeat(fmt.Sprint(random.Uint64()), random.IntN(60))
			row, told := []files.Value{number(i), text(long), number(i % 2), {Null: true}}, []string{fmt.Sprint(i), long, fmt.Sprint(i%2 == 1), "-"}
			if random.IntN(3) == 0 {
				row[1], told[1] = files.Value{Null: true}, "-"
			}
			rows, want = append(rows, row), append(want, told)
		}
		return rows, want
	}
	columns := []files.Column{{Name: "n", Kind: files.Int}, {Name: "t", Kind: files.Text}, {Name: "b", Kind: files.Bool}, {Name: "none", Kind: files.Date}}
	rows, want := made()
	file := written(t, files.Parquet, columns, rows)
	got := read(t, file)
	check.ErrorIf(t, got.groups < 2 || len(file) > most, "%d groups, and %d bytes: this shows too little", got.groups, len(file))
	if diff := cmp.Diff(want, got.rows); diff != "" {
		t.Errorf("(-want +got):\n%.2000s", diff)
	}
	again, _ := made()
	check.ErrorIf(t, !bytes.Equal(file, written(t, files.Parquet, columns, again)), "equal rows gave other bytes")
	none := read(t, written(t, files.Parquet, columns, nil))
	check.ErrorIf(t, len(none.rows) != 0 || none.schema != got.schema, "a table without rows: %+v", none)
}

// TestAFullDisk: an error of the file reaches the caller, whichever part of the file is written.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	for _, format := range []files.Format{files.CSV, files.JSONL, files.Parquet} {
		size := len(written(t, format, columns(), rows()))
		for room := 0; room < size; room += 17 { // each write ends at several places
			disk := &disk{room: room}
			w, err := files.NewWriter(format, disk, columns())
			for _, row := range rows() {
				if err == nil {
					err = w.Write(row)
				}
			}
			if err == nil {
				err = w.Close()
			}
			if !errors.Is(err, errFull) {
				t.Fatalf("%s with room for %d of %d bytes: %v", format, room, size, err)
			}
		}
	}
}

// disk has room for so many bytes.
type disk struct{ room int }

var errFull = errors.New("no space left on device")

func (d *disk) Write(data []byte) (int, error) {
	n := min(len(data), d.room)
	d.room -= n
	if n < len(data) {
		return n, errFull
	}
	return n, nil
}
