package rebuild

import (
	"bytes"
	"encoding/binary"

	"sluice/pipeline/warehouse/rows/copybinary"
	"sluice/pipeline/warehouse/rows/statements"
	"sluice/schema"
	"sluice/schema/record"
)

// putting writes rows in the binary format of COPY.
type putting struct {
	*Rows
	*layout

	tables []schema.Table
	// fields are our own of a row as it is to be, but for its unknown keys, which are in keys; mark is the fingerprint among them. Value is
	// what the last value became that was held against a field.
	fields [][]byte
	keys   record.Value
	mark   [8]byte
	value  []byte
}

// renew sets fields and keys to what they are to be, given what is stored.
func (p *putting) renew(row *row, stored [][]byte) error {
	keys, err := unknown(p.tables, stored[p.extra], row.inOrder())
	if err != nil {
		return err
	}
	p.keys = record.Value{Text: keys}
	if keys != "" {
		p.keys.State = record.Set
	}
	p.fields = append(p.fields[:0], stored[:p.own]...)
	p.fields[p.fingerprint] = nil
	if row.list.hash != nil {
		p.fields[p.hash] = row.list.record.Hash[:]
	}
	if mark := row.list.record.Fingerprint; mark != 0 && row.list.hash != nil {
		binary.BigEndian.PutUint64(p.mark[:], mark)
		p.fields[p.fingerprint] = p.mark[:]
	}
	if row.detail != nil && row.detail.hash != nil {
		p.fields[p.detailHash] = row.detail.record.Hash[:]
	}
	if row.differs() {
		p.fields[p.changed] = p.now
	}
	return nil
}

// same says that a row that was renewed is stored as it would be written. A value without a binary form never is.
func (p *putting) same(row *row, stored [][]byte) bool {
	for i, field := range p.fields {
		if i != p.extra && !equal(field, stored[i]) {
			return false
		}
	}
	if !p.stands(schema.KindJSON, &p.keys, stored[p.extra]) {
		return false
	}
	values := row.record.Tables[0][0].Values
	for i := range values {
		if values[i].State != record.Absent && !p.stands(p.table.sql.Kinds[i], &values[i], stored[p.own+i]) {
			return false
		}
	}
	return true
}

// stands says that a stored field is a value, which its record carries.
func (p *putting) stands(kind schema.Kind, value *record.Value, field []byte) bool {
	switch {
	case field == nil || value.State != record.Set:
		return field == nil && value.State != record.Set
	case kind == schema.KindID || kind == schema.KindText:
		return string(field) == value.Text
	}
	const size = 4
	encoded, err := copybinary.Value(p.value[:0], kind, value)
	p.value = encoded
	return err == nil && (bytes.Equal(field, encoded[size:]) || kind == schema.KindJSON && sameJSON(field, encoded[size:]))
}

// row adds a row that was renewed: what its records carry, and its stored fields for the rest. Of those, declared ones may be missing that its
// records carry.
func (p *putting) row(buf []byte, row *row, stored [][]byte) ([]byte, error) {
	var err error
	buf = copybinary.Row(buf, len(p.columns))
	for i, field := range p.fields {
		if i == p.extra {
			buf = copybinary.JSON(buf, p.keys.Text)
		} else {
			buf = asSent(buf, field)
		}
	}
	values := row.record.Tables[0][0].Values
	for i := range values {
		if values[i].State == record.Absent {
			var field []byte
			if at := p.own + i; at < len(stored) {
				field = stored[at]
			}
			buf = asSent(buf, field)
		} else if buf, err = copybinary.Value(buf, p.table.sql.Kinds[i], &values[i]); err != nil {
			return buf, err // a value without a binary form
		}
	}
	return buf, nil
}

// asSent adds a field as the server sent it.
func asSent(buf, field []byte) []byte {
	if field == nil {
		return copybinary.Null(buf)
	}
	return append(copybinary.Size(buf, len(field)), field...)
}

// elements adds the rows of one array.
func (p *putting) elements(buf []byte, child *statements.Child, record *record.Record) ([]byte, error) {
	var err error
	for i := range record.Tables[child.Index] {
		element := &record.Tables[child.Index][i]
		buf = copybinary.Text(copybinary.Text(copybinary.Row(buf, child.Fields), p.stream.Organization), record.ID)
		for _, position := range element.Position {
			buf = copybinary.Short(buf, int32(position)) //nolint:gosec // bounded by the record
		}
		for v := range element.Values {
			if buf, err = copybinary.Value(buf, child.Kinds[v], &element.Values[v]); err != nil {
				return buf, err // a value without a binary form
			}
		}
	}
	return buf, nil
}
