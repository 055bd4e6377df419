package rebuild

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/postgres/ctid"
	"sluice/pipeline/warehouse/raw"
	"sluice/schema/record"
)

// errShape says that a row has a value of another type than migrations are drafted with.
var errShape = errors.New("_hash, _call_id or _raw_position has another type than bytea, bigint, integer")

// version is a record that made a row what it is.
type version struct {
	raw.Place

	// hash is the content hash that is stored; nil if it was forgotten.
	hash []byte
	// made is what the declaration makes of it, nil if nobody made that; record its record once it is known to fit.
	made   *made
	record *record.Record
}

// differs says whether the declaration makes something else of the record than it did.
func (v *version) differs() bool { return v.hash != nil && !bytes.Equal(v.hash, v.record.Hash[:]) }

// row is a row with what made it.
type row struct {
	key, parent string
	list        version
	detail      *version
	// fields are those that are ours, in the binary format, nil for a null; those of declared columns follow where somebody had to read
	// them. At is where the row stands. Record is what its records make of it together; encoded the row as it is to be written, where it
	// was held against what is stored.
	fields  [][]byte
	at      ctid.TID
	record  *record.Record
	encoded []byte
	// unlike says that the row is to be written: it is not what its records make of it, or nobody looked.
	unlike bool
}

// differs says whether the declaration makes something else of the row than it did.
func (r *row) differs() bool { return r.list.differs() || r.detail != nil && r.detail.differs() }

// versions gives the records of a row, in the order of its sources.
func (r *row) versions() []*version {
	if r.detail == nil {
		return []*version{&r.list}
	}
	return []*version{&r.list, r.detail}
}

// inOrder gives the records of a row in the order in which they were loaded: one of a list makes the row forget the hash of the single
// record that it covers.
func (r *row) inOrder() []*version {
	if r.detail != nil && r.detail.hash == nil {
		return []*version{r.detail, &r.list}
	}
	return r.versions()
}

// before is how many columns stand in front of those of the table.
const before = 3

// read reads the next rows behind a key: what is ours of them, for what is declared comes out of the raw records, and that, too,
// where it is compared.
func (b *batch) read(ctx context.Context, tx pgx.Tx, after string) error {
	l, t := b.layout, b.table
	columns := l.columns[:l.own]
	if b.whole {
		columns = l.columns
	}
	sql := fmt.Sprintf(`SELECT t.ctid, t.%[2]s, %[3]s%[4]s FROM %[1]s AS t
WHERE t.organization_id = $1 AND t.%[2]s > $2 ORDER BY t.%[2]s LIMIT %[5]d`, t.name, t.key, t.parentText(), list(columns), batchRows)
	args, types := [][]byte{[]byte(b.stream.Organization), []byte(after)}, []uint32{pgtype.TextOID, pgtype.TextOID}
	if err := eachRow(ctx, tx, sql, args, types, l.formats(len(columns)), b.arrive); err != nil {
		return fmt.Errorf("reading rows of %s: %w", t.name, err)
	}
	return nil
}

// keep reads the declared columns of rows whose records do not carry all of them: what is not carried stays.
func (r *Rows) keep(ctx context.Context, tx pgx.Tx, l *layout, rows []*row) error {
	var lacking []*row
	for _, row := range rows {
		if row.encoded == nil && len(row.fields) == l.own && !row.whole() {
			lacking = append(lacking, row)
		}
	}
	return r.readDeclared(ctx, tx, l, lacking, func(row *row, declared [][]byte) error {
		row.fields = append(row.fields, clone(declared)...)
		return nil
	})
}

// readDeclared gives to each the declared columns of rows; they hold until the next row comes.
func (r *Rows) readDeclared(ctx context.Context, tx pgx.Tx, l *layout, rows []*row, each func(row *row, declared [][]byte) error) error {
	if len(rows) == 0 {
		return nil
	}
	wanted, places := make(map[ctid.TID]*row, len(rows)), make([]ctid.TID, len(rows))
	for i, row := range rows {
		wanted[row.at], places[i] = row, row.at
	}
	sql := `SELECT t.ctid` + list(l.columns[l.own:]) + ` FROM ` + r.table.name + ` AS t WHERE t.ctid = ANY ($1)`
	found := 0
	err := eachRow(ctx, tx, sql, [][]byte{ctid.Array(places)}, []uint32{ctid.ArrayOID}, []int16{binaryFormat}, func(values [][]byte) error {
		row := wanted[ctid.Read(values[0])]
		if row == nil {
			return errMoved
		}
		found++
		return each(row, values[1:])
	})
	if err == nil && found != len(rows) {
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
			carried = carried || v.record.Tables[0][0].Values[i].State != record.Absent
		}
		if !carried {
			return false
		}
	}
	return true
}

// eachRow runs a query and gives the values of each row as the server sent them, in the formats of the columns; what is kept has to be copied.
func eachRow(
	ctx context.Context, tx pgx.Tx, sql string, args [][]byte, types []uint32, formats []int16, each func(values [][]byte) error,
) error {
	reader := tx.Conn().PgConn().ExecParams(ctx, sql, args, types, nil, formats)
	var failed error
	for reader.NextRow() {
		if failed == nil { // the answer has to be read to its end before the connection can be used again
			failed = each(reader.Values())
		}
	}
	if _, err := reader.Close(); err != nil {
		return err
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

// decode reads what made a row out of its values, which hold until the next one comes: whoever needs the row for longer keeps it.
func (r *row) decode(values [][]byte, l *layout) error {
	own := values[before : before+l.own]
	*r = row{key: string(values[1]), parent: string(values[2]), at: ctid.Read(values[0])}
	list, ok := readVersion(own, l.hash, l.call, l.position)
	if !ok || list == nil {
		return errShape
	}
	if r.list = *list; bytes.Equal(r.list.hash, make([]byte, len(r.list.hash))) {
		r.list.hash = nil // a single record made another version of the row
	}
	if l.detailCall >= 0 {
		if r.detail, ok = readVersion(own, l.detailHash, l.detailCall, l.detailPosition); !ok {
			return errShape
		}
	}
	return nil
}

// readVersion reads which record a row was made of; nil if of none. It says false if the columns have other types.
func readVersion(own [][]byte, hash, call, position int) (*version, bool) {
	c, p := own[call], own[position]
	if c == nil || p == nil {
		return nil, true
	}
	if len(c) != 8 || len(p) != 4 {
		return nil, false
	}
	v := &version{hash: own[hash]}
	v.Call = int64(binary.BigEndian.Uint64(c))     //nolint:gosec // the bits of a signed number
	v.Position = int32(binary.BigEndian.Uint32(p)) //nolint:gosec // the same
	return v, true
}

// kept is the row with a copy of its stored fields: those of our own, and declared ones behind them where they are given.
func (r *row) kept(stored [][]byte, l *layout) *row {
	kept := *r
	kept.fields = clone(stored)
	if kept.list.hash != nil {
		kept.list.hash = kept.fields[l.hash]
	}
	if kept.detail != nil && kept.detail.hash != nil {
		kept.detail.hash = kept.fields[l.detailHash]
	}
	return &kept
}
