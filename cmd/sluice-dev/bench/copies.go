package bench

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/streams/details"
	"sluice/sandbox"
)

// measureMemory copies all lists of companies of several sizes at once, and notes the peak memory
// of the process.
func measureMemory(ctx context.Context, s *stage, p *plan, t *table) error {
	const megabyte = 1 << 20
	for _, size := range p.companies {
		err := s.fresh(ctx, unlimited(size), func(w *warehouse) error {
			peak, err := w.run(ctx)
			t.add("memory", peak/megabyte)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// backlog is the number of bills whose single records are put in order.
const backlog = 2_000

// sqlNewest reads the bills whose single records are pending, newest first, with what each is worth
// in the base currency. The arithmetic is not that of the order under test.
const sqlNewest = `
SELECT bill_id AS id, (coalesce(total, sub_total + tax_total) * exchange_rate)::float8 AS value
FROM inventory.bills WHERE _detail_state = 'pending' ORDER BY last_modified_time DESC`

// measureDetails copies the headers of bills, and computes the share of their value whose lines are
// known after a tenth of the calls for single records: in the order of sluice, against newest first.
func measureDetails(ctx context.Context, s *stage, p *plan, t *table) error {
	bills := backlog
	if p.quick {
		bills /= 10
	}
	options := unlimited(companyOf(bills))
	options.HeadersOnly = true
	return s.fresh(ctx, options, func(w *warehouse) error {
		// The list alone: single records that are read meanwhile are not put in order.
		if _, err := w.run(ctx, "-lists", "inventory.bills"); err != nil {
			return err
		}
		return w.do(ctx, func(conn *pgx.Conn) error {
			ratio, err := gain(ctx, conn)
			t.add("details", ratio)
			return err
		})
	})
}

// gain returns the value that a tenth of the calls bring, newest first being 1.
func gain(ctx context.Context, conn *pgx.Conn) (float64, error) {
	type bill struct {
		ID    string
		Value float64
	}
	rows, _ := conn.Query(ctx, sqlNewest) // collecting returns its error
	newest, err := pgx.CollectRows(rows, pgx.RowToStructByName[bill])
	if err != nil {
		return 0, fmt.Errorf("read the pending bills: %w", err)
	}
	service, resource, err := declared(nameBills)
	if err != nil {
		return 0, err
	}
	stream := pipeline.Stream{Organization: sandbox.DefaultOrganizationID, Service: service, Resource: resource, Work: pipeline.WorkDetails}
	ids, _, err := details.Pending(ctx, conn, stream, 0, len(newest))
	if err != nil {
		return 0, fmt.Errorf("read the backlog: %w", err)
	}
	if len(ids) < 10 || len(ids) != len(newest) {
		return 0, fmt.Errorf("%d of %d bills are pending: nothing is measured", len(ids), len(newest))
	}
	value := make(map[string]float64, len(newest))
	ours, theirs := 0.0, 0.0
	for i, bill := range newest {
		value[bill.ID] = bill.Value
		if i < len(newest)/10 {
			theirs += bill.Value
		}
	}
	for _, id := range ids[:len(ids)/10] {
		ours += value[id]
	}
	return ours / theirs, nil
}
