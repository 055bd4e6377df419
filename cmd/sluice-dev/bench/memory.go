package bench

import (
	"context"

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

// measureMemory copies all lists of companies of several sizes at once, and notes the peak memory
// of the process.
func measureMemory(ctx context.Context, s *stage, p *plan, t *table) error {
	for _, size := range p.companies {
		err := inWorld(ctx, unlimited(size), func(u *world) error {
			return s.fresh(ctx, func(w *warehouse) error {
				peak, err := w.sync(ctx, u)
				t.add("memory", peak/megabyte)
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
