// Package filestest reads files of Parquet in tests. It was written from the document of the format
// and not from the writer, so that it does not confirm its mistakes. No stage of the program uses
// it.
//
// Start reading at Read.
package filestest

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math/big"
	"math/bits"
	"strconv"
)

// Content is what a file has.
type Content struct {
	// Columns are the columns with their types, in words.
	Columns []string
	// Rows are the values as texts: null is "-", decimals are without their point, days and
	// instants are numbers.
	Rows [][]string
	// Groups counts the groups of rows, Compressed the pages that are compressed.
	Groups, Compressed int
}

// Failer is a test.
type Failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Read reads a file as apache/parquet-format says, and fails where the file breaks that document.
// It knows tables without nesting, plain values and pages of the first version.
func Read(t Failer, file []byte) Content {
	t.Helper()
	size := len(file)
	if string(file[:4]) != "PAR1" || string(file[size-4:]) != "PAR1" {
		t.Fatal("it does not begin and end as Parquet")
	}
	length := int(binary.LittleEndian.Uint32(file[size-8:]))
	in := thrift{t: t, data: file[size-8-length : size-8]}
	footer := in.object()
	if len(in.data) != 0 {
		t.Fatalf("%d bytes follow the footer", len(in.data))
	}
	var found Content
	schema := footer[2].([]any)
	root := schema[0].(map[int]any)
	if int(root[5].(int64)) != len(schema)-1 {
		t.Fatalf("the root has %d columns of %d", root[5], len(schema)-1)
	}
	for _, element := range schema[1:] {
		found.Columns = append(found.Columns, column(element.(map[int]any)))
	}
	end := 4
	for _, g := range footer[4].([]any) {
		group := g.(map[int]any)
		rows := int(group[3].(int64))
		at := len(found.Rows)
		for range rows {
			found.Rows = append(found.Rows, make([]string, len(schema)-1))
		}
		for i, c := range group[1].([]any) {
			chunk := c.(map[int]any)[3].(map[int]any)
			if int(chunk[9].(int64)) != end {
				t.Fatalf("a page at %d, and the one before ends at %d", chunk[9], end)
			}
			end += int(chunk[7].(int64))
			element := schema[1+i].(map[int]any)
			if element[1] != chunk[1] || !bytes.Equal(chunk[3].([]any)[0].([]byte), element[4].([]byte)) || element[3] != int64(1) {
				t.Fatalf("column %d is another one in the group", i)
			}
			if chunk[4] != int64(0) {
				found.Compressed++
			}
			for row, value := range page(t, file[chunk[9].(int64):end], chunk, element, rows) {
				found.Rows[at+row][i] = value
			}
		}
		found.Groups++
	}
	if end != size-8-length || int64(len(found.Rows)) != footer[3] {
		t.Fatalf("pages end at %d of %d, and there are %d rows of %v", end, size-8-length, len(found.Rows), footer[3])
	}
	return found
}

// column describes an element of the schema.
func column(element map[int]any) string {
	physical := map[any]string{
		int64(0): "boolean", int64(1): "int32", int64(2): "int64", int64(6): "byte array", int64(7): fmt.Sprintf("fixed(%v)", element[2]),
	}
	said := string(element[4].([]byte)) + " " + physical[element[1]]
	logical, _ := element[10].(map[int]any)
	converted := map[int]any{1: int64(0), 5: int64(5), 6: int64(6), 8: int64(10), 12: int64(19)}
	for number, inner := range logical {
		if element[6] != converted[number] {
			return said + " with two meanings"
		}
		fields, _ := inner.(map[int]any)
		switch number {
		case 1:
			return said + " STRING"
		case 5:
			if element[7] != fields[1] || element[8] != fields[2] {
				return said + " with two scales"
			}
			return said + fmt.Sprintf(" DECIMAL(%v,%v)", fields[2], fields[1])
		case 6:
			return said + " DATE"
		case 8:
			if _, micros := fields[2].(map[int]any)[2]; micros && fields[1] == true {
				return said + " TIMESTAMP(UTC,micros)"
			}
		case 12:
			return said + " JSON"
		}
		return said + fmt.Sprintf(" of logical type %d", number)
	}
	return said
}

// page reads the one page of a chunk.
func page(t Failer, data []byte, chunk, element map[int]any, rows int) []string {
	t.Helper()
	in := thrift{t: t, data: data}
	header := in.object()
	inner := header[5].(map[int]any)
	if header[1] != int64(0) || inner[1] != int64(rows) || inner[2] != int64(0) || inner[3] != int64(3) || int64(len(in.data)) != header[3] {
		t.Fatalf("the header %v of a page with %d bytes and %d rows", header, len(in.data), rows)
	}
	body := in.data
	if chunk[4] == int64(2) {
		unpacked, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if body, err = io.ReadAll(unpacked); err != nil {
			t.Fatal(err)
		}
	}
	if int64(len(body)) != header[2] || int64(len(data)-len(in.data)+len(body)) != chunk[6] {
		t.Fatalf("a page has %d bytes, its header says %v", len(body), header[2])
	}
	levels := body[4 : 4+binary.LittleEndian.Uint32(body)]
	values := reader{data: body[4+len(levels):], element: element}
	var found []string
	for len(levels) > 0 {
		run, n := binary.Uvarint(levels)
		if run&1 != 0 {
			t.Fatal("a bit-packed run, which this reader does not know")
		}
		for range run >> 1 {
			if levels[n] == 0 {
				found = append(found, "-")
			} else {
				found = append(found, values.next())
			}
		}
		levels = levels[n+1:]
	}
	if len(found) != rows || (element[1] != int64(0) && len(values.data) != 0) {
		t.Fatalf("%d values of %d, %d bytes are left", len(found), rows, len(values.data))
	}
	return found
}

// reader reads plain values.
type reader struct {
	data    []byte
	element map[int]any
	bit     int
}

func (r *reader) take(n int) []byte {
	taken := r.data[:n]
	r.data = r.data[n:]
	return taken
}

func (r *reader) next() string {
	switch r.element[1] {
	case int64(0):
		r.bit++
		return strconv.FormatBool(bits.Reverse8(r.data[(r.bit-1)/8])<<((r.bit-1)%8)&0x80 != 0)
	case int64(1):
		return strconv.Itoa(int(int32(binary.LittleEndian.Uint32(r.take(4)))))
	case int64(2):
		return strconv.FormatInt(int64(binary.LittleEndian.Uint64(r.take(8))), 10)
	case int64(7):
		return signed(r.take(int(r.element[2].(int64)))).String()
	default:
		return string(r.take(int(binary.LittleEndian.Uint32(r.take(4)))))
	}
}

// thrift reads the compact protocol. Numbers become int64, texts bytes, structs maps by the numbers
// of their fields.
type thrift struct {
	t    Failer
	data []byte
}

func (in *thrift) byte() byte {
	b := in.data[0]
	in.data = in.data[1:]
	return b
}

func (in *thrift) uvarint() uint64 {
	n, size := binary.Uvarint(in.data)
	in.data = in.data[size:]
	return n
}

func (in *thrift) object() map[int]any {
	fields, last := map[int]any{}, 0
	for {
		head := in.byte()
		if head == 0 {
			return fields
		}
		if head>>4 == 0 {
			in.t.Fatal("a field with a number of its own")
		}
		last += int(head >> 4)
		fields[last] = in.value(head & 0xf)
	}
}

func (in *thrift) value(kind byte) any {
	switch kind {
	case 1, 2:
		return kind == 1
	case 3:
		return int64(int8(in.byte()))
	case 4, 5, 6:
		n := in.uvarint()
		return int64(n>>1) ^ -int64(n&1)
	case 8:
		length := int(in.uvarint())
		text := in.data[:length]
		in.data = in.data[length:]
		return text
	case 9:
		head := in.byte()
		length := int(head >> 4)
		if length == 15 {
			length = int(in.uvarint())
		}
		list := []any{}
		for range length {
			list = append(list, in.value(head&0xf))
		}
		return list
	case 12:
		return in.object()
	default:
		in.t.Fatalf("type %d", kind)
		return nil
	}
}

// signed reads a big integer in two's complement.
func signed(value []byte) *big.Int {
	read := new(big.Int).SetBytes(value)
	if value[0]&0x80 != 0 {
		read.Sub(read, new(big.Int).Lsh(big.NewInt(1), uint(8*len(value))))
	}
	return read
}
