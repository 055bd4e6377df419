package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/poster"
	simulated "sluice/sandbox"
)

// mode is one way to hear of changes: by runs at an interval, or by callbacks and rarer runs.
type mode struct {
	name string
	// every is the interval, hinted that of runs while notifications are trusted; 0 without them.
	every, hinted time.Duration
	// share is the share of the measurement's days that is enough.
	share float64
}

// The modes whose calls are compared.
const nameHourly, nameHinted = "every 1 h", "told, and every 24 h"

func modes() []mode {
	return []mode{
		{name: "every 5 min", every: 5 * time.Minute, share: 0.1},
		{name: "every 15 min", every: 15 * time.Minute, share: 0.2},
		{name: nameHourly, every: time.Hour, share: 1},
		{name: "told, and every 6 h", every: time.Hour, hinted: wholeDay / 4, share: 1},
		{name: nameHinted, every: time.Hour, hinted: wholeDay, share: 1},
	}
}

// waited is what a mode cost, and how long changes waited.
type waited struct {
	Mode      string  `json:"mode"`
	Days      float64 `json:"days"`
	Changes   int     `json:"changes"`
	CallsADay float64 `json:"calls_a_day"`
	// Mean and P99 are how long changes waited, in seconds.
	Mean float64 `json:"mean_seconds"`
	P99  float64 `json:"p99_seconds"`
}

func tableOfWaits(all []waited) view.Part {
	rows := make([]view.Row, len(all))
	for i, w := range all {
		rows[i] = view.Row{
			w.Mode, fmt.Sprintf("%.1f", w.Days), strconv.Itoa(w.Changes), fmt.Sprintf("%.0f", w.CallsADay),
			seconds(w.Mean).String(), seconds(w.P99).String(),
		}
	}
	return view.TableOf("READ  DAYS  CHANGES  CALLS A DAY  MEAN WAIT  P99 WAIT", rows)
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Second)
}

const (
	wholeDay = 24 * time.Hour
	// callTakes is how long one call takes.
	callTakes = time.Second
	// endsBefore is how far before the present the virtual days end: nothing is then in the future
	// of the queue, which keeps the machine's time.
	endsBefore = 12 * time.Hour
)

// Two organizations have five lists each.
func businesses() []told {
	const other = "60012345679"
	payments := list{name: "payments", service: accounting, resource: "vendor_payments", id: "payment_id", details: true}
	bundles := list{name: "bundles", service: inventory, resource: "composite_items", id: "composite_item_id", details: true}
	five := []list{items, bills, accounts, payments, bundles}
	return []told{
		{id: simulated.DefaultOrganizationID, refreshToken: simulated.RefreshToken, lists: five},
		{id: other, refreshToken: simulated.RefreshTokenFor(other, ""), lists: five},
	}
}

// measureDays lets virtual days pass in which ten lists change, once for each mode. The schedule,
// the hints, the queue, the reading and the loading are the program's own.
func measureDays(ctx context.Context, s *stage, p *plan, t *table) error {
	for _, m := range modes() {
		if p.quick && m.name != nameHourly && m.name != nameHinted {
			continue
		}
		got, err := s.pass(ctx, p, m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		t.waits = append(t.waits, got)
	}
	calls := make(map[string]float64)
	for _, w := range t.waits {
		calls[w.Mode] = w.CallsADay
	}
	t.add("hinted calls", calls[nameHourly]/calls[nameHinted])
	return nil
}

// pass measures one mode on a database of its own.
func (s *stage) pass(ctx context.Context, p *plan, m mode) (waited, error) {
	length := time.Duration(float64(p.days) * m.share)
	got := waited{Mode: m.name, Days: length.Hours() / wholeDay.Hours()}
	err := s.copied(ctx, empty, func(w *warehouse) error {
		return w.do(ctx, func(conn *pgx.Conn) error {
			clock, err := newClock(ctx, conn, time.Now().Add(-length-endsBefore).Truncate(time.Hour))
			if err != nil {
				return err
			}
			of := businesses()
			return withWorld(ctx, simulated.Options{
				Records: companyOf(p.small), HeadersOnly: true, SortsModified: true, Now: clock.Now, Limits: simulated.Limits{Off: true},
				Poster: new(poster.Poster), Organizations: []simulated.OrganizationOptions{{ID: of[1].id, Seed: 2, Plan: tariff}},
			}, clock.taking(callTakes), func(u *world) error {
				return (&days{warehouse: w, world: u, clock: clock, of: of, mode: m, length: length, edits: p.edits}).measure(ctx, &got)
			})
		})
	})
	return got, err
}
