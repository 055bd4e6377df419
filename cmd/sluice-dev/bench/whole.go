package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-dev/harness"
	"sluice/sandbox"
)

const (
	// sharePercent is the share of items in a company, and that of bills (package sandbox/world).
	sharePercent = 28
	megabyte     = 1 << 20
)

// companyOf returns the records of a company with so many items.
func companyOf(items int) int { return (items*100 + sharePercent - 1) / sharePercent }

// unlimited are the options of a world with a number of records and without limits.
func unlimited(records int) sandbox.Options {
	return sandbox.Options{Records: records, Limits: sandbox.Limits{Off: true}}
}

// measureWhole measures whole syncs of one list, and its rebuild, by real processes, against raw
// COPY of the same rows.
func measureWhole(ctx context.Context, s *stage, p *plan, t *table) error {
	for range p.rounds {
		var first, rebuilt time.Duration
		for _, name := range []string{nameItems, nameBills} {
			one, again, err := s.whole(ctx, p, t, name)
			if err != nil {
				return err
			}
			first, rebuilt = first+one, rebuilt+again
		}
		if rebuilt > 0 {
			t.add("rebuild", quotient(first, rebuilt))
		}
	}
	return nil
}

// whole measures one list once, and returns the times of the processes of its first sync and of its
// rebuild.
func (s *stage) whole(ctx context.Context, p *plan, t *table, name string) (time.Duration, time.Duration, error) {
	var first, again worked
	var took, rebuilt time.Duration
	stream := "inventory." + name
	service, resource, err := declared(name)
	if err != nil {
		return 0, 0, err
	}
	measure := func(u *world, w *warehouse) error {
		if first, took, err = w.sync(ctx, u, stream); err != nil {
			return err
		}
		if err := w.execute(ctx, "UPDATE sluice.streams SET watermark = NULL"); err != nil { // so that everything is read again
			return err
		}
		if again, _, err = w.sync(ctx, u, stream); err != nil {
			return err
		}
		if run := &again.Runs[0]; run.Inserted+run.Updated > 0 || run.Received < int64(p.copied) {
			return fmt.Errorf("%d %s were read again, %d of them changed: nothing is measured", run.Received, name, run.Inserted+run.Updated)
		}
		if p.wants("rebuild") {
			if err := w.execute(ctx, edits[name]...); err != nil {
				return err
			}
			config, environment, err := w.configure(harness.Config{Upstream: u.address})
			if err != nil {
				return err
			}
			began := time.Now()
			if err := w.command(ctx, environment, "rebuild", stream, "--config", config); err != nil {
				return err
			}
			rebuilt = time.Since(began)
		}
		return w.do(ctx, func(conn *pgx.Conn) error { // last, for it empties the tables
			copied, err := rawCopy(ctx, conn, s.folder, tables(service, resource))
			if err != nil {
				return err
			}
			// By the database's clock: the run without the start of its process.
			t.add("sync "+name, copied.Seconds()/first.Runs[0].Seconds)
			t.add("again "+name, copied.Seconds()/again.Runs[0].Seconds)
			return nil
		})
	}
	err = inWorld(ctx, unlimited(companyOf(p.copied)), nil, func(u *world) error {
		return s.fresh(ctx, func(w *warehouse) error { return measure(u, w) })
	})
	if err != nil {
		return 0, 0, err
	}
	t.add("memory", float64(max(first.Peak, again.Peak))/megabyte)
	return took, rebuilt, nil
}

// edits changes every row of a list, as a manual edit would. The edit itself is no part of the
// rebuild's time.
var edits = map[string][]string{
	nameItems: {`UPDATE inventory.items SET description = 'edited'`, `VACUUM FULL inventory.items`, `CHECKPOINT`},
	nameBills: {`UPDATE inventory.bills SET reference_number = 'edited'`, `VACUUM FULL inventory.bills`, `CHECKPOINT`},
}

// measureMemory copies all lists of companies of several sizes at once, and notes the peak memory
// of the process.
func measureMemory(ctx context.Context, s *stage, p *plan, t *table) error {
	for _, size := range p.companies {
		err := inWorld(ctx, unlimited(size), nil, func(u *world) error {
			return s.fresh(ctx, func(w *warehouse) error {
				all, _, err := w.sync(ctx, u)
				if err != nil {
					return err
				}
				t.add("memory", float64(all.Peak)/megabyte)
				return nil
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
