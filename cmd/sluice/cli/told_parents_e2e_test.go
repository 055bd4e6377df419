//go:build e2e

package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sluice/cmd/sluice/poster"
	"sluice/sandbox"
)

// TestToldParents: the webhook of a contact leads to one call for the list of its persons, which
// buries nothing and moves no watermark.
func TestToldParents(t *testing.T) {
	t.Parallel()
	h := &toldFixture{fixture: newFixture(t, sandbox.Options{Seed: 251, Records: 300, Poster: new(poster.Poster)}), public: newFront(t)}
	h.configured("resources:\n  accounting.contact_persons: {calls_per_run: 40}\n")
	h.notified(h.public.URL)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go h.world.Run(ctx)
	h.sync(codeFine, "accounting.vendor_payments", "inventory.bills", "inventory.credit_notes", "accounting.contact_persons")
	h.exec(`UPDATE sluice.streams SET next_due_at = now() + interval '1 day'`) // nothing is due by schedule
	const state = `SELECT concat_ws(' ', (SELECT string_agg(resource || watermark::text, ',' ORDER BY resource) FROM sluice.streams),
		(SELECT count(*) FROM sluice.tombstones), (SELECT max(tried_at) FROM sluice.parents))`
	before := one[string](h.fixture, state)
	serving := h.serve()
	rule := h.public.URL + "/rule/" + businessKey + "/accounting.contact_persons"
	must(t, h.world.SetWebhooks(sandbox.Webhooks{Rules: []sandbox.WebhookRule{{
		Resource: "accounting.contact_persons", Address: rule, Secret: hookSecret, Body: `{"contact_id":"${contact_id}"}`,
	}}}))
	// The last of these changes is one of a person who is copied: documents name his contact.
	person, copied := "", false
	for seed := int64(0); !copied; seed++ {
		changed, err := h.world.Change(sandbox.Change{Seed: seed, Edits: 1, Resources: []string{"accounting.contact_persons"}})
		must(t, err)
		person = changed["accounting.contact_persons"].Edited[0]
		copied = one[bool](h.fixture, `SELECT EXISTS (SELECT FROM accounting.contact_persons WHERE contact_person_id = $1)`, person)
	}
	h.until("the person has the new designation", `SELECT EXISTS (SELECT FROM accounting.contact_persons
		WHERE contact_person_id = $1 AND designation LIKE 'Promoted %')`, person)
	if got := h.hook(rule, `{"contact_id":"460000000999999999"}`); got != http.StatusOK {
		t.Errorf("a rule got %d", got)
	}
	h.until("contacts that no document names are settled", `SELECT bool_and(read_at IS NOT NULL) AND bool_or(record_id = '460000000999999999') FROM sluice.hints`)
	h.eventually("the time from callback to row is in /metrics", func() bool {
		_, text := get(t, "http://"+serving.said("serving", "listen")+"/metrics")
		return strings.Contains(text, "\nsluice_hint_to_row_seconds_count 1\n")
	})
	serving.terminate()
	serving.ends(codeFine, patience)
	spent := one[string](h.fixture, `SELECT string_agg(concat_ws(' ', resource, path), ', ') FROM sluice.calls WHERE class = 'hinted'`)
	contact := one[string](h.fixture, `SELECT contact_id FROM accounting.contact_persons WHERE contact_person_id = $1`, person)
	if want := fmt.Sprintf("contact_persons /books/v3/contacts/%s/contactpersons", contact); spent != want {
		t.Errorf("hints caused the calls %q, want %q", spent, want)
	}
	if after := one[string](h.fixture, state); after != before {
		t.Errorf("watermarks, tombstones and the order of the parents: %s, before %s", after, before)
	}
	for command, want := range map[string]string{
		"notifications setup": `{"contact_id": "PLACEHOLDER"}`, "status --why accounting.contact_persons.hinted": "reads what notifications tell of",
		"explain accounting.contact_persons " + person: "(hinted, done)", "runs accounting.contact_persons.hinted": "done",
	} {
		if o := h.run(strings.Fields(command)...); o.code != codeFine || !strings.Contains(o.stdout, want) {
			t.Errorf("%s: code %d, shows no %q:\n%s%s", command, o.code, want, o.stdout, o.stderr)
		}
	}
}
