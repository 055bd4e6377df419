package main

import "context"

const headersServices = `      accounting: {plan: premium}
      inventory: {plan: premium}
      chat: {plan: free}
`

// headersRest bounds what single records cost, so that the details go on over several syncs.
const headersRest = `tombstones: {apart: 0s, max_rows: 100000}
schedule: {adaptive: true}
resources:
  accounting.contact_persons: {calls_per_run: 2}
  accounting.base_currency_adjustments: {calls_per_run: 2}
  accounting.vendor_payments: {calls_per_run: 3}
  inventory.bills: {calls_per_run: 5}
  inventory.credit_notes: {calls_per_run: 3}
  inventory.composite_items: {calls_per_run: 2}
  inventory.items: {freshness: 1h}
`

const headersSteps = `
	each --org first accounting.chart_of_accounts accounting.vendor_payments accounting.opening_balances accounting.base_currency_adjustments
	each --org first accounting.contact_persons inventory.items inventory.bills inventory.credit_notes inventory.composite_items chat.channels
	each --org other_2 accounting.vendor_payments inventory.items inventory.bills inventory.credit_notes inventory.taxes chat.conversations
	=first
	each --org first inventory.bills.details inventory.credit_notes.details inventory.items.details
	each --org other_2 inventory.bills.details
	@change {"seed":2,"inserts":1,"edits":2,"deletes":1,"resources":["inventory.bills","inventory.items","inventory.credit_notes","vendor_payments"]}
	*100
	each --org first accounting.vendor_payments inventory.items inventory.bills inventory.credit_notes
	each --org other_2 inventory.items inventory.bills
	sync inventory.bills --org other_2 --json
	each --org first inventory.bills.sweep inventory.items.sweep
	each --org first inventory.bills.sweep inventory.items.sweep
	*100
	@expire_tokens
	each --org first inventory.bills
	@faults [{"path":"/inventory/v1/creditnotes/","kind":"html","count":1},{"path":"/inventory/v1/items","kind":"duplicate","count":1}]
	each --org first inventory.credit_notes.details inventory.items
	@faults []
`

const headersReadings = `
	+ status
	+ status --why
	+ runs --limit 500
	+ budget
	+ plan
	+ organizations
	+ drift
	+ trust
	+ quarantine list
	+ tombstones list
	+ verify --local
	+ explain inventory.bills {edited bill} --org first
	+ explain inventory.bills {edited bill}
`

// headers puts two organizations through syncs whose lists leave out what only single records give,
// and sort by modification time.
func (r *recorder) headers(ctx context.Context) error {
	j, err := r.begin(ctx, "headers", "--seed", "11", "--records", "150", "--plan", "premium", "--headers-only", "--sorts-modified",
		"--organizations", "60099999999")
	if err != nil {
		return err
	}
	defer j.upstream.stop()
	if err := j.configure(headersServices, headersRest); err != nil {
		return err
	}
	if err := j.migrate(ctx); err != nil {
		return err
	}
	if err := j.plan(ctx, headersSteps); err != nil {
		return err
	}
	if err := j.end(ctx, headersReadings); err != nil {
		return err
	}
	return j.serve(ctx)
}
