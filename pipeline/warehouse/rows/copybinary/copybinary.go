// Package copybinary writes rows in the binary format of COPY, which saves the server parsing
// numbers and times.
//
// It takes canonical texts only (package record makes them), each of which has a binary form;
// another text is an error. It is pure: values in, bytes out.
//
// Start reading at Reader, then Value.
package copybinary

import (
	"encoding/binary"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"sluice/schema"
	"sluice/schema/record"
	"sluice/schema/record/canonical"
)

// ErrText says that a value has no binary form, because it is no text that package record makes.
var ErrText = errors.New("the value has no binary form")

// fillTo is how many bytes are collected before they go to the connection, which sends at most 64
// KiB a message.
const fillTo = 60 << 10

// header is the signature, no flags, and no extension. Source: PostgreSQL documentation, COPY,
// "Binary Format".
const header = "PGCOPY\n\xff\r\n\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00"

// Reader streams rows in the binary format. It encodes while the server reads, so a batch is never
// in memory twice.
type Reader[T any] struct {
	records []T
	rows    func(buf []byte, record T) ([]byte, error)
	buf     []byte
	sent    int
	ended   bool
	err     error
}

// NewReader streams the rows that encode makes of each record.
func NewReader[T any](records []T, encode func(buf []byte, record T) ([]byte, error)) *Reader[T] {
	return &Reader[T]{records: records, rows: encode, buf: append(make([]byte, 0, fillTo+fillTo/2), header...)}
}

// Read implements io.Reader.
func (c *Reader[T]) Read(p []byte) (int, error) {
	if c.sent > 0 && c.sent == len(c.buf) {
		if c.ended {
			return 0, io.EOF
		}
		c.buf, c.sent = c.buf[:0], 0
	}
	for c.sent == 0 && !c.ended && len(c.buf) < fillTo {
		if len(c.records) == 0 {
			c.buf, c.ended = binary.BigEndian.AppendUint16(c.buf, 0xffff), true
			break
		}
		if c.buf, c.err = c.rows(c.buf, c.records[0]); c.err != nil {
			return 0, c.err
		}
		c.records = c.records[1:]
	}
	n := copy(p, c.buf[c.sent:])
	c.sent += n
	return n, nil
}

// Err returns the error of encoding a record, if there was one.
func (c *Reader[T]) Err() error { return c.err }

// Row begins a row of so many fields.
func Row(buf []byte, fields int) []byte {
	return binary.BigEndian.AppendUint16(buf, uint16(fields)) //nolint:gosec // no table has more than 1,600 columns
}

// Null adds a field without a value.
func Null(buf []byte) []byte { return append(buf, 0xff, 0xff, 0xff, 0xff) }

// Text adds a field of type text.
func Text(buf []byte, text string) []byte {
	return append(Size(buf, len(text)), text...)
}

// Hash adds a bytea of 16 bytes.
func Hash(buf []byte, hash [16]byte) []byte { return append(Size(buf, len(hash)), hash[:]...) }

// Int adds a bigint, or a timestamptz in microseconds since 2000.
func Int(buf []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(Size(buf, 8), uint64(n)) //nolint:gosec,mnd // the bits of a signed number
}

// PayloadHash adds a payload hash as a signed number with the same bits; 0 means none.
func PayloadHash(buf []byte, hash uint64) []byte {
	if hash == 0 {
		return Null(buf)
	}
	return Int(buf, int64(hash)) //nolint:gosec // the bits of it
}

// Short adds an integer.
func Short(buf []byte, n int32) []byte {
	return binary.BigEndian.AppendUint32(Size(buf, 4), uint32(n)) //nolint:gosec,mnd // the bits of a signed number
}

// JSON adds a jsonb, null where the text is empty.
func JSON(buf []byte, text string) []byte {
	if text == "" {
		return Null(buf)
	}
	const version = 1
	return append(append(Size(buf, len(text)+1), version), text...)
}

// Place adds a tid in the form in which the server sends it.
func Place(buf []byte, place [6]byte) []byte { return append(Size(buf, len(place)), place[:]...) }

// Size begins a field of n bytes, which the caller appends.
func Size(buf []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(buf, uint32(n)) //nolint:gosec // bounded by the record
}

// Value adds a field of a kind. In a new row an absent key is a null: there is no stored value that
// could stay.
func Value(buf []byte, kind schema.Kind, value *record.Value) ([]byte, error) {
	if value.State != record.Set {
		return Null(buf), nil
	}
	switch text := value.Text; kind {
	case schema.KindID, schema.KindText:
		return Text(buf, text), nil
	case schema.KindDecimal:
		return decimal(buf, text)
	case schema.KindBool:
		return boolean(buf, text)
	case schema.KindTime:
		return instant(buf, text)
	case schema.KindDate:
		return date(buf, text)
	case schema.KindInt:
		return whole(buf, text)
	case schema.KindJSON:
		if text == "" {
			return buf, ErrText
		}
		return JSON(buf, text), nil
	default:
		return buf, ErrText
	}
}

const (
	// group is how many decimal digits a digit of a numeric holds; mostGroup bounds the number of
	// such digits.
	group     = 4
	mostGroup = 64
	negative  = 0x4000
	// epochDay is 2000-01-01, the zero of Postgres' dates, in days since 1970-01-01.
	epochDay = 10_957
)

func boolean(buf []byte, text string) ([]byte, error) {
	switch text {
	case "true":
		return append(Size(buf, 1), 1), nil
	case "false":
		return append(Size(buf, 1), 0), nil
	default:
		return buf, ErrText
	}
}

func whole(buf []byte, text string) ([]byte, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return buf, ErrText
	}
	return Int(buf, n), nil
}

// decimal adds a numeric: digits to the base of 10,000, the weight of the first, the sign, and the
// decimal places.
func decimal(buf []byte, text string) ([]byte, error) {
	sign := uint16(0)
	if strings.HasPrefix(text, "-") {
		sign, text = negative, text[1:]
	}
	before, fraction, point := strings.Cut(text, ".")
	if before == "" || point && fraction == "" || len(text) > group*mostGroup {
		return buf, ErrText
	}
	at := len(buf)
	buf = append(buf, make([]byte, 4+8)...) //nolint:mnd // size; digits, weight, sign, scale
	first := (len(before) + group - 1) / group
	weight, count, zeros := first-1, 0, 0
	add := func(digit int) {
		switch {
		case digit == 0 && count == 0:
			weight--
		case digit == 0:
			zeros++
		default:
			for ; zeros > 0; zeros-- {
				buf, count = append(buf, 0, 0), count+1
			}
			buf, count = binary.BigEndian.AppendUint16(buf, uint16(digit)), count+1 //nolint:gosec // below 10,000
		}
	}
	for from := len(before) - first*group; from < len(before); from += group {
		digit, ok := canonical.Digits(before[max(from, 0) : from+group])
		if !ok {
			return buf[:at], ErrText
		}
		add(digit)
	}
	for from := 0; from < len(fraction); from += group {
		part := fraction[from:min(from+group, len(fraction))]
		digit, ok := canonical.Digits(part)
		if !ok {
			return buf[:at], ErrText
		}
		for range group - len(part) {
			digit *= 10
		}
		add(digit)
	}
	if count == 0 {
		weight, sign = 0, 0
	}
	head := buf[at : at : at+12]
	head = binary.BigEndian.AppendUint32(head, uint32(8+2*count))                                  //nolint:mnd // at most 64 digits
	for _, word := range [...]uint16{uint16(count), uint16(weight), sign, uint16(len(fraction))} { //nolint:gosec // bounded above
		head = binary.BigEndian.AppendUint16(head, word)
	}
	return buf, nil
}

// date adds a date, in days since 2000.
func date(buf []byte, text string) ([]byte, error) {
	day, ok := canonical.Day(text)
	if !ok || len(text) != len(time.DateOnly) {
		return buf, ErrText
	}
	return Short(buf, int32(day-epochDay)), nil //nolint:gosec // years have four digits
}

// instant adds a timestamptz of the form 2006-01-02 15:04:05.999999+00.
func instant(buf []byte, text string) ([]byte, error) {
	const (
		clock = len("2006-01-02 15:04:05")
		zone  = "+00"
	)
	day, ok := canonical.Day(text)
	if !ok || len(text) < clock+len(zone) || text[10] != ' ' || text[13] != ':' || text[16] != ':' || text[len(text)-len(zone):] != zone {
		return buf, ErrText
	}
	hour, okH := canonical.Digits(text[11:13])
	minute, okM := canonical.Digits(text[14:16])
	second, okS := canonical.Digits(text[17:19])
	fraction := text[clock : len(text)-len(zone)]
	micros := 0
	if fraction != "" {
		const most = len(".999999")
		if fraction[0] != '.' || len(fraction) == 1 || len(fraction) > most {
			return buf, ErrText
		}
		if micros, ok = canonical.Digits(fraction[1:]); !ok {
			return buf, ErrText
		}
		for range most - len(fraction) {
			micros *= 10
		}
	}
	if !okH || !okM || !okS || hour > 23 || minute > 59 || second > 59 {
		return buf, ErrText
	}
	seconds := ((day-epochDay)*24+hour)*3600 + minute*60 + second
	return Int(buf, int64(seconds)*1_000_000+int64(micros)), nil
}

// arrayHeader is how many bytes come before the elements.
const arrayHeader = 20

// Array appends a parameter that is an array of n elements of a type. each appends one element in
// the form of a COPY field, which elements of an array share. Source: PostgreSQL 15,
// src/backend/utils/adt/arrayfuncs.c, array_recv.
func Array(buf []byte, element uint32, n int, each func(buf []byte, i int) ([]byte, error)) ([]byte, error) {
	const nulls, lowest = 1, 1 // there may be nulls
	dimensions := uint32(1)
	if n == 0 {
		dimensions = 0
	}
	for _, word := range []uint32{dimensions, nulls, element} {
		buf = binary.BigEndian.AppendUint32(buf, word)
	}
	if n == 0 {
		return buf, nil
	}
	buf = binary.BigEndian.AppendUint32(buf, uint32(n)) //nolint:gosec // bounded by the batch
	buf = binary.BigEndian.AppendUint32(buf, lowest)
	var err error
	for i := range n {
		if buf, err = each(buf, i); err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// Texts encodes an array of n texts.
func Texts(n int, at func(i int) string) []byte {
	const size = 4
	length := arrayHeader
	for i := range n {
		length += size + len(at(i))
	}
	buf, _ := Array(make([]byte, 0, length), pgtype.TextOID, n, func(buf []byte, i int) ([]byte, error) {
		return Text(buf, at(i)), nil // Text cannot fail
	})
	return buf
}
