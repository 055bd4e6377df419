package rebuild

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/schema/normalize"
)

// errShape says that a row has a value of another type than migrations are drafted with.
var errShape = errors.New("_hash, _call_id or _raw_position has another type than bytea, bigint, integer")

// place is where a raw record is kept.
type place struct {
	call     int64
	position int32
}

// version is a record that made a row what it is.
type version struct {
	place

	// hash is the content hash that is stored; nil if it was forgotten.
	hash   []byte
	record *normalize.Record
}

// differs says whether the declaration makes something else of the record than it did.
func (v *version) differs() bool { return v.hash != nil && !bytes.Equal(v.hash, v.record.Hash[:]) }

// row is a row with what made it.
type row struct {
	key, parent string
	list        version
	detail      *version
	// fields are those of all columns, in the binary format, nil for a null; those of declared columns are not read before keep says that
	// they are needed. At is where the row stands.
	fields [][]byte
	at     tid
	// unlike says that the row is to be written: it is not what its records make of it, or nobody looked.
	unlike bool
}

// differs says whether the declaration makes something else of the row than it did.
func (r *row) differs() bool { return r.list.differs() || r.detail != nil && r.detail.differs() }

// inOrder gives the records of a row in the order in which they were loaded: one of a list makes the row forget the hash of the single
// record that it covers.
func (r *row) inOrder() []*version {
	switch {
	case r.detail == nil:
		return []*version{&r.list}
	case r.detail.hash == nil:
		return []*version{r.detail, &r.list}
	default:
		return []*version{&r.list, r.detail}
	}
}

// read reads the next rows behind a key: what is ours of them, for what is declared comes out of the raw records, and that, too,
// where it is compared.
func (r *Rows) read(ctx context.Context, tx pgx.Tx, l *layout, after string) ([]row, error) {
	columns := l.ours
	if r.compares(l) {
		columns = slices.Concat(l.ours, l.declared)
	}
	sql := fmt.Sprintf(`SELECT t.ctid, t.%[2]s, %[3]s%[4]s FROM %[1]s AS t
WHERE t.organization_id = $1 AND t.%[2]s > $2 ORDER BY t.%[2]s LIMIT %[5]d`,
		r.table.name, r.table.key, r.table.parentText(), l.list(columns), batchRows)
	rows := make([]row, 0, batchRows)
	args, types := [][]byte{[]byte(r.stream.Organization), []byte(after)}, []uint32{pgtype.TextOID, pgtype.TextOID}
	err := inBinary(ctx, tx, sql, args, types, func(values [][]byte) error {
		one, err := decode(values, l, columns)
		rows = append(rows, one)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading rows of %s: %w", r.table.name, err)
	}
	return rows, nil
}

// keep reads the declared columns of rows whose records do not carry all of them: what is not carried stays.
func (r *Rows) keep(ctx context.Context, tx pgx.Tx, l *layout, rows []*row) error {
	if r.compares(l) {
		return nil // they are there
	}
	lacking, places := map[tid]*row{}, []tid(nil)
	for _, row := range rows {
		if !row.whole() {
			lacking[row.at] = row
			places = append(places, row.at)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	sql := `SELECT t.ctid` + l.list(l.declared) + ` FROM ` + r.table.name + ` AS t WHERE t.ctid = ANY ($1)`
	found := 0
	err := inBinary(ctx, tx, sql, [][]byte{tids(places)}, []uint32{tidArray}, func(values [][]byte) error {
		row := lacking[newTID(values[0])]
		if row == nil {
			return errMoved
		}
		found++
		for i, value := range clone(values[1:]) {
			row.fields[l.declared[i]] = value
		}
		return nil
	})
	if err == nil && found != len(lacking) {
		err = errMoved
	}
	if err != nil {
		return fmt.Errorf("reading rows of %s: %w", r.table.name, err)
	}
	return nil
}

// whole says that the records of a row carry all its columns.
func (r *row) whole() bool {
	order := r.inOrder()
	for i := range order[0].record.Tables[0][0].Values {
		carried := false
		for _, v := range order {
			carried = carried || v.record.Tables[0][0].Values[i].State != normalize.Absent
		}
		if !carried {
			return false
		}
	}
	return true
}

// inBinary runs a query whose values come in the binary format; each has to copy what it keeps.
func inBinary(ctx context.Context, tx pgx.Tx, sql string, args [][]byte, types []uint32, each func(values [][]byte) error) error {
	const binaryFormat = 1
	reader := tx.Conn().PgConn().ExecParams(ctx, sql, args, types, nil, []int16{binaryFormat})
	var failed error
	for reader.NextRow() {
		if failed == nil { // the answer has to be read to its end before the connection can be used again
			failed = each(reader.Values())
		}
	}
	if _, err := reader.Close(); err != nil {
		return err //nolint:wrapcheck // the caller says what was being done
	}
	return failed
}

// clone copies fields out of the connection's buffer.
func clone(values [][]byte) [][]byte {
	size := 0
	for _, value := range values {
		size += len(value)
	}
	buffer, copied := make([]byte, 0, size), make([][]byte, len(values))
	for i, value := range values {
		if value != nil {
			from := len(buffer)
			buffer = append(buffer, value...)
			copied[i] = buffer[from:len(buffer):len(buffer)]
		}
	}
	return copied
}

// decode reads a row of which these columns were asked for.
func decode(values [][]byte, l *layout, columns []int) (row, error) {
	const before = 3
	copied := clone(values)
	one := row{key: string(copied[1]), parent: string(copied[2]), fields: make([][]byte, len(l.columns)), at: newTID(copied[0])}
	for i, at := range columns {
		one.fields[at] = copied[before+i]
	}
	list, ok := one.version(l.hash, l.call, l.position)
	if !ok || list == nil {
		return one, errShape
	}
	one.list = *list
	if l.detailCall >= 0 {
		if one.detail, ok = one.version(l.detailHash, l.detailCall, l.detailPosition); !ok {
			return one, errShape
		}
	}
	return one, nil
}

// version reads which record a row was made of; nil if of none. It says false if the columns have other types.
func (r *row) version(hash, call, position int) (*version, bool) {
	h, c, p := r.fields[hash], r.fields[call], r.fields[position]
	if c == nil || p == nil {
		return nil, true
	}
	if len(c) != 8 || len(p) != 4 {
		return nil, false
	}
	v := &version{hash: h}
	v.call = int64(binary.BigEndian.Uint64(c))     //nolint:gosec // the bits of a signed number
	v.position = int32(binary.BigEndian.Uint32(p)) //nolint:gosec // the same
	return v, true
}
