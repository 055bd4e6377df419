package sandbox_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
	"sluice/sandbox/world/ledger"
	"sluice/sandbox/world/ledger/figures"
)

func group() []sandbox.OrganizationOptions {
	return []sandbox.OrganizationOptions{{ID: "60099999999", Seed: 2}, {ID: sandbox.DefaultOrganizationID, DataCenter: "eu", Seed: 3}}
}

// TestOraclesOfBooks: every figure is answered as JSON, for each organization, and a wrong question
// says what is right.
func TestOraclesOfBooks(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{World: sandbox.WorldBooks, Records: 300, Organizations: group()})
	for _, name := range append(figures.Names(), "group") {
		for _, of := range []string{"", "?organization=60099999999", "?organization=" + sandbox.DefaultOrganizationID + "&dc=eu&day=2026-01-31"} {
			answer := u.serve(t, http.MethodGet, "/_sandbox/books/"+name+of, nil)
			if body := answer.Body.String(); answer.Code != http.StatusOK || !json.Valid([]byte(body)) || body == "null\n" {
				t.Errorf("%s%s: status %d: %.200s", name, of, answer.Code, body)
			}
		}
	}
	for question, want := range map[string]string{
		"profit": "use one of [activity", "ageing?day=yesterday": "use a date", "group?currency=XYZ": "is unknown",
	} {
		answer := u.serve(t, http.MethodGet, "/_sandbox/books/"+question, nil)
		errorIf(t, answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), want),
			"%s: status %d: %s", question, answer.Code, answer.Body)
	}
	plain := start(t, sandbox.Options{Records: 60})
	equal(t, plain.serve(t, http.MethodGet, "/_sandbox/books/ageing", nil).Code, http.StatusBadRequest, "a world of single records")
}

// TestGroupOfBooks: three currencies under equal identifiers, and one sum in euros.
func TestGroupOfBooks(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{World: sandbox.WorldBooks, Records: 300, Organizations: group()})
	today, err := ledger.ReadDay("2026-03-10")
	must(t, err)
	parts, err := u.Group("EUR", today)
	fatalIf(t, err != nil || len(parts) != 3 || parts[0].Base != "INR" || parts[1].Base != "EUR" || parts[2].Base != "USD",
		"%+v, %v", parts, err)
	for _, part := range parts {
		errorIf(t, part.Base == "EUR" && (part.Rate != 1_000_000 || part.Amount.Cents() != part.Open.Cents()) || part.Amount <= 0, "%+v", part)
	}
	for place, base := range map[[2]string]string{
		{sandbox.DefaultOrganizationID, ""}: "INR", {"60099999999", ""}: "EUR", {sandbox.DefaultOrganizationID, "eu"}: "USD",
	} {
		for raw := range u.TruthOf(place[0], place[1], "accounting", "organizations") {
			errorIf(t, !strings.Contains(string(raw), `"currency_code":"`+base+`"`), "%v: %s", place, raw)
		}
		err := u.Books(place[0], place[1], func(b figures.Books) {
			got := b.Control()
			errorIf(t, got.Difference != 0 || got.Ledger <= 0 || b.Ledger.Today != today, "%v on %s: %+v", place, b.Ledger.Today, got)
		})
		errorIf(t, err != nil, "%v", err)
	}
	err = u.Books("1", "", func(figures.Books) {})
	errorIf(t, err == nil, "an organization that is not there has books")
}

// TestPlantedBooks: at the start, by a call, and gone after a reset but for those of the start.
func TestPlantedBooks(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{World: sandbox.WorldBooks, Records: 300, Plant: []string{"difference"}})
	type control struct{ Difference json.Number }
	shown := func() control {
		var c control
		decode(t, u.serve(t, http.MethodGet, "/_sandbox/books/control", nil), &c)
		return c
	}
	got := shown()
	errorIf(t, got.Difference != "1.00", "planted at the start: %+v", got)
	var planted struct{ IDs []string }
	decode(t, u.send(t, http.MethodPost, "/_sandbox/plant", nil, `{"what":"difference"}`), &planted)
	got = shown()
	errorIf(t, got.Difference != "2.00" || len(planted.IDs) != 1, "planted twice: %+v, %+v", got, planted)
	must(t, u.Reset())
	got = shown()
	errorIf(t, got.Difference != "1.00", "after a reset: %+v", got)
	equal(t, u.send(t, http.MethodPost, "/_sandbox/plant", nil, `{"what":"chaos"}`).Code, http.StatusBadRequest, "an unknown change")
	ids, err := u.Plant(sandbox.DefaultOrganizationID, "", "deletions")
	errorIf(t, err != nil || len(ids) != 3, "deleted %v, %v", ids, err)
	_, err = u.Plant("1", "", "deletions")
	errorIf(t, err == nil, "an organization that is not there is changed")
}

// TestBooksStayClosed: days of a busy life, with changes on demand.
func TestBooksStayClosed(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{
		World: sandbox.WorldBooks, Records: 300, Seed: 5,
		Activity: sandbox.Activity{Inserts: 4, Edits: 5, Silent: 3, Deletes: 1, Restores: 0.5, Payments: 4, Credits: 1},
	})
	bills := 0
	for range 4 {
		u.Advance(36 * time.Hour)
		u.change(t, sandbox.Change{Seed: 3, Inserts: 2, Edits: 3, Deletes: 1})
		err := u.Books(sandbox.DefaultOrganizationID, "", func(b figures.Books) {
			var opening, movement ledger.Amount
			for _, balance := range b.Balances() {
				opening, movement = opening+balance.Opening, movement+balance.Movement
			}
			c := b.Control()
			errorIf(t, c.Difference != 0 || opening != 0 || movement != 0, "control %+v, openings %s, movements %s", c, opening, movement)
			errorIf(t, len(b.Ledger.Bills) <= bills || b.Ledger.Latest <= b.Ledger.Today,
				"%d bills, then %d; the newest document is of %s", bills, len(b.Ledger.Bills), b.Ledger.Latest)
			bills = len(b.Ledger.Bills)
		})
		must(t, err)
	}
}
