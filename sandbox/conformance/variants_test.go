package conformance

import (
	"net/http"
	"testing"

	"sluice/sandbox"
)

// docs/upstream.md U108: a list ignores an unknown filter: 200 and the full list. A strict sandbox
// refuses it, so that a client's mistake shows.
func TestUnknownParameters(t *testing.T) {
	t.Parallel()
	send := step{Send: "GET /inventory/v1/items", Query: map[string]string{"colour": "red", "per_page": "2"}, Status: http.StatusOK, Answer: []byte(`{"items":["$object","$object"]}`)}
	newCallerOf(t, sandbox.Options{Limits: sandbox.Limits{Off: true}}, "").play(t, send)

	strict := newCallerOf(t, sandbox.Options{Strict: true, Limits: sandbox.Limits{Off: true}}, "")
	send.Status, send.Answer = http.StatusBadRequest, []byte(`{"code":"$integer","message":"$text","items":"$absent"}`)
	strict.play(t, send)
	strict.play(t, step{
		Send: "GET /inventory/v1/items", Query: map[string]string{"page": "1", "per_page": "2", "sort_column": "name", "sort_order": "A"},
		Status: http.StatusOK, Answer: []byte(`{"items":["$object","$object"]}`),
	})
}

// A strict sandbox accepts every documented parameter of every row: those that the cases send,
// except calls expected to fail for another reason.
func TestStrictTakesWhatDocumentsShow(t *testing.T) {
	t.Parallel()
	for _, f := range readFiles(t, "rows") {
		for _, c := range f.Cases {
			t.Run(f.name+"/"+c.name(), func(t *testing.T) {
				t.Parallel()
				options := c.World.options()
				options.Strict = true
				c.runAt(t, newCallerOf(t, options, c.Scope))
			})
		}
	}
}

// docs/upstream.md U6: an organization uses the suffix of its host region for all endpoints and the
// token flow. Here the region is a prefix.
func TestDataCenters(t *testing.T) {
	t.Parallel()
	const id, variant = "60099999999", "eu"
	caller := newCallerOf(t, sandbox.Options{
		Records: 60, Limits: sandbox.Limits{Off: true},
		Organizations: []sandbox.OrganizationOptions{{ID: id, DataCenter: variant, Seed: 9}},
	}, "")
	at := func(status int, answer string) step {
		return step{
			Send: "GET /dc/eu/books/v3/organizations", Query: map[string]string{"organization_id": id},
			Status: status, Answer: []byte(answer),
		}
	}
	caller.play(t, at(http.StatusUnauthorized, `{"code":57,"message":"$text"}`)) // a token of another data center.
	caller.kept["refresh_token"] = sandbox.RefreshTokenFor(id, variant)
	refresh := step{
		Send: "POST /dc/eu/oauth/v2/token", Without: []string{"token"},
		Query:  map[string]string{"grant_type": "refresh_token", "refresh_token": "${refresh_token}", "client_id": "${client_id}", "client_secret": "${client_secret}"},
		Status: http.StatusOK, Answer: []byte(`{"access_token":"$text","token_type":"Bearer","expires_in":3600}`),
		Keep: map[string]string{"token": "access_token"},
	}
	caller.play(t, refresh)
	caller.token = caller.kept["token"]
	caller.play(t, at(http.StatusOK, `{"code":0,"organizations":[{"organization_id":"60099999999"}]}`))
	caller.play(t, step{Send: "GET /books/v3/chartofaccounts", Status: http.StatusUnauthorized, Answer: []byte(`{"code":57}`)})

	refresh.Send, refresh.Answer, refresh.Keep = "POST /oauth/v2/token", []byte(`{"error":"invalid_code"}`), nil
	caller.play(t, refresh) // a refresh token of another data center.
}
