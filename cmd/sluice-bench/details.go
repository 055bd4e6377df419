package main

import (
	"context"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"

	"sluice/connectors"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/streams/details"
)

const (
	// backlog is the number of bills whose single records are put in order.
	backlog = 2_000
	// detailsStep is after how many calls the shares are printed.
	detailsStep = 100
)

// sqlWaiting reads the bills that wait, newest first, with what each is worth in the base currency.
// The arithmetic is not that of the order under test.
const sqlWaiting = `
SELECT bill_id, (coalesce(total, sub_total + tax_total) * exchange_rate)::float8 AS value, balance > 0 AND status <> 'draft' AS open
FROM inventory.bills WHERE _detail_state = 'pending' ORDER BY last_modified_time DESC`

// owed is a bill that waits for its single record.
type owed struct {
	ID    string  `db:"bill_id"`
	Value float64 `db:"value"`
	Open  bool    `db:"open"`
}

// measureDetails copies the headers of bills, and computes the share of their value whose lines are
// known after so many calls for single records: in the order of sluice, and newest first. The
// shares go to standard error; the line has the quotient after a tenth of the calls.
func measureDetails(ctx context.Context, s *stage, p *plan, t *table) error {
	bills := backlog
	if p.quick {
		bills /= 10
	}
	return s.upstream(ctx, func(u *sandbox) error {
		return s.fresh(ctx, func(w *warehouse) error {
			// The list alone: single records that are read meanwhile are not put in order.
			if _, _, err := w.sync(ctx, u, "-lists", "inventory.bills"); err != nil {
				return err
			}
			return w.do(ctx, func(conn *pgx.Conn) error {
				newest, valuable, err := orders(ctx, conn, u.Organization)
				if err != nil {
					return err
				}
				printShares(newest, valuable)
				tenth := len(newest) / 10
				t.add("details", shareOf(valuable, tenth, all)/shareOf(newest, tenth, all))
				return nil
			})
		})
	}, append(unlimited((bills*100+sharePercent-1)/sharePercent), "--headers-only")...)
}

// orders returns the bills that wait, newest first and in the order in which sluice reads them.
func orders(ctx context.Context, conn *pgx.Conn, organization string) ([]owed, []owed, error) {
	rows, err := conn.Query(ctx, sqlWaiting)
	if err != nil {
		return nil, nil, fmt.Errorf("read the bills that wait: %w", err)
	}
	newest, err := pgx.CollectRows(rows, pgx.RowToStructByName[owed])
	if err != nil {
		return nil, nil, fmt.Errorf("read the bills that wait: %w", err)
	}
	known := make(map[string]owed, len(newest))
	for _, bill := range newest {
		known[bill.ID] = bill
	}
	stream, err := billDetails(organization)
	if err != nil {
		return nil, nil, err
	}
	ids, _, err := details.Pending(ctx, conn, stream, 0, len(newest))
	if err != nil {
		return nil, nil, fmt.Errorf("read the backlog: %w", err)
	}
	valuable := make([]owed, len(ids))
	for i, id := range ids {
		valuable[i] = known[id]
	}
	if len(valuable) < detailsStep || len(valuable) != len(newest) {
		return nil, nil, fmt.Errorf("%d of %d bills wait: nothing is measured", len(valuable), len(newest))
	}
	return newest, valuable, nil
}

// billDetails returns the stream of the single records of bills.
func billDetails(organization string) (pipeline.Stream, error) {
	for _, service := range connectors.All() {
		for i := range service.Resources {
			if service.Name == inventory && service.Resources[i].Name == nameBills {
				return pipeline.Stream{Organization: organization, Service: &service, Resource: &service.Resources[i], Work: pipeline.WorkDetails}, nil
			}
		}
	}
	return pipeline.Stream{}, fmt.Errorf("no resource %q is declared", "inventory.bills")
}

func all(owed) bool { return true }

func isOpen(bill owed) bool { return bill.Open }

// shareOf returns the share of the value of some bills that the first n of an order have.
func shareOf(order []owed, n int, some func(owed) bool) float64 {
	var have, whole float64
	for i, bill := range order {
		if !some(bill) {
			continue
		}
		whole += bill.Value
		if i < n {
			have += bill.Value
		}
	}
	return have / whole
}

// printShares writes the shares after each hundred calls.
func printShares(newest, valuable []owed) {
	const percent = 100
	fmt.Fprintf(os.Stderr, "%8s  %21s  %21s\n%8s  %10s %10s  %10s %10s\n",
		"", "% of all value", "% of open value", "calls", "newest", "valuable", "newest", "valuable")
	for n := detailsStep; n <= len(newest); n += detailsStep {
		fmt.Fprintf(os.Stderr, "%8d  %10.1f %10.1f  %10.1f %10.1f\n", n, percent*shareOf(newest, n, all), percent*shareOf(valuable, n, all),
			percent*shareOf(newest, n, isOpen), percent*shareOf(valuable, n, isOpen))
	}
}
