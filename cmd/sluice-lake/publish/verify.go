package publish

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-lake/catalog"
	"sluice/cmd/sluice-lake/files"
	"sluice/cmd/sluice-lake/shape"
	"sluice/pipeline/warehouse/postgres"
)

// ErrUnpublished says that the lake has no publication yet.
var ErrUnpublished = errors.New("nothing is published yet: run sluice-lake publish")

// Verification is what a comparison of one table found.
type Verification struct {
	Table string `json:"table"`
	// Equal says that the lake has the rows of the warehouse, value by value.
	Equal     bool         `json:"equal"`
	Warehouse shape.Digest `json:"warehouse"`
	Lake      shape.Digest `json:"lake"`
	// LeftOut is how many records changed since the publication: neither side has them here.
	LeftOut int `json:"left_out"`
}

// Verify holds the last publication against the warehouse, without those records that changed
// since. Without names it takes all tables. It runs beside publications, and changes nothing.
func (p *Publisher) Verify(ctx context.Context, names ...string) ([]Verification, error) {
	var found []Verification
	err := inSnapshot(ctx, p.Pool, func(tx pgx.Tx) error {
		w, before, err := p.look(ctx, tx)
		if err != nil {
			return err
		}
		changed, err := w.follow(ctx, before.cursor)
		if err != nil {
			return fmt.Errorf("looking what changed since the publication: %w", err)
		}
		wanted := map[string]bool{}
		for _, name := range names {
			wanted[name] = true
		}
		for i := range w.tables {
			t := &w.tables[i]
			if len(names) > 0 && !wanted[t.Full()] {
				continue
			}
			delete(wanted, t.Full())
			one, err := w.verify(ctx, t, changed)
			if err != nil {
				return fmt.Errorf("verifying %s: %w", t.Full(), err)
			}
			if one != nil {
				found = append(found, *one)
			}
		}
		for name := range wanted {
			return fmt.Errorf("the warehouse has no table %s", name)
		}
		return nil
	})
	return found, err
}

// look sees the lake as it is published, without the right to change it.
func (p *Publisher) look(ctx context.Context, tx pgx.Tx) (*work, *position, error) {
	var w *work
	err := p.inCatalog(ctx, tx, func(ofCatalog pgx.Tx) error {
		c, err := catalog.Look(ctx, ofCatalog, p.Store)
		if err != nil {
			return err
		}
		w, err = p.work(ctx, tx, ofCatalog, c)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if w.tables, err = p.present(ctx, tx); err != nil {
		return nil, nil, err
	}
	before, err := w.position(ctx)
	if err == nil && before == nil {
		err = ErrUnpublished
	}
	return w, before, err
}

// verify compares one table; nil if neither side has it.
func (w *work) verify(ctx context.Context, t *shape.Table, changed map[string]files.Keys) (*Verification, error) {
	keys, is := changed[t.Record]
	if is && keys == nil {
		return nil, fmt.Errorf("more than %d of its records changed since the publication: publish first", mostKeys)
	}
	organizations, ids := keys.Lists()
	v := &Verification{Table: t.Full(), LeftOut: len(ids)}
	err := w.tx.QueryRow(ctx, t.DigestSQL(), organizations, ids).Scan(&v.Warehouse.Rows, &v.Warehouse.Sum)
	if err != nil {
		return nil, postgres.Fail("summing up the rows of the warehouse", err)
	}
	if !w.catalog.Has(t.Full()) {
		v.Lake, v.Equal = shape.Digest{Sum: "0"}, v.Warehouse.Rows == 0
		if v.Equal {
			return nil, nil //nolint:nilnil // there is nothing to compare
		}
		return v, nil
	}
	if v.Lake, err = w.digest(ctx, t, keys); err != nil {
		return nil, err
	}
	v.Equal = v.Lake == v.Warehouse
	return v, nil
}

// digest is the digest of the rows of the lake, without those of some records.
func (w *work) digest(ctx context.Context, t *shape.Table, without files.Keys) (shape.Digest, error) {
	d := t.NewDigester()
	lake, err := w.loaded(ctx, t.Full())
	if err != nil {
		return shape.Digest{}, err
	}
	live, err := files.LiveFiles(w.Store, lake, w.cell)
	if err != nil {
		return shape.Digest{}, err
	}
	for _, l := range live {
		err := files.Rows(ctx, w.Store, l, func(batch arrow.RecordBatch, gone func(i int) bool) error {
			organizations, ok := batch.Column(batch.Schema().FieldIndices("organization_id")[0]).(*array.String)
			ids, fine := batch.Column(batch.Schema().FieldIndices(t.Key)[0]).(*array.String)
			if !ok || !fine {
				return fmt.Errorf("%w: a column of its key is no text", ErrShape)
			}
			return d.Add(batch, func(i int) bool {
				_, changed := without[organizations.Value(i)][ids.Value(i)]
				return !changed && !gone(i)
			})
		})
		if err != nil {
			return shape.Digest{}, err
		}
	}
	return d.Digest(), nil
}
