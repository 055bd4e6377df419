//go:build e2e

package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/sandbox"
)

// TestPersonsThatUpstreamDeletes: two syncs after a person is deleted upstream, the row has a
// tombstone, in all three services. A list that fails in between proves nothing, the persons of a
// contact that upstream does not know go with it, and no other person is touched (invariant 7).
func TestPersonsThatUpstreamDeletes(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 253, Records: 60, Limits: sandbox.Limits{Off: true}})
	s.configured("resources:\n  invoicing.contact_persons: {enabled: true}\n" + believing)
	lists := []string{"accounting.contact_persons", "invoicing.contact_persons", "billing.contact_persons"}
	s.sync(codeFine, "accounting.vendor_payments", "inventory.bills", "inventory.credit_notes")
	sync := func(code int) {
		t.Helper()
		s.exec(`UPDATE sluice.streams SET next_due_at = now() WHERE resource = 'contact_persons'`)
		s.sync(code, lists...)
	}
	sync(codeFine)
	keys := map[string]string{lists[0]: "contact_person_id", lists[1]: "contact_person_id", lists[2]: "contactperson_id"}
	parents := map[string]string{lists[0]: "contact_id", lists[1]: "contact_id", lists[2]: "customer_id"}
	deleted := map[string][]string{}
	for _, list := range lists {
		s.exec(`UPDATE ` + list + ` SET _first_seen_at = _first_seen_at - interval '1 hour'`)
		// One person of each of two contacts.
		deleted[list] = one[[]string](s, `SELECT array_agg(p.id ORDER BY p.parent) FROM (SELECT min(`+keys[list]+`) AS id, `+parents[list]+` AS parent
			FROM `+list+` GROUP BY 2 ORDER BY 2 LIMIT 2) AS p`)
		if len(deleted[list]) != 2 {
			t.Fatalf("%s has persons of %d contacts, want two", list, len(deleted[list]))
		}
	}
	dead := func(list string) []string {
		return one[[]string](s, `SELECT coalesce(array_agg(`+keys[list]+` ORDER BY `+keys[list]+`), '{}') FROM `+list+` WHERE _deleted_at IS NOT NULL`)
	}
	for _, list := range lists {
		s.delete(list, deleted[list]...)
	}
	// Accounting and invoicing have the same persons: what upstream has says which rows are to go.
	gone := map[string][]string{}
	for _, list := range lists {
		service, name, _ := strings.Cut(list, ".")
		upstream := map[string]bool{}
		for raw := range s.world.Truth(service, name) {
			var record map[string]any
			must(t, json.Unmarshal(raw, &record))
			upstream[fmt.Sprint(record[keys[list]])] = true
		}
		for _, id := range one[[]string](s, `SELECT array_agg(`+keys[list]+` ORDER BY `+keys[list]+`) FROM `+list) {
			if !upstream[id] {
				gone[list] = append(gone[list], id)
			}
		}
		for _, id := range deleted[list] {
			if !slices.Contains(gone[list], id) {
				t.Fatalf("%s: %s is still upstream", list, id)
			}
		}
	}
	contact := one[string](s, `SELECT contact_id FROM accounting.contact_persons WHERE contact_person_id = $1`, deleted[lists[0]][0])
	ofContact := one[[]string](s, `SELECT array_agg(contact_person_id) FROM accounting.contact_persons WHERE contact_id = $1`, contact)
	must(t, s.world.SetFaults([]sandbox.Fault{{Path: "/books/v3/contacts/" + contact + "/contactpersons", Kind: "bad_request"}}))
	sync(codeFine)
	must(t, s.world.SetFaults(nil))
	const suspected = `SELECT coalesce(array_agg(record_id ORDER BY record_id), '{}') FROM sluice.tombstones WHERE state = 'suspected' AND service || '.' || resource = $1`
	proven := map[string][]string{}
	for _, list := range lists {
		if got := dead(list); len(got) > 0 {
			t.Errorf("%s: one list is taken for proof of %v", list, got)
		}
		proven[list] = gone[list]
		if list == lists[0] {
			proven[list] = slices.DeleteFunc(slices.Clone(gone[list]), func(id string) bool { return slices.Contains(ofContact, id) })
		}
		if got := one[[]string](s, suspected, list); !slices.Equal(got, proven[list]) {
			t.Errorf("%s: missed are %v, want %v, as the list of one contact failed", list, got, proven[list])
		}
	}
	if len(proven[lists[0]]) == len(gone[lists[0]]) {
		t.Error("no person of the contact whose list failed is gone")
	}
	sync(codeFine)
	for _, list := range lists {
		if got := dead(list); !slices.Equal(got, proven[list]) {
			t.Errorf("%s: tombstones of %v, want %v", list, got, proven[list])
		}
	}
	sync(codeFine)
	if got := dead(lists[0]); !slices.Equal(got, gone[lists[0]]) {
		t.Errorf("%s: tombstones of %v, want %v", lists[0], got, gone[lists[0]])
	}
	if o := s.run("tombstones", "show", deleted[lists[0]][0]); !strings.Contains(o.stdout, "deleted") || !strings.Contains(o.stdout, "a second scan did not show it") {
		t.Errorf("show: %s%s", o.stdout, o.stderr)
	}

	// A contact that upstream does not know.
	other := one[string](s, `SELECT max(contact_id) FROM accounting.contact_persons`)
	persons := one[[]string](s, `SELECT array_agg(contact_person_id ORDER BY contact_person_id) FROM accounting.contact_persons WHERE contact_id = $1 AND _deleted_at IS NULL`, other)
	must(t, s.world.SetFaults([]sandbox.Fault{{Path: "/books/v3/contacts/" + other + "/contactpersons", Kind: "not_found"}}))
	sync(codeFine)
	sync(codeFine)
	const buried = `SELECT array_agg(contact_person_id ORDER BY contact_person_id) FROM accounting.contact_persons WHERE contact_id = $1 AND _deleted_at IS NOT NULL`
	if got := one[[]string](s, buried, other); !slices.Equal(got, persons) {
		t.Errorf("of a contact that is gone %v have a tombstone, want %v", got, persons)
	}
	must(t, s.world.SetFaults(nil))
	sync(codeFine)
	if got := one[[]string](s, buried, other); len(got) > 0 {
		t.Errorf("the contact came back, and %v did not", got)
	}
}
