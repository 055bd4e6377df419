package files

import "encoding/binary"

// compact writes Thrift's compact protocol, in which Parquet has its headers and its footer.
// Source: the Thrift compact protocol encoding, of the Apache Thrift documents.
type compact struct {
	bytes []byte
	// last are the numbers of the last fields of the structs that are open, the innermost last.
	last []int16
}

// The types of the protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftI32    = 5
	thriftI64    = 6
	thriftBinary = 8
	thriftList   = 9
	thriftStruct = 12
)

// field begins a field. Fields of a struct are written in the order of their numbers.
func (c *compact) field(number int16, kind byte) {
	last := &c.last[len(c.last)-1]
	c.bytes = append(c.bytes, byte(number-*last)<<4|kind) //nolint:gosec // no number here is 16 above the one before
	*last = number
}

func (c *compact) integer(number int64) { c.bytes = binary.AppendVarint(c.bytes, number) }

func (c *compact) text(text string) {
	c.bytes = append(binary.AppendUvarint(c.bytes, uint64(len(text))), text...)
}

func (c *compact) i32(field int16, number int64) {
	c.field(field, thriftI32)
	c.integer(number)
}

func (c *compact) i64(field int16, number int64) {
	c.field(field, thriftI64)
	c.integer(number)
}

func (c *compact) boolean(field int16, value bool) {
	if value {
		c.field(field, thriftTrue)
	} else {
		c.field(field, thriftFalse)
	}
}

func (c *compact) string(field int16, text string) {
	c.field(field, thriftBinary)
	c.text(text)
}

// list begins a list of so many elements.
func (c *compact) list(field int16, kind byte, length int) {
	const short = 15
	c.field(field, thriftList)
	if length < short {
		c.bytes = append(c.bytes, byte(length)<<4|kind) //nolint:gosec // below 15
		return
	}
	c.bytes = binary.AppendUvarint(append(c.bytes, short<<4|kind), uint64(length))
}

// object writes a struct that is an element of a list, or the whole message.
func (c *compact) object(fields func()) {
	c.last = append(c.last, 0)
	fields()
	c.last = c.last[:len(c.last)-1]
	c.bytes = append(c.bytes, 0)
}

// nested writes a struct that is a field.
func (c *compact) nested(field int16, fields func()) {
	c.field(field, thriftStruct)
	c.object(fields)
}
