package files

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// page collects the values of one column in a group of rows.
type page struct {
	// levels says of each row whether it has a value: runs of equal ones, each as twice its length
	// and the level.
	levels []byte
	level  byte
	run    uint64
	values []byte
	// bits counts truth values, which take one bit each.
	bits int
}

// add adds the value of a row.
func (p *page) add(c Column, v Value) error {
	level := byte(1)
	if v.Null {
		level = 0
	}
	if p.run > 0 && level != p.level {
		p.endRun()
	}
	p.level = level
	p.run++
	if v.Null {
		return nil
	}
	var err error
	switch c.Kind {
	case Bool:
		p.bit(v.Number != 0)
	case Int, Time:
		p.values = binary.LittleEndian.AppendUint64(p.values, uint64(v.Number)) //nolint:gosec // the bits are the same
	case Date:
		if !fits32(v.Number) {
			return fmt.Errorf("%s has a day that Parquet has not", c.Name)
		}
		p.values = binary.LittleEndian.AppendUint32(p.values, uint32(v.Number)) //nolint:gosec // checked; the bits are the same
	case Decimal:
		p.values, err = appendWide(p.values, c, v.Text)
	case Text, JSON, Bytes:
		if len(v.Text) > math.MaxInt32 {
			return fmt.Errorf("%s has a value of more than 2 GB", c.Name)
		}
		p.values = binary.LittleEndian.AppendUint32(p.values, uint32(len(v.Text))) //nolint:gosec // checked
		p.values = append(p.values, v.Text...)
	default:
		err = fmt.Errorf("%s has no kind", c.Name)
	}
	return err
}

func (p *page) bit(is bool) {
	const size = 8
	if p.bits%size == 0 {
		p.values = append(p.values, 0)
	}
	if is {
		p.values[len(p.values)-1] |= 1 << (p.bits % size)
	}
	p.bits++
}

func (p *page) endRun() {
	p.levels = append(binary.AppendUvarint(p.levels, p.run<<1), p.level)
	p.run = 0
}

// writeTo writes the page without its header, and empties it.
func (p *page) writeTo(to *bytes.Buffer) {
	if p.run > 0 {
		p.endRun()
	}
	var length [4]byte
	binary.LittleEndian.PutUint32(length[:], uint32(len(p.levels))) //nolint:gosec // a group has a million rows at most
	to.Write(length[:])
	to.Write(p.levels)
	to.Write(p.values)
	p.levels, p.values, p.bits = p.levels[:0], p.values[:0], 0
}
