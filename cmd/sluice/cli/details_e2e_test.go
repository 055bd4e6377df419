//go:build e2e

package cli

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"sluice/sandbox"
)

// TestBillsOfTheLargestAmountsAreReadFirst lets one run read twenty single records. All but the two
// of the rows that waited longest have to be the most valuable ones by upstream's own records.
func TestBillsOfTheLargestAmountsAreReadFirst(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 76, Records: 300, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	text, err := os.ReadFile(s.config)
	must(t, err)
	must(t, os.WriteFile(s.config, append(text, "  inventory.bills: {calls_per_run: 20}\n"...), 0o600))
	s.sync(codeFine, "inventory.bills", "inventory.bills.details")

	type bill struct {
		ID       string      `json:"bill_id"`
		Status   string      `json:"status"`
		SubTotal json.Number `json:"sub_total"`
		Rate     json.Number `json:"exchange_rate"`
	}
	worth := func(b bill) float64 {
		amount, err := b.SubTotal.Float64()
		must(t, err)
		rate, err := b.Rate.Float64()
		must(t, err)
		if b.Status == "open" || b.Status == "overdue" || b.Status == "partially_paid" {
			return amount * rate * 10
		}
		return amount * rate
	}
	var bills []bill
	for raw := range s.world.Truth("inventory", "bills") {
		var b bill
		must(t, json.Unmarshal(raw, &b))
		bills = append(bills, b)
	}
	slices.SortFunc(bills, func(a, b bill) int { return cmp.Compare(worth(b), worth(a)) })
	read := one[string](s, `SELECT string_agg(bill_id, ' ') FROM inventory.bills WHERE _detail_state = 'current'`)
	if n := len(strings.Fields(read)); n != 20 || len(bills) < 3*n {
		t.Fatalf("%d single records of %d were read, want 20 of many more", n, len(bills))
	}
	for place, b := range bills[:18] {
		if !strings.Contains(read, b.ID) {
			t.Errorf("bill %s, place %d by its value, was not read: %s", b.ID, place+1, read)
		}
	}
}
