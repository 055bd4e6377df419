package rebuild

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/rows/copybinary"
)

// batch is the rows of one step on their way in: each is held against its records while it arrives, and nothing of it stays if it is as it
// should be.
type batch struct {
	*Rows

	layout *layout
	put    *putting
	found  *makings
	done   *Done
	// compares says that rows are held against what is stored, whole that the declared columns come with them.
	compares, whole bool
	// one is the row that arrives, last its key.
	one  row
	last []byte
	// fits and differ count the rows whose records fit, and those of them that have another hash than their records.
	fits, differ int
	// kept are those that fit and may have to be written; late those whose records nobody made yet; unread those that are still to be
	// held against columns that did not come with them. The first and the last have rows in common.
	kept, late, unread []*row
	// block is what encoded rows are cut from.
	block []byte
}

const (
	// blockSize is how many bytes encoded rows are cut from, blockSpare what is left in one for the next row: more makes it grow.
	blockSize  = 1 << 20
	blockSpare = 16 << 10
)

func (r *Rows) newBatch(l *layout, found *makings, done *Done) *batch {
	b := &batch{Rows: r, layout: l, found: found, done: done, compares: r.compares(l)}
	b.put = &putting{Rows: r, layout: l, tables: r.stream.Resource.Tables()}
	b.whole = b.compares && !r.renewed
	return b
}

// arrive takes the next row; values hold until the next one comes.
func (b *batch) arrive(values [][]byte) error {
	stored, late := values[before:], false
	if err := b.one.decode(values, b.layout); err != nil {
		return err
	}
	b.done.Rows++
	b.last = append(b.last[:0], values[1]...)
	for _, v := range b.one.versions() {
		v.made = b.found.of(source{v.Place, b.one.parent})
		late = late || v.made == nil
	}
	if late {
		b.late = append(b.late, b.one.kept(stored, b.layout))
		return nil
	}
	return b.judge(&b.one, stored)
}

// judge finds what the declaration makes of a row, and holds it against what is stored.
func (b *batch) judge(row *row, stored [][]byte) error {
	if !b.renew(row, b.done) {
		return nil
	}
	b.fits++
	if row.unlike = row.differs(); row.unlike {
		b.differ++
	}
	row.unlike = row.unlike || !b.compares && b.scope == All
	if b.whole {
		if err := b.hold(row, stored); err != nil {
			return err
		}
	}
	unread := b.compares && !b.whole && !row.unlike
	if !row.unlike && !unread && (!b.compares || len(b.table.sql.Children) == 0) {
		return nil // nothing can make it unlike any more
	}
	row = row.kept(stored[:b.layout.own], b.layout)
	b.kept = append(b.kept, row)
	if unread {
		b.unread = append(b.unread, row)
	}
	return nil
}

// hold holds a row as it would be written against all columns that are stored, and encodes it if it is unlike. What has no binary form
// counts as unlike, so that no doubt leaves a row as it is.
func (b *batch) hold(row *row, stored [][]byte) error {
	if err := b.put.renew(row, stored); err != nil {
		return err
	}
	if !row.unlike && b.put.same(row, stored) {
		return nil
	}
	row.unlike = true
	if cap(b.block)-len(b.block) < blockSpare {
		b.block = make([]byte, 0, blockSize)
	}
	from := len(b.block)
	buf, err := b.put.row(b.block, row, stored)
	switch {
	case err == nil:
		row.encoded, b.block = buf[from:len(buf):len(buf)], buf
	case errors.Is(err, copybinary.ErrText): // goes another way
		return nil
	}
	return err
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
	if err == nil && b.compares {
		b.renewed = mostly(b.differ, b.fits)
	}
	return err
}

// mostly says that so many of all are most: of rows whose hash says already that they are to be written, columns need not be read.
func mostly(some, all int) bool { return 4*some > 3*all } //nolint:mnd // three quarters
