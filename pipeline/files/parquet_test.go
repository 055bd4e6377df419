package files_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/files"
	"sluice/pipeline/files/filestest"
)

// tiny is a file of two columns and two rows, written by hand from parquet.thrift and the documents
// of the encodings: (true, "hé") and (null, "").
const tiny = `
50415231                   PAR1
15 00                      page of b, at 4: type 0, a data page
15 12  15 12               9 bytes, stored as 9
2c                         field 5: its header
15 04  15 00  15 06  15 06 2 values, plain, levels as runs
00 00
04000000  02 01  02 00     4 bytes of levels: one row with a value, one without
01                         true
15 00  15 22  15 22        page of t, at 30: 17 bytes
2c  15 04  15 00  15 06  15 06  00 00
02000000  04 01            two rows with a value
03000000  68 c3 a9         "hé"
00000000                   ""
15 02                      footer, at 64: version 1
19 3c                      3 elements of the schema
48 04 726f7773  15 04  00  rows, 2 columns
15 00  25 02  18 01 62  00 boolean, optional, b
15 0c  25 02  18 01 74     byte array, optional, t
25 00  4c  1c 00  00  00   converted type UTF8, logical type STRING
16 04                      2 rows
19 1c                      1 group
19 2c                      2 columns
26 00  1c                  no file offset; field 3
15 00  19 25 00 06         boolean; encodings plain and levels as runs
19 18 01 62  15 00         path b; not compressed
16 04  16 34  16 34  26 08 2 values, 26 bytes, stored as 26, at 4
00 00
26 00  1c  15 0c  19 25 00 06  19 18 01 74  15 00
16 04  16 44  16 44  26 3c 2 values, 34 bytes, at 30
00 00
16 78  16 04  26 08  16 78 size 60, 2 rows, at 4, stored as 60
00
28 1a 736c756963652076657273696f6e20312028 6275696c64203029
00
`

// unspelled reads the bytes at the front of each line; words follow them.
func unspelled(t *testing.T, spelled string) []byte {
	t.Helper()
	var digits strings.Builder
	for line := range strings.Lines(spelled) {
		for word := range strings.FieldsSeq(line) {
			if _, err := hex.DecodeString(word); err != nil {
				break
			}
			digits.WriteString(word)
		}
	}
	read, err := hex.DecodeString(digits.String())
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestParquetByteByByte(t *testing.T) {
	t.Parallel()
	want := unspelled(t, tiny)
	length := len(want) - 64
	want = append(want, byte(length), 0, 0, 0, 'P', 'A', 'R', '1')
	got := written(t, files.Parquet, []files.Column{{Name: "b", Kind: files.Bool}, {Name: "t", Kind: files.Text}},
		[][]files.Value{{number(1), text("hé")}, {{Null: true}, text("")}})
	if diff := cmp.Diff(hex.Dump(want), hex.Dump(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestParquetOfEachKind reads the file by the reader of the tests, which knows the document of the
// format and not the writer.
func TestParquetOfEachKind(t *testing.T) {
	t.Parallel()
	got := filestest.Read(t, written(t, files.Parquet, columns(), rows()))
	wantColumns := []string{
		"text byte array STRING", "open, \"json\" byte array JSON", "bytes byte array", "is boolean", "count int64",
		"amount fixed(16) DECIMAL(38,4)", "day int32 DATE", "at int64 TIMESTAMP(UTC,micros)",
	}
	if diff := cmp.Diff(wantColumns, got.Columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	want := [][]string{
		{"plain", `{"a": [1, "x,y"]}`, "\x00\xff", "true", "-9223372036854775808", "-5000", "20454", "1767225600000001"},
		{"-", "-", "-", "-", "-", "-", "-", "-"},
		{"", `""`, "", "false", "0", "0", "-719162", "-62135596800000000"},
		{"say \"hi\",\r\nשלום עולם\u202e", "null", "a", "true", "9223372036854775807", "1234567890123456789012345678901200", "2932896", "253402300799999999"},
		{" edge", "[]", "b", "false", "1", "125000", "-1", "-1"},
	}
	if diff := cmp.Diff(want, got.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestParquetOfManyRows: groups end, pages are compressed, and no row is lost between them. Equal
// rows give equal bytes.
func TestParquetOfManyRows(t *testing.T) {
	t.Parallel()
	const seed, count = 5, 60_000
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
	got := filestest.Read(t, file)
	if got.Groups < 2 || got.Compressed < 2 {
		t.Errorf("%d groups and %d compressed pages: this shows too little", got.Groups, got.Compressed)
	}
	if diff := cmp.Diff(want, got.Rows); diff != "" {
		t.Errorf("(-want +got):\n%.2000s", diff)
	}
	again, _ := made()
	if !bytes.Equal(file, written(t, files.Parquet, columns, again)) {
		t.Error("equal rows gave other bytes")
	}
	if none := filestest.Read(t, written(t, files.Parquet, columns, nil)); len(none.Rows) != 0 || len(none.Columns) != len(columns) {
		t.Errorf("a table without rows: %+v", none)
	}
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
