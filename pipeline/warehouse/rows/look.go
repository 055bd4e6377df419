package rows

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/postgres/ctid"
	"sluice/pipeline/warehouse/rows/copybinary"
	"sluice/schema/record"
)

// Formats of the wire protocol.
const (
	formatText   = pgtype.TextFormatCode
	formatBinary = pgtype.BinaryFormatCode
)

// postgresEpoch is the zero of the binary format of an instant: 2000-01-01 in Unix microseconds.
const postgresEpoch = 946_684_800_000_000

// errShape says that the database gave an answer that the statements rule out: the tables are not
// as declared, or another program writes to them.
var errShape = errors.New("the table is not what its declaration says, or something else writes to it")

// stored is what a look returns about a row.
type stored struct {
	// found says that the row exists.
	found bool
	hash  [16]byte
	call  int64
	// modified is zero if the row has none; changed is when the row was last written.
	modified, changed time.Time
	// ctid is the address of the row, valid while the row is locked.
	ctid [ctid.Size]byte
	// settled says that an equal hash leaves nothing to write.
	settled bool
	// payloadHash is the payload hash of the list's record; 0 if the row has none.
	payloadHash uint64
}

// look reads what is stored about records and returns it in their order; nil if no record has a
// row. It uses the connection below pgx for two reasons. An unnamed statement is planned for the
// table as it is now, while a plan made for an empty table would stay in use. And the answer's
// bytes are compared directly, without conversion to Go values.
func look(ctx context.Context, conn *pgconn.PgConn, sql, organization string, records []*record.Record) ([]stored, error) {
	reader := conn.ExecParams(ctx, sql, [][]byte{[]byte(organization), keyArray(records)}, keyTypes, keyFormats, []int16{formatBinary})
	var rows []stored
	var shape error
	for reader.NextRow() { // the answer has to be read to its end before the connection can be used again
		values := reader.Values()
		at := binary.BigEndian.Uint64(values[0]) - 1
		row, err := decodeStored(values[1:])
		if err != nil || at >= uint64(len(records)) {
			shape = errors.Join(shape, err, errShape)
			continue
		}
		if rows == nil {
			rows = make([]stored, len(records))
		}
		rows[at] = row
	}
	if _, err := reader.Close(); err != nil {
		return nil, err
	}
	return rows, shape
}

func decodeStored(values [][]byte) (stored, error) {
	row := stored{found: true}
	hash, call, modified, changed, place, settled, mark := values[0], values[1], values[2], values[3], values[4], values[5], values[6]
	if len(hash) != len(row.hash) || len(call) != 8 || (modified != nil && len(modified) != 8) || len(changed) != 8 ||
		len(place) != len(row.ctid) || len(settled) != 1 || mark != nil && len(mark) != 8 {
		return row, fmt.Errorf("_content_hash, _call_id, _changed_at, _payload_hash or the modification time has another type: %w", errShape)
	}
	copy(row.hash[:], hash)
	copy(row.ctid[:], place)
	row.call = int64(binary.BigEndian.Uint64(call)) //nolint:gosec // the bits of a signed number
	row.changed, row.settled = instant(changed), settled[0] != 0
	if modified != nil {
		row.modified = instant(modified)
	}
	if mark != nil {
		row.payloadHash = binary.BigEndian.Uint64(mark)
	}
	return row, nil
}

func instant(micros []byte) time.Time {
	return time.UnixMicro(int64(binary.BigEndian.Uint64(micros)) + postgresEpoch) //nolint:gosec // the bits of a signed number
}

// Types and formats of the parameters that nearly all statements have: the organization, and keys.
var ( //nolint:gochecknoglobals // constants
	keyTypes   = []uint32{pgtype.TextOID, pgtype.TextArrayOID}
	keyFormats = []int16{formatText, formatBinary}
)

// keyArray encodes the keys of records as a parameter.
func keyArray(records []*record.Record) []byte {
	return copybinary.Texts(len(records), func(i int) string { return records[i].ID })
}

// A write to a table of another role would execute its triggers with our rights. Temporary tables
// belong to this session.
const sqlTables = `
SELECT coalesce(min(w.relation) FILTER (WHERE c.relpersistence <> 't' AND c.relowner <> (SELECT o.role FROM sluice.owner o)), ''),
	coalesce(min(c.oid::regclass || '.' || a.attname || ' is ' || format_type(a.atttypid, a.atttypmod)
		|| ' and declared as ' || format_type(w.type, NULL))
		FILTER (WHERE a.atttypid <> w.type), '')
FROM unnest($1::text[], $2::text[], $3::oid[]) AS w (relation, name, type)
JOIN pg_class c ON c.oid = to_regclass(w.relation)
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = w.name AND NOT a.attisdropped`

// checkTables checks, once for all loads, that columns have the types that migrations are drafted
// with. Another type would read the same bytes as another value, or coerce them in silence
// (invariant 4).
func (l *Loader) checkTables(ctx context.Context, tx interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) error {
	if l.checked.Load() {
		return nil
	}
	var relations, names []string
	var types []uint32
	for _, column := range l.sql.Expected {
		relations, names, types = append(relations, column.Relation), append(names, column.Name), append(types, column.Type)
	}
	var foreign, altered string
	if err := tx.QueryRow(ctx, sqlTables, relations, names, types).Scan(&foreign, &altered); err != nil {
		return fmt.Errorf("look at the tables of %s: %w", l.sql.Name, err)
	}
	switch {
	case foreign != "":
		return fmt.Errorf("look at the tables of %s: %s belongs to another role than the program's tables: sluice check", l.sql.Name, foreign)
	case altered != "":
		return fmt.Errorf("look at the tables of %s: column %s: sluice check", l.sql.Name, altered)
	}
	l.checked.Store(true)
	return nil
}

// Unchanged saves normalizing (package unchanged has the figures); without it sort looks up every
// record. It marks the records of a list whose rows have their payload hashes. The same bytes made
// such a row, under the same declaration, so its content hash is that of the record. For the other
// records it stores in Seen what it found. Records need their keys and payload hashes only; those
// without are skipped. It holds no lock: the result is what a look in the transaction would have
// found at that instant.
func (l *Loader) Unchanged(ctx context.Context, conn *pgx.Conn, organization string, records []record.Record) error {
	if l.err != nil {
		return l.err
	}
	asked := make([]*record.Record, 0, len(records))
	for i := range records {
		if records[i].ID != "" && records[i].PayloadHash != 0 {
			asked = append(asked, &records[i])
		}
	}
	if len(asked) == 0 {
		return nil
	}
	if err := l.checkTables(ctx, conn); err != nil {
		return err
	}
	slices.SortFunc(asked, func(a, b *record.Record) int { return cmp.Compare(a.ID, b.ID) })
	rows, err := lookBetween(ctx, conn.PgConn(), &l.sql.List, organization, asked)
	if err != nil {
		return fmt.Errorf("look at payload hashes of %s: %w", l.sql.Name, err)
	}
	for i, record := range asked {
		row := at(rows, i)
		record.Unchanged = row.payloadHash == record.PayloadHash // which is none of 0
		record.Seen.Looked, record.Seen.Row, record.Seen.Hash = true, row.found, row.hash
	}
	return nil
}
