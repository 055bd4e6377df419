//go:build e2e

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/sandbox"
)

// TestAlertsFire: a real Prometheus with the rules of deploy watches a real serve. No alert fires
// while all is well. With each fault its alert fires, about what has the fault. It ends when the
// fault is gone.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	h := newTold(t, sandbox.Options{Seed: 271, Records: 400, Limits: sandbox.Limits{Off: true}},
		"  inventory.items: {notified: {every: 6h}}\nworkers: 1\ntombstones: {apart: 0s, max_rows: 1}\nquarantine: {max_share: 0.01}\n")
	h.sync(codeFine)
	h.age()
	serving := h.serve()
	address := serving.said("serving", "listen")
	w := h.watched(address, map[string]string{
		"_last_tick_timestamp_seconds) > 120":    "_last_tick_timestamp_seconds) > 20",
		"_oldest_job_timestamp_seconds) > 600":   "_oldest_job_timestamp_seconds) > 5",
		"_held_since_timestamp_seconds) > 86400": "_held_since_timestamp_seconds) > 1",
		"_self_test_timestamp_seconds) > 2700":   "_self_test_timestamp_seconds) > 30",
	})
	w.quiet()

	serving.kill()
	w.fires("SluiceDown")
	h.spoilt()
	serving = h.start("serve", "--listen", address)
	h.public.says(502, "bad gateway")
	h.exec(`UPDATE sluice.channels SET expires_at = now() + interval '11 hours', renew_at = now() + interval '1 hour' WHERE module = 'Deals'`)
	w.ends("SluiceDown")
	streams := []string{
		"SluiceStreamDenied inventory items", "SluiceStreamFailed accounting chart_of_accounts", "SluiceStreamLate accounting chart_of_accounts",
		"SluiceQuarantineAlarm inventory bills", "SluiceDayRefused accounting", "SluiceDeletionsHeld inventory credit_notes",
		"SluiceVerifyFindings inventory bills", "SluiceChannelExpires Deals", "SluiceSelfTestFailed",
	}
	w.fires(streams...)
	w.dashboards("Receivers that wait", "Messages a second, and failed attempts", "Oldest job", "Never complete", "When the calls will be used up",
		"Records that changed a closed period", "Backfills: progress", "Backfills that failed",
		"Channels", "Hints that wait", "Share of the changes that were told", "Changes that are not published to the lake")
	h.tickless(w)
	h.public.passes(serving.said("receiving callbacks", "listen"), asIs)
	h.repaired()
	w.ends(streams...)
	h.busy(w)
	w.quiet("SluiceSelfTestFailed") // the next test callback comes after a quarter of an hour
}

// spoilt makes the faults of streams, while nothing serves.
func (h *toldFixture) spoilt() {
	h.t.Helper()
	h.exec(`UPDATE inventory.bills SET reference_number = 'by hand' WHERE bill_id = (SELECT min(bill_id) FROM inventory.bills)`)
	if o := h.run("verify", "inventory.bills", "--local"); o.code != codeFailed {
		h.t.Fatalf("verify finds no edit: %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	h.delete("inventory.credit_notes", h.truth("inventory.credit_notes")[:10]...)
	h.sync(codeFine, "credit_notes")
	h.sync(codeFailed, "credit_notes")
	h.edit(1, "inventory.bills", 5)
	must(h.t, h.world.SetFaults([]sandbox.Fault{
		{Path: "/inventory/v1/items", Kind: "forbidden"}, {Path: "/inventory/v1/bills", Kind: "poison"},
		{Path: "/books/v3/chartofaccounts", Kind: "error_in_200"}, {Path: "/books/v3/vendorpayments", Kind: "exhausted"},
	}))
	h.sync(codeFailed, "items")
	h.sync(codeFailed, "inventory.bills")
	h.sync(codeFailed, "chart_of_accounts")
	h.sync(codeBudget, "vendor_payments")
	h.exec(`UPDATE sluice.streams SET watermark = watermark - interval '1 day' WHERE resource = 'chart_of_accounts'`)
}

// repaired removes the faults, and does what the runbooks say.
func (h *toldFixture) repaired() {
	h.t.Helper()
	must(h.t, h.world.SetFaults(nil))
	h.exec(`UPDATE sluice.calls SET reserved_at = reserved_at - interval '25 hours', lease_until = lease_until - interval '25 hours',
		finished_at = finished_at - interval '25 hours', free_at = free_at - interval '25 hours' WHERE kind = 'exhausted'`)
	h.exec(`SELECT sluice.recount_calls()`)
	var held []struct {
		Run int64 `json:"run"`
	}
	must(h.t, json.Unmarshal([]byte(h.run("tombstones", "review", "--json").stdout), &held))
	for _, of := range held {
		h.does("tombstones", "accept", fmt.Sprint(of.Run))
	}
	h.does("budget", "reopen", sandbox.DefaultOrganizationID, "accounting")
	h.does("sync", "items", "inventory.bills", "chart_of_accounts", "vendor_payments")
	h.does("rebuild", "inventory.bills")
	h.does("verify", "inventory.bills", "--local")
	h.does("notifications", "renew")
	h.does("notifications", "check")
}

// does runs a command that has to succeed.
func (h *toldFixture) does(args ...string) {
	h.t.Helper()
	if o := h.run(args...); o.code != codeFine {
		h.t.Errorf("sluice %q ended with %d\n%s%s", args, o.code, o.stdout, o.stderr)
	}
}

// tickless keeps every tick from its note by a lock, as a session that was forgotten does.
func (h *toldFixture) tickless(w *watcher) {
	h.t.Helper()
	conn, err := pgx.Connect(h.t.Context(), h.environment["SLUICE_DATABASE_URL"])
	must(h.t, err)
	defer func() { must(h.t, conn.Close(context.WithoutCancel(h.t.Context()))) }()
	tx, err := conn.Begin(h.t.Context())
	must(h.t, err)
	_, err = tx.Exec(h.t.Context(), `SELECT FROM sluice.housekeeping WHERE work = 'tick' FOR UPDATE`)
	must(h.t, err)
	w.fires("SluiceNoTick")
	must(h.t, tx.Rollback(h.t.Context()))
	w.ends("SluiceNoTick")
}

// busy keeps the only worker busy by a slow answer, while another job could run.
func (h *toldFixture) busy(w *watcher) {
	h.t.Helper()
	must(h.t, h.world.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/", Kind: "slow", Milliseconds: 600}}))
	h.does("backfill", "--detach", "inventory.bills", "inventory.items", "inventory.credit_notes")
	w.fires("SluiceJobsWait")
	must(h.t, h.world.SetFaults(nil))
	w.ends("SluiceJobsWait")
}
