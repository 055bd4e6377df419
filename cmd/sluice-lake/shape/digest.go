package shape

import (
	"crypto/md5" //nolint:gosec // Postgres has it, and what is compared is no secret and no signature
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"sluice/schema/ddl"
)

// changedAt is not compared: a rebuild that finds the values as they are sets it, and logs nothing,
// because nothing changed.
const changedAt = "_changed_at"

// Digest sums up rows in no order: how many there are, and the sum of a hash of each. Two tables
// have the same digest if they have the same rows.
type Digest struct {
	Rows int64  `json:"rows"`
	Sum  string `json:"sum"`
}

// What stands in the text of a row for null and behind each value: no value has it.
const (
	null  = "\x01"
	after = "\x02"
)

// DigestSQL asks for the digest of the rows of the warehouse without those of some records. $1 are
// the organizations and $2 the keys of those.
func (t *Table) DigestSQL() string {
	var text []string
	for _, c := range t.compared() {
		value := "t." + ddl.Quote(c.Name)
		switch c.SQL {
		case "text":
		case "boolean":
			value = "CASE " + value + " WHEN true THEN 't' WHEN false THEN 'f' END"
		case "date":
			value = "(" + value + " - date '1970-01-01')::text"
		case ddl.Timestamp:
			value = "(extract(epoch FROM " + value + ") * 1000000)::bigint::text"
		case "numeric":
			value = "trim_scale(" + value + ")::text"
		default:
			value += "::text"
		}
		text = append(text, "coalesce("+value+", chr(1))")
	}
	return `
SELECT count(*), coalesce(sum(('x' || left(md5(` + strings.Join(text, " || chr(2) || ") + ` || chr(2)), 15))::bit(60)::bigint), 0)::text
FROM ` + t.from() + `
WHERE NOT EXISTS (SELECT FROM unnest($1::text[], $2::text[]) AS k (organization_id, id)
	WHERE k.organization_id = t.organization_id AND k.id = t.` + ddl.Quote(t.Key) + `)`
}

func (t *Table) compared() []Column {
	var columns []Column
	for _, c := range t.Columns {
		if c.SQL != inexactSQL && c.Name != changedAt {
			columns = append(columns, c)
		}
	}
	return columns
}

// Digester makes the digest of rows of the lake.
type Digester struct {
	columns []Column
	rows    int64
	sum     big.Int
	text    []byte
}

// NewDigester makes one for a table.
func (t *Table) NewDigester() *Digester { return &Digester{columns: t.compared()} }

// Add takes rows of a batch, by their places in it.
func (d *Digester) Add(batch arrow.RecordBatch, wanted func(i int) bool) error {
	columns := make([]arrow.Array, len(d.columns))
	for i, c := range d.columns {
		columns[i] = column(batch, c.Name)
	}
	misfits := column(batch, Inexact)
	var number big.Int
	for i := range int(batch.NumRows()) {
		if !wanted(i) {
			continue
		}
		var full map[string]string
		if misfits != nil && misfits.IsValid(i) {
			if err := json.Unmarshal([]byte(misfits.ValueStr(i)), &full); err != nil {
				return fmt.Errorf("reading column %s: %w", Inexact, err)
			}
		}
		d.text = d.text[:0]
		for at, c := range d.columns {
			if text, is := full[c.Name]; is {
				d.text = append(d.text, text...)
			} else if err := d.value(columns[at], i); err != nil {
				return fmt.Errorf("column %s: %w", c.Name, err)
			}
			d.text = append(d.text, after...)
		}
		hash := md5.Sum(d.text) //nolint:gosec // as above
		d.sum.Add(&d.sum, number.SetUint64(binary.BigEndian.Uint64(hash[:])>>4))
		d.rows++
	}
	return nil
}

func column(batch arrow.RecordBatch, name string) arrow.Array {
	if found := batch.Schema().FieldIndices(name); len(found) == 1 {
		return batch.Column(found[0])
	}
	return nil // a file of before the column was declared
}

func (d *Digester) value(of arrow.Array, i int) error {
	if of == nil || of.IsNull(i) {
		d.text = append(d.text, null...)
		return nil
	}
	switch of := of.(type) {
	case *array.String:
		d.text = append(d.text, of.Value(i)...)
	case *array.Boolean:
		d.text = append(d.text, "ft"[b(of.Value(i))])
	case *array.Int32:
		d.text = strconv.AppendInt(d.text, int64(of.Value(i)), 10)
	case *array.Int64:
		d.text = strconv.AppendInt(d.text, of.Value(i), 10)
	case *array.Date32:
		d.text = strconv.AppendInt(d.text, int64(of.Value(i)), 10)
	case *array.Timestamp:
		d.text = strconv.AppendInt(d.text, int64(of.Value(i)), 10)
	case *array.Decimal128:
		text := of.Value(i).ToString(Scale)
		d.text = append(d.text, strings.TrimSuffix(strings.TrimRight(text, "0"), ".")...)
	default:
		return fmt.Errorf("%w: %s", errWire, of.DataType())
	}
	return nil
}

func b(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Digest is the digest of the rows that were added.
func (d *Digester) Digest() Digest { return Digest{Rows: d.rows, Sum: d.sum.String()} }
