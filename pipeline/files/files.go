// Package files writes rows as files: CSV, JSON lines and Parquet, and a folder of files that is
// whole or absent.
//
// Equal rows give equal bytes: no file holds an instant, a random number or the version of the
// program. The package reads no database and decides about no value: what does not fit its column
// is an error.
//
// Start reading at Writer, then Folder.
package files

import (
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Format is a closed set: the formats of files.
type Format string

// The formats. Their words are also the ends of the names of files.
const (
	Parquet Format = "parquet"
	CSV     Format = "csv"
	JSONL   Format = "jsonl"
)

// Kind is a closed set: the types of columns.
type Kind int

// The kinds.
const (
	Text Kind = iota + 1
	JSON
	Bytes
	Bool
	Int
	Decimal
	Date
	Time
)

// String is the kind's word: that of the configuration, and bytes.
func (k Kind) String() string {
	return [...]string{"", "text", "json", "bytes", "bool", "int", "decimal", "date", "time"}[k]
}

// Column is one column of a file.
type Column struct {
	Name string
	Kind Kind
	// Scale is how many digits a Decimal has behind its point at most. Parquet alone asks for it.
	Scale int
}

// Value is one value of a row.
type Value struct {
	// Null says that there is no value.
	Null bool
	// Text is the value of Text, JSON, Bytes and Decimal. Writers do not keep it.
	Text []byte
	// Number is the value of Int, 0 or 1 of Bool, the days since 1970 of Date, and the microseconds
	// since 1970 of Time.
	Number int64
}

// Files have the days 1 January of the year 1 and 31 December 9999 for what has no beginning or no
// end: few programs read -infinity and infinity, and comparisons of days and instants stay right.
const (
	FirstDay     int64 = -719162
	LastDay      int64 = 2932896
	FirstInstant int64 = FirstDay * microsOfDay
	LastInstant  int64 = (LastDay+1)*microsOfDay - 1

	microsOfDay = 86_400_000_000
)

// Writer writes the rows of one table.
type Writer interface {
	// Write writes a row, which has a value for each column.
	Write(row []Value) error
	// Close writes what is left, and not more than once. The file behind it stays open.
	Close() error
}

// NewWriter makes a writer of a format. What it writes is whole once Close has returned nil.
func NewWriter(format Format, to io.Writer, columns []Column) (Writer, error) {
	switch format {
	case CSV:
		return newCSV(to, columns)
	case JSONL:
		return newLines(to, columns), nil
	case Parquet:
		return newParquet(to, columns)
	default:
		return nil, fmt.Errorf("%q is no format", format)
	}
}

// appendText appends the text of a value that is not null and neither Text nor JSON. It is the same
// in CSV and in JSON.
func appendText(dst []byte, c Column, v Value) ([]byte, error) {
	switch c.Kind {
	case Bool:
		return strconv.AppendBool(dst, v.Number != 0), nil
	case Int:
		return strconv.AppendInt(dst, v.Number, 10), nil
	case Decimal:
		if !isDecimal(v.Text) {
			return dst, fmt.Errorf("%s has %q, which is no decimal number", c.Name, v.Text)
		}
		return append(dst, v.Text...), nil
	case Date:
		return time.Unix(v.Number*secondsOfDay, 0).UTC().AppendFormat(dst, time.DateOnly), nil
	case Time:
		return time.UnixMicro(v.Number).UTC().AppendFormat(dst, "2006-01-02T15:04:05.000000Z"), nil
	case Bytes:
		return hex.AppendEncode(dst, v.Text), nil
	case Text, JSON:
		return append(dst, v.Text...), nil
	default:
		return dst, fmt.Errorf("%s has no kind", c.Name)
	}
}

const secondsOfDay = 86_400
