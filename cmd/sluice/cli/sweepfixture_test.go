package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"sluice/sandbox"
)

// believing makes a second scan count although it follows at once.
const believing = "tombstones: {apart: 0s}\n"

// age makes rows an hour older: a scan says nothing about rows that were first seen in the second
// in which it began.
func (s *fixture) age() {
	s.t.Helper()
	for resource := range idKeys() {
		s.exec("UPDATE " + resource + " SET _first_seen_at = _first_seen_at - interval '1 hour'")
	}
}

// configured adds to the configuration.
func (s *fixture) configured(more string) {
	s.t.Helper()
	text := sure(os.ReadFile(s.config))(s.t)
	must(s.t, os.WriteFile(s.config, append(text, more...), 0o600))
}

// delete deletes records upstream.
func (s *fixture) delete(resource string, ids ...string) {
	s.t.Helper()
	s.deleteOf(business{id: sandbox.DefaultOrganizationID}, resource, ids...)
}

// deleteOf deletes records of a business upstream.
func (s *fixture) deleteOf(of business, resource string, ids ...string) {
	s.t.Helper()
	body := sure(json.Marshal(map[string]any{"resource": resource, "ids": ids}))(s.t)
	address := "http://127.0.0.1/_sandbox/delete?organization=" + of.id + "&dc=" + of.dataCenter
	r := httptest.NewRequestWithContext(s.t.Context(), http.MethodPost, address, strings.NewReader(string(body)))
	r.RemoteAddr = "127.0.0.1:1"
	w := httptest.NewRecorder()
	s.world.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		s.t.Fatalf("delete %s %v: %d %s", resource, ids, w.Code, w.Body)
	}
}

// idKeys are the keys of the resources of these tests.
func idKeys() map[string]string {
	return map[string]string{
		"inventory.bills": "bill_id", "inventory.items": "item_id", "inventory.credit_notes": "creditnote_id",
		"accounting.chart_of_accounts": "account_id", "accounting.vendor_payments": "payment_id",
	}
}

// truth are the identifiers of upstream's records.
func (s *fixture) truth(resource string) []string {
	s.t.Helper()
	service, name, _ := strings.Cut(resource, ".")
	var ids []string
	for raw := range s.world.Truth(service, name) {
		var record map[string]any
		must(s.t, json.Unmarshal(raw, &record))
		ids = append(ids, fmt.Sprint(record[idKeys()[resource]]))
	}
	slices.Sort(ids)
	return ids
}

// ids are the keys of the rows that a condition selects.
func (s *fixture) ids(resource, condition string) []string {
	s.t.Helper()
	rows := sure(s.conn.Query(s.t.Context(), "SELECT "+idKeys()[resource]+" FROM "+resource+" WHERE "+condition+" ORDER BY 1"))(s.t)
	ids := sure(pgx.CollectRows(rows, pgx.RowTo[string]))(s.t)
	slices.Sort(ids)
	return ids
}

// truthful compares live rows with upstream.
func (s *fixture) truthful(resource string) {
	s.t.Helper()
	if want, got := s.truth(resource), s.ids(resource, live); !slices.Equal(want, got) {
		s.t.Errorf("%s: %d live rows, upstream has %d records, and they are not the same", resource, len(got), len(want))
	}
}

const (
	live = "_deleted_at IS NULL"
	dead = "_deleted_at IS NOT NULL"
)

// edit changes records of a resource.
func (s *fixture) edit(seed int64, resource string, edits int) {
	s.t.Helper()
	_, name, _ := strings.Cut(resource, ".")
	sure(s.world.Change(sandbox.Change{Seed: seed, Edits: edits, Resources: []string{name}}))(s.t)
}
