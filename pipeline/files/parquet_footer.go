package files

// shape is how Parquet describes a kind.
type shape struct{ physical, converted, logical int64 }

// none stands for a shape without a converted or logical type.
const none = -1

func shapeOf(kind Kind) shape {
	switch kind {
	case Bool:
		return shape{typeBoolean, none, none}
	case Int:
		return shape{typeInt64, none, none}
	case Decimal:
		return shape{typeFixed, convertedDecimal, logicalDecimal}
	case Date:
		return shape{typeInt32, convertedDate, logicalDate}
	case Time:
		return shape{typeInt64, convertedMicros, logicalTime}
	case Text:
		return shape{typeByteArray, convertedText, logicalText}
	case JSON:
		return shape{typeByteArray, convertedJSON, logicalJSON}
	case Bytes:
		return shape{typeByteArray, none, none}
	default:
		return shape{typeByteArray, none, none}
	}
}

// footer is the description of the file.
func (w *parquetWriter) footer() []byte {
	var t compact
	t.object(func() {
		t.i32(1, 1) // the version of the format
		t.list(2, thriftStruct, len(w.columns)+1)
		t.object(func() {
			t.string(4, "rows")
			t.i32(5, int64(len(w.columns)))
		})
		for _, c := range w.columns {
			t.object(func() { describe(&t, c) })
		}
		t.i64(3, w.rows)
		t.list(4, thriftStruct, len(w.groups))
		for _, g := range w.groups {
			t.object(func() { w.describeGroup(&t, g) })
		}
		t.string(6, writtenBy)
	})
	return t.bytes
}

// describe writes a column of the schema, with the types of old readers and of new ones.
func describe(t *compact, c Column) {
	s := shapeOf(c.Kind)
	t.i32(1, s.physical)
	if s.physical == typeFixed {
		t.i32(2, wideSize)
	}
	t.i32(3, optional)
	t.string(4, c.Name)
	if s.converted != none {
		t.i32(6, s.converted)
	}
	if c.Kind == Decimal {
		t.i32(7, int64(c.Scale))
		t.i32(8, MaxDigits)
	}
	if s.logical == none {
		return
	}
	t.nested(10, func() {
		t.nested(int16(s.logical), func() { //nolint:gosec // a number of a field
			switch c.Kind {
			case Decimal:
				t.i32(1, int64(c.Scale))
				t.i32(2, MaxDigits)
			case Time:
				t.boolean(1, true) // an instant, in UTC
				t.nested(2, func() { t.nested(unitMicros, func() {}) })
			case Text, JSON, Date, Bytes, Bool, Int:
			default:
			}
		})
	})
}

func (w *parquetWriter) describeGroup(t *compact, g group) {
	plain, stored := int64(0), int64(0)
	t.list(1, thriftStruct, len(g.chunks))
	for i, c := range g.chunks {
		plain, stored = plain+c.plain, stored+c.stored
		t.object(func() {
			t.i64(2, 0) // no longer in use
			t.nested(3, func() {
				t.i32(1, shapeOf(w.columns[i].Kind).physical)
				t.list(2, thriftI32, 2)
				t.integer(encodingPlain)
				t.integer(encodingRLE)
				t.list(3, thriftBinary, 1)
				t.text(w.columns[i].Name)
				t.i32(4, c.codec)
				t.i64(5, g.rows)
				t.i64(6, c.plain)
				t.i64(7, c.stored)
				t.i64(9, c.offset)
			})
		})
	}
	t.i64(2, plain)
	t.i64(3, g.rows)
	if len(g.chunks) > 0 {
		t.i64(5, g.chunks[0].offset)
	}
	t.i64(6, stored)
}
