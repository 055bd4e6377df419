package rebuild

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/loader/copybinary"
)

// batch is the rows of one step on their way in: each is held against its records while it arrives, so that columns of rows that
// are as they should be are never copied.
type batch struct {
	*Rows

	layout *layout
	put    *putting
	found  *makings
	done   *Done
	// compares says that rows are held against what is stored, whole that the declared columns come with them.
	compares, whole bool
	// rows are all, in key order; fit those whose records fit; late those whose records nobody made yet; unread those that are still to be
	// held against columns that did not come with them.
	rows              []row
	fit, late, unread []*row
	// block is what encoded rows are cut from.
	block []byte
}

const (
	// blockSize is how many bytes encoded rows are cut from, blockSpare what is left in one for the next row: more makes it grow.
	blockSize  = 1 << 20
	blockSpare = 16 << 10
)

func (r *Rows) newBatch(l *layout, found *makings, done *Done) *batch {
	b := &batch{Rows: r, layout: l, found: found, done: done, compares: r.compares(l), rows: make([]row, 0, batchRows)}
	b.put = &putting{Rows: r, layout: l, tables: r.stream.Resource.Tables()}
	b.whole = b.compares && !r.renewed
	return b
}

// arrive takes the next row; values hold until the next one comes.
func (b *batch) arrive(values [][]byte) error {
	one, err := decode(values, b.layout)
	if err != nil {
		return err
	}
	b.rows = append(b.rows, one)
	row := &b.rows[len(b.rows)-1] // which never moves: there is room for all
	stored, late := values[before:], false
	for _, v := range row.versions() {
		v.made = b.found.of(source{v.Place, row.parent})
		late = late || v.made == nil
	}
	if late {
		row.fields = clone(stored)
		b.late = append(b.late, row)
		return nil
	}
	return b.judge(row, stored)
}

// judge finds what the declaration makes of a row, and holds it against what is stored.
func (b *batch) judge(row *row, stored [][]byte) error {
	if !b.renew(row, b.done) {
		return nil
	}
	b.fit = append(b.fit, row)
	row.unlike = row.differs() || !b.compares && b.scope == All
	switch {
	case !b.compares:
		return nil
	case b.whole:
		return b.hold(row, stored)
	case !row.unlike:
		b.unread = append(b.unread, row)
	}
	return nil
}

// hold encodes a row as it would be written and holds that against all columns that are stored. What has no binary form counts as
// unlike, so that no doubt leaves a row as it is.
func (b *batch) hold(row *row, stored [][]byte) error {
	if cap(b.block)-len(b.block) < blockSpare {
		b.block = make([]byte, 0, blockSize)
	}
	from := len(b.block)
	buf, err := b.put.row(b.block, row, stored)
	if err != nil {
		row.unlike, row.fields = true, clone(stored)
		if errors.Is(err, copybinary.ErrText) {
			return nil
		}
		return err
	}
	encoded := buf[from:len(buf):len(buf)]
	rest, same := alike(stored, encoded, b.layout.json)
	row.unlike = row.unlike || !same || len(rest) > 0
	if row.unlike || len(b.table.sql.Children) > 0 { // elements may make it unlike yet
		row.encoded, b.block = encoded, buf
	}
	return nil
}

// finish does what could not be done while rows arrived: nobody else can be asked then.
func (b *batch) finish(ctx context.Context, tx pgx.Tx) error {
	if err := b.makeMissing(ctx, tx); err != nil {
		return err
	}
	for _, row := range b.late {
		if err := b.judge(row, row.fields); err != nil {
			return err
		}
	}
	err := b.readDeclared(ctx, tx, b.layout, b.unread, func(row *row, declared [][]byte) error {
		return b.hold(row, append(row.fields[:b.layout.own:b.layout.own], declared...))
	})
	if err != nil || !b.compares {
		return err
	}
	differ := 0
	for _, row := range b.fit {
		if row.differs() {
			differ++
		}
	}
	b.renewed = mostly(differ, len(b.fit))
	return nil
}

// mostly says that so many of all are most: of rows whose hash says already that they are to be written, columns need not be read.
func mostly(some, all int) bool { return 4*some > 3*all } //nolint:mnd // three quarters
