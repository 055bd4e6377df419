package main

import "context"

// wholeServices are all services, with all that only a configuration can name.
const wholeServices = `      accounting: {plan: premium, custom_modules: [cm_vehicles, cm_visits]}
      inventory: {plan: premium}
      chat: {plan: free, networks: [partners, suppliers]}
      invoicing: {plan: free}
      billing: {plan: paid}
`

// wholeRest wants everything, of lists under parents a few calls a run, and a list of the
// configuration's own.
const wholeRest = `resources:
  accounting.expenses: {enabled: true}
  accounting.contact_persons: {calls_per_run: 6}
  accounting.base_currency_adjustments: {calls_per_run: 3}
  invoicing.contact_persons: {enabled: true, calls_per_run: 3}
  billing.contact_persons: {calls_per_run: 2}
`

const wholeCustom = `custom:
  - service: inventory
    name: duties
    doc: A tax, read once more as a list that the configuration declares.
    path: /settings/taxes
    key: taxes
    id: tax_id
    scope: settings
    paging: number
    every: 24h
    cursor: {kind: full_scan}
    columns:
      - {wire: tax_name, kind: text, doc: Name of the tax.}
      - {wire: tax_percentage, kind: decimal, doc: Rate of the tax in percent.}
`

// wholeHistory keeps versions and values by day.
const wholeHistory = `  inventory.credit_notes: {history: true}
  inventory.bills: {history: true}
  inventory.items: {daily: [items_locations]}
`

const (
	wholeFirst = `
		status
		each accounting.chart_of_accounts accounting.vendor_payments accounting.opening_balances accounting.base_currency_adjustments
		each accounting.expenses accounting.organizations inventory.items inventory.bills inventory.credit_notes inventory.composite_items
		each inventory.locations inventory.taxes inventory.organizations inventory.duties chat.channels chat.conversations
		each invoicing.currencies invoicing.organizations billing.organizations
		each accounting.custom_module_records accounting.contact_persons chat.network_channels chat.network_conversations
		each invoicing.contact_persons billing.contact_persons
		=first
		# A business day, then all once more.
		@change {"seed":2,"inserts":2,"edits":3,"deletes":1}
		each accounting.chart_of_accounts accounting.vendor_payments accounting.opening_balances accounting.base_currency_adjustments
		each accounting.expenses inventory.items inventory.bills inventory.credit_notes inventory.composite_items inventory.locations
		each inventory.taxes inventory.duties chat.channels chat.conversations invoicing.currencies accounting.custom_module_records
		each accounting.contact_persons chat.network_channels chat.network_conversations invoicing.contact_persons billing.contact_persons
	`
	wholeHistoryOn = `
		*100
		each inventory.credit_notes inventory.bills inventory.items
		@change {"seed":3,"inserts":1,"edits":4,"deletes":1,"resources":["inventory.credit_notes","inventory.bills","inventory.items"]}
		each inventory.credit_notes inventory.bills inventory.items
		@change {"seed":4,"edits":3,"deletes":2,"resources":["inventory.credit_notes","inventory.bills","vendor_payments"]}
		each inventory.items inventory.bills inventory.credit_notes accounting.vendor_payments
		# Whole lists, twice: what is gone gets its tombstone.
		*100
		each inventory.bills.sweep accounting.vendor_payments.sweep inventory.items.sweep inventory.credit_notes
		each inventory.bills.sweep accounting.vendor_payments.sweep inventory.items.sweep inventory.credit_notes
		# Records that do not fit.
		@change {"seed":5,"edits":4,"resources":["inventory.bills","inventory.credit_notes","inventory.items","chart_of_accounts"]}
		@faults [{"path":"/inventory/v1/bills","kind":"poison","count":1}]
		sync inventory.bills
		@faults [{"path":"/inventory/v1/creditnotes","kind":"poison","count":1}]
		sync inventory.credit_notes
		@faults [{"path":"/books/v3/chartofaccounts","kind":"extra_keys","count":1},{"path":"/inventory/v1/items","kind":"nul","count":1}]
		each accounting.chart_of_accounts inventory.items
		@faults [{"path":"/api/v2/channels","kind":"forbidden"}]
		sync chat.channels --json
		status
		@faults []
		quarantine list
		quarantine show 1
		quarantine export
		quarantine accept 1 --note no-one-wants-it
		quarantine retry --resource all
		=rejected
		# What was refused comes again, in a form that fits.
		each inventory.bills inventory.credit_notes chat.channels
	`
	wholeHeld = `
		*100
		@change {"seed":6,"deletes":5,"resources":["inventory.credit_notes"]}
		sync inventory.credit_notes
		sync inventory.credit_notes
		tombstones review
		tombstones review --json
		=held
		tombstones accept {held run}
		# Asked for on demand, and looked for.
		*100
		backfill accounting.vendor_payments --from 2025-01-01 --to 2025-06-30 --dry-run
		backfill accounting.vendor_payments --from 2025-01-01 --to 2025-06-30
		backfill inventory.items --detach
		backfill pause 2
		check
		check --probe inventory.items inventory.bills --json
		# Of lists under parents it draws a parent at random, so they are not asked for.
		verify inventory accounting.vendor_payments invoicing.currencies --calls 15 --json
		verify inventory.bills --local
		rebuild --dry-run
		rebuild custom.duties
		rebuild --history inventory.credit_notes
		read accounting.base_currency_adjustment_accounts currency_id={foreign currency} adjustment_date=2025-12-31 exchange_rate=84.2
	`
	// wholeReadings are commands that only read. Each is given twice, as text and as JSON.
	wholeReadings = `
		+ status
		+ status --why
		+ runs --limit 500
		+ runs inventory.bills
		+ budget
		+ plan
		+ plan --freshness 6h
		+ plan inventory --assume inventory.bills=20000
		+ resources
		+ organizations
		+ drift
		+ drift inventory.duties
		+ trust
		+ quarantine list --all
		+ quarantine show 1
		+ tombstones list
		+ tombstones list --state gone
		+ tombstones review
		+ tombstones show {gone}
		+ verify list
		+ verify show
		+ verify --last
		+ backfill list
		+ backfill show 1
		+ explain inventory.bills {edited bill}
		+ explain inventory.credit_notes {gone credit note}
		+ explain inventory.items {item}
		+ explain accounting.vendor_payments 1
		+ schema promote custom.duties
		+ read
		+ migrate
		+ health
		+ sync nonsense
		+ explain nonsense 1
	`
)

// whole puts one organization through everything, its lists giving whole records.
func (r *recorder) whole(ctx context.Context) error {
	j, err := r.begin(ctx, "whole", "--seed", "7", "--records", "600", "--plan", "premium",
		"--networks", "partners,suppliers", "--modules", "cm_vehicles,cm_visits")
	if err != nil {
		return err
	}
	defer j.upstream.stop()
	const many = "tombstones: {apart: 0s, max_rows: 100000}\n"
	if err := j.configure(wholeServices, many+wholeRest+wholeCustom); err != nil {
		return err
	}
	if err := j.migrate(ctx); err != nil {
		return err
	}
	if err := j.plan(ctx, wholeFirst); err != nil {
		return err
	}
	if err := j.configure(wholeServices, many+wholeRest+wholeHistory+wholeCustom); err != nil {
		return err
	}
	if err := j.plan(ctx, wholeHistoryOn); err != nil {
		return err
	}
	if err := j.configure(wholeServices, "tombstones: {apart: 0s, max_rows: 1, max_share: 0.001}\n"+wholeRest+wholeHistory+wholeCustom); err != nil {
		return err
	}
	if err := j.plan(ctx, wholeHeld); err != nil {
		return err
	}
	return j.end(ctx, wholeReadings)
}

// end records what reading commands say, as text and as JSON, then the rows and the calls.
func (j *journey) end(ctx context.Context, readings string) error {
	if err := j.plan(ctx, readings); err != nil {
		return err
	}
	if err := j.plan(ctx, "=end"); err != nil {
		return err
	}
	if err := j.pinSchema(ctx, j.name+"/schema.sql", j.address); err != nil {
		return err
	}
	r := *j.recorder
	r.masks, r.anyOrder = j.masks, j.anyOrder
	return r.pinCalls(ctx, j.name+"/calls.txt", j.address)
}
