package cli

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
	"sluice/sandbox/oracle"
)

// wideResource is one of all resources.
type wideResource struct {
	service, name string
	// adapt renames keys of upstream's record to the names in the tables where these differ; nil if
	// none differs.
	adapt func(record map[string]json.RawMessage)
}

// wideResources are written down here, not taken from the program.
func wideResources() []wideResource {
	return []wideResource{
		{"accounting", "organizations", organizationNames()},
		{"accounting", "chart_of_accounts", nil},
		{"accounting", "vendor_payments", nil},
		{"accounting", "opening_balances", nil},
		{"accounting", "base_currency_adjustments", nil},
		{"accounting", "custom_module_records", moduleFields},
		{"accounting", "contact_persons", nil},
		{"accounting", "expenses", nil},
		{"invoicing", "organizations", organizationNames()},
		{"invoicing", "currencies", nil},
		{"invoicing", "contact_persons", nil},
		{"billing", "organizations", organizationNames()},
		{"billing", "contact_persons", nil},
		{"inventory", "organizations", organizationNames()},
		{"inventory", "locations", nil},
		{"inventory", "composite_items", nil},
		{"inventory", "taxes", nil},
		{"inventory", "items", nil},
		{"inventory", "bills", nil},
		{"inventory", "credit_notes", nil},
		{"chat", "conversations", nil},
		{"chat", "channels", channelNames()},
		{"chat", "network_channels", each(channelNames(), qualified("network_channel_id", "network", "channel_id"))},
		{"chat", "network_conversations", qualified("network_chat_id", "network", "chat_id")},
	}
}

// renamed moves a key whose name the tables use for something else.
func renamed(wire, column string) func(map[string]json.RawMessage) {
	return func(record map[string]json.RawMessage) {
		if value, sent := record[wire]; sent {
			record[column] = value
			delete(record, wire)
		}
	}
}

// each is several adaptations in their order.
func each(all ...func(map[string]json.RawMessage)) func(map[string]json.RawMessage) {
	return func(record map[string]json.RawMessage) {
		for _, adapt := range all {
			adapt(record)
		}
	}
}

// organizationNames are the renamed keys of organizations, channelNames those of channels.
func organizationNames() func(map[string]json.RawMessage) {
	return each(renamed("organization_id", "id"), renamed("isOrgActive", "org_active"))
}

func channelNames() func(map[string]json.RawMessage) {
	return renamed("organization_id", "chat_organization_id")
}

// qualified adds the key of a record whose identifier is unique only in its network.
func qualified(key, parent, id string) func(map[string]json.RawMessage) {
	return func(record map[string]json.RawMessage) {
		var above, own string
		if json.Unmarshal(record[parent], &above) == nil && json.Unmarshal(record[id], &own) == nil {
			record[key] = json.RawMessage(fmt.Sprintf("%q", above+"/"+own))
		}
	}
}

// moduleFields makes rows of the fields that an organization added to a module: by name, the value,
// and the text of the key with _formatted.
func moduleFields(record map[string]json.RawMessage) {
	var rows []map[string]json.RawMessage
	for _, name := range slices.Sorted(maps.Keys(record)) {
		if !strings.HasPrefix(name, "cf_") || strings.HasSuffix(name, "_formatted") {
			continue
		}
		row := map[string]json.RawMessage{"field": json.RawMessage(fmt.Sprintf("%q", name)), "value": record[name]}
		if text, ok := record[name+"_formatted"]; ok {
			row["formatted"] = text
			delete(record, name+"_formatted")
		}
		delete(record, name)
		rows = append(rows, row)
	}
	// docs/upstream.md U124: display twins depend on the locale and are not copied.
	for _, name := range []string{"record_name_formatted", "created_time_formatted", "last_modified_time_formatted"} {
		delete(record, name)
	}
	if fields, err := json.Marshal(rows); err == nil {
		record["fields"] = fields
	}
}

// wideNetworks and wideModules are those of the sandbox that the configuration names.
func wideNetworks() []string { return []string{"partners", "agency"} }
func wideModules() []string  { return []string{"cm_assets", "cm_vehicles"} }

// newWideStage opens a fixture that copies everything.
func newWideStage(t *testing.T, options sandbox.Options) *fixture {
	t.Helper()
	options.Networks, options.CustomModules = wideNetworks(), wideModules()
	options.Limits = sandbox.Limits{Off: true} // sluice's own limits apply; see inTurns
	s := newFixture(t, options)
	must(t, os.WriteFile(s.config, []byte(s.wideConfiguration()), 0o600))
	return s
}

func (s *fixture) wideConfiguration() string {
	return fmt.Sprintf(`database: {url: "${SLUICE_DATABASE_URL}"}
vendor: {name: Svc, api_url: %[1]q, chat_url: %[1]q, auth_url: %[1]q}
organizations:
  - name: sandbox
    id: %[2]q
    data_center: com
    credentials: {client_id: %[3]q, client_secret: "${SANDBOX_CLIENT_SECRET}", refresh_token: "${SANDBOX_REFRESH_TOKEN}"}
    services:
      accounting: {plan: premium, custom_modules: [%[4]s]}
      invoicing: {plan: free}
      billing: {plan: free}
      inventory: {plan: premium}
      chat: {plan: free, networks: [%[5]s]}
resources:
  accounting.expenses: {enabled: true}
  invoicing.contact_persons: {enabled: true}
`, s.upstream.URL, sandbox.DefaultOrganizationID, sandbox.ClientID, strings.Join(wideModules(), ", "), strings.Join(wideNetworks(), ", "))
}

// inTurns syncs everything, service by service, each in a process and a minute of its own, because
// a minute allows a hundred calls.
func (s *fixture) inTurns() map[string]streamResult {
	s.t.Helper()
	results := map[string]streamResult{}
	for _, service := range []string{"inventory", "accounting", "invoicing", "billing", "chat"} {
		s.pass(2 * time.Minute)
		for _, stream := range s.sync(codeFine, service).Streams {
			results[stream.Service+"."+stream.Resource] = stream
		}
	}
	return results
}

// wideEqual compares all tables with upstream. It gives the rows whose record is gone.
func (s *fixture) wideEqual() int {
	s.t.Helper()
	gone := 0
	for _, r := range wideResources() {
		truth := s.world.Truth(r.service, r.name)
		if r.name == "contact_persons" {
			truth = s.ofSeen(r.service, truth)
		}
		result := sure(oracle.Compare(s.t.Context(), s.conn, r.service, r.name, sandbox.DefaultOrganizationID, adapted(truth, r.adapt)))(s.t)
		if result.Different > 0 || result.Undeclared > 0 {
			s.t.Errorf("%s.%s: %d differences in %d records, %d rows with keys that no column takes:\n%s", r.service, r.name,
				result.Different, result.Live, result.Undeclared, strings.Join(result.Differences, "\n"))
		}
		for key, n := range result.Unmapped {
			s.t.Errorf("%s.%s: no column and no table takes the key %s (%d times)", r.service, r.name, key, n)
		}
		errorIf(s.t, result.Live == 0, "%s.%s: upstream has no record, so nothing was compared", r.service, r.name)
		gone += result.Gone
	}
	return gone
}

func adapted(truth iter.Seq[json.RawMessage], adapt func(map[string]json.RawMessage)) iter.Seq[json.RawMessage] {
	if adapt == nil {
		return truth
	}
	return func(yield func(json.RawMessage) bool) {
		for raw := range truth {
			var record map[string]json.RawMessage
			if json.Unmarshal(raw, &record) == nil {
				adapt(record)
				raw, _ = json.Marshal(record)
			}
			if !yield(raw) {
				return
			}
		}
	}
}

// ofSeen leaves out the persons of contacts that no document upstream names: sluice knows only
// those parents. Credit notes name customers, bills and payments name vendors; a service of
// customers has no vendors.
func (s *fixture) ofSeen(service string, persons iter.Seq[json.RawMessage]) iter.Seq[json.RawMessage] {
	var document struct {
		Vendor   string `json:"vendor_id"`
		Customer string `json:"customer_id"`
		Contact  string `json:"contact_id"`
	}
	seen := map[string]bool{}
	for _, list := range [][2]string{{"inventory", "credit_notes"}, {"inventory", "bills"}, {"accounting", "vendor_payments"}} {
		for raw := range s.world.Truth(list[0], list[1]) {
			document.Vendor, document.Customer = "", ""
			must(s.t, json.Unmarshal(raw, &document))
			seen[document.Customer] = true
			if service == "accounting" {
				seen[document.Vendor] = true
			}
		}
	}
	delete(seen, "")
	return func(yield func(json.RawMessage) bool) {
		for raw := range persons {
			document.Contact, document.Customer = "", ""
			must(s.t, json.Unmarshal(raw, &document))
			if (seen[document.Contact] || seen[document.Customer]) && !yield(raw) {
				return
			}
		}
	}
}
