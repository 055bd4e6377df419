package sandbox_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox"
	"sluice/sandbox/witness"
)

const org = sandbox.DefaultOrganizationID

// as calls a service, with the organization where the service requires it.
func (u *upstream) as(t *testing.T, service, path string, pairs ...string) *httptest.ResponseRecorder {
	t.Helper()
	header := http.Header{}
	switch service {
	case "invoicing":
		header.Set("X-Com-Svc-Invoice-Organizationid", org)
	case "billing":
		header.Set("X-Com-Svc-Subscriptions-Organizationid", org)
	case "chat":
		header.Set("Content-Type", "application/json")
	default:
		return u.get(t, path, pairs...)
	}
	bare := target(path, pairs...)
	return u.serve(t, http.MethodGet, strings.Replace(bare, "organization_id="+org, "", 1), header)
}

// first returns the value of a key, as text, from the first truth record that has one.
func (u *upstream) first(t *testing.T, service, resource, key string) string {
	t.Helper()
	for fields := range u.truths(t, service, resource) {
		if value := text(t, fields[key]); value != "" {
			return value
		}
	}
	t.Fatalf("%s/%s: no record with %s", service, resource, key)
	return ""
}

// served describes a list, written by hand from the documents.
type served struct {
	service, resource, path, key string
	id                           string // of a record
	paged                        bool   // carries page_context
	one                          string // key of a single record; "" if there is none
	listOnly, oneOnly            []string
	assumed                      string // part of the header of the list
}

func newLists() []served {
	return []served{
		{service: "accounting", resource: "organizations", path: "/books/v3/organizations", key: "organizations", id: "organization_id"},
		{service: "invoicing", resource: "organizations", path: "/invoice/v3/organizations", key: "organizations", id: "organization_id"},
		{service: "billing", resource: "organizations", path: "/billing/v1/organizations", key: "organizations", id: "organization_id"},
		{service: "inventory", resource: "organizations", path: "/inventory/v1/organizations", key: "organizations", id: "organization_id"},
		{
			service: "accounting", resource: "base_currency_adjustments", path: "/books/v3/basecurrencyadjustment",
			key: "base_currency_adjustments", id: "base_currency_adjustment_id", paged: true, one: "data",
			listOnly: []string{"gain_or_loss"}, oneOnly: []string{"accounts"},
		},
		{
			service: "accounting", resource: "expenses", path: "/books/v3/expenses", key: "expenses", id: "expense_id", paged: true,
			one: "expense", assumed: "path and answer",
		},
		{
			service: "accounting", resource: "custom_module_records", path: "/books/v3/cm_projects", key: "module_record",
			id: "module_record_id", paged: true,
		},
		{
			service: "invoicing", resource: "currencies", path: "/invoice/v3/settings/currencies", key: "currencies", id: "currency_id",
			paged: true, one: "currency", listOnly: []string{"exchange_rate", "effective_date"},
		},
		{service: "inventory", resource: "locations", path: "/inventory/v1/locations", key: "locations", id: "location_id"},
		{
			service: "inventory", resource: "composite_items", path: "/inventory/v1/compositeitems", key: "composite_items",
			id: "composite_item_id", paged: true, one: "composite_item", assumed: "names of filter",
		},
		{
			service: "inventory", resource: "taxes", path: "/inventory/v1/settings/taxes", key: "taxes", id: "tax_id", paged: true,
			one: "tax", assumed: "inactive",
		},
		{service: "chat", resource: "channels", path: "/api/v2/channels", key: "channels", id: "channel_id", assumed: "fields of channels"},
		{
			service: "chat", resource: "network_channels", path: "/network/partners/api/v2/channels", key: "channels", id: "channel_id",
			assumed: "fields of channels",
		},
	}
}

// Each list and its single record carry exactly the keys of the witness.
func TestNewListsAreTheWitness(t *testing.T) {
	t.Parallel()
	u := start(t, wide())
	for _, l := range newLists() {
		t.Run(l.service+"/"+l.resource, func(t *testing.T) {
			t.Parallel()
			sample := sure(witness.Load(l.service, l.resource))(t)
			answer := u.as(t, l.service, l.path)
			records, context := u.readList(t, answer, l.key)
			fatalIf(t, len(records) == 0 || (context != nil) != l.paged || sample.Key != l.key,
				"%d records, page_context %+v, witness key %q", len(records), context, sample.Key)
			got := answer.Header().Get("X-Sandbox-Assumed")
			errorIf(t, !strings.Contains(got, l.assumed) || (got == "") != (l.assumed == ""), "assumed %q", got)
			want := parsed(t, sample.Record)
			without := func(keys, not []string) []string {
				return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return slices.Contains(not, key) })
			}
			equal(t, keysOf(records[0]), without(keysOf(want), l.oneOnly), "list (-witness +served):\n")
			if l.one == "" {
				return
			}
			single := u.one(t, l, text(t, records[0][l.id]))
			equal(t, keysOf(single), without(keysOf(want), l.listOnly), "single record (-witness +served):\n")
			equal(t, u.as(t, l.service, l.path+"/460000000000000999").Code, http.StatusNotFound, "unknown record")
		})
	}
}

// readList reads a list in the envelope of its family. Chat has no envelope.
func (u *upstream) readList(t *testing.T, answer *httptest.ResponseRecorder, key string) ([]object, *pageContext) {
	t.Helper()
	if key != "channels" {
		p := readPage(t, answer, key)
		return p.Records, p.Context
	}
	var envelope struct{ Channels []object }
	decode(t, answer, &envelope)
	return envelope.Channels, nil
}

// one reads a single record; a tax comes as an array of one (docs/upstream.md U212).
func (u *upstream) one(t *testing.T, l served, id string) object {
	t.Helper()
	var envelope object
	decode(t, u.as(t, l.service, l.path+"/"+id), &envelope)
	if l.resource == "taxes" {
		records := elements(t, envelope, l.one)
		fatalIf(t, len(records) != 1, "%d taxes under one id", len(records))
		return records[0]
	}
	return parsed(t, envelope[l.one])
}

// Truth carries every key of the witness and, where the wire lacks it, the parent.
func TestTruthIsTheWitness(t *testing.T) {
	t.Parallel()
	u := start(t, wide())
	parents := map[string]string{
		"accounting/custom_module_records": "module_name", "chat/network_channels": "network", "chat/network_conversations": "network",
	}
	all := sure(witness.All())(t)
	for _, sample := range all {
		name := sample.Service + "/" + sample.Resource
		if sample.Service == "" {
			continue
		}
		records := 0
		for record := range u.Truth(sample.Service, sample.Resource) {
			records++
			fields, want := parsed(t, record), parsed(t, sample.Record)
			if parent := parents[name]; parent != "" {
				errorIf(t, text(t, fields[parent]) == "", "%s: no %s in %s", name, parent, record)
				delete(fields, parent)
			}
			diff := cmp.Diff(keysOf(want), keysOf(fields))
			fatalIf(t, diff != "", "%s (-witness +truth):\n%s", name, diff)
		}
		errorIf(t, records == 0, "%s: no record", name)
	}
}
