package upstream_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
)

// TestScopes: the scopes of the last answer with a token are there for all processes, without a
// request. What is no scope is left out: they are stored in clear.
func TestScopes(t *testing.T) {
	t.Parallel()
	body := func(scope string) string {
		return fmt.Sprintf(`{"access_token":"%s","expires_in":3600%s}`, canaryToken, scope)
	}
	for name, c := range map[string]struct {
		scope string
		want  []string
	}{
		"blanks":      {`,"scope":"SvcBooks.bills.READ SvcChat.Channels.READ"`, []string{"SvcBooks.bills.READ", "SvcChat.Channels.READ"}},
		"commas":      {`,"scope":"SvcBooks.bills.READ, SvcCRM.notifications.ALL"`, []string{"SvcBooks.bills.READ", "SvcCRM.notifications.ALL"}},
		"none":        {``, nil},
		"empty":       {`,"scope":" , "`, nil},
		"null":        {`,"scope":null`, nil},
		"secrets":     {`,"scope":"SvcBooks.bills.READ ` + canaryRefresh + ` x` + canarySecret + ` ` + canaryToken + `"`, []string{"SvcBooks.bills.READ"}},
		"no scopes":   {`,"scope":"a\u0000b ü SvcBooks.bills.READ ` + strings.Repeat("x", 201) + `"`, []string{"SvcBooks.bills.READ"}},
		"of a length": {`,"scope":"` + strings.Repeat("x", 200) + `"`, []string{strings.Repeat("x", 200)}},
	} {
		r := newTokenFixture(t, answer(200, jsonType, body(c.scope)))
		if err := r.ask(t); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r.advance(2 * time.Hour) // the token is dead, what was granted is not
		got, err := r.process(t).Scopes(t.Context(), one)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil || len(r.seen()) != 1 {
			t.Errorf("%s: %v after %d requests (-want +got):\n%s", name, err, len(r.seen()), diff)
		}
	}
}

// TestScopesOfNoGrant: nothing is said of a credential that is not known or denied.
func TestScopesOfNoGrant(t *testing.T) {
	t.Parallel()
	o := &consentOffice{says: []string{`{"access_token":"` + canaryToken + `","expires_in":3600,"scope":"SvcBooks.bills.READ"}`}}
	r := newTokenFixture(t, o.ServeHTTP)
	expect := func(when string, want []string) {
		t.Helper()
		if got, err := r.process(t).Scopes(t.Context(), one); err != nil || !cmp.Equal(want, got) {
			t.Errorf("%s: %q, %v, want %q", when, got, err, want)
		}
	}
	expect("before the first token", nil)
	if len(r.seen()) > 0 || len(r.store.rows) > 0 {
		t.Errorf("%d requests, %d rows, want none", len(r.seen()), len(r.store.rows))
	}
	if err := r.ask(t); err != nil {
		t.Fatal(err)
	}
	expect("with a token", []string{"SvcBooks.bills.READ"})
	o.tell(says("invalid_code"), says("invalid_code"))
	r.advance(2 * time.Hour)
	r.mustFail(t, r.ask(t), pipeline.Unavailable)
	expect("after one refusal", []string{"SvcBooks.bills.READ"})
	r.advance(time.Hour)
	r.mustFail(t, r.ask(t), pipeline.Denied)
	expect("of a denied credential", nil)

	process := r.process(t)
	_, err := process.Scopes(t.Context(), &pipeline.Organization{Key: "stranger"})
	r.mustFail(t, err, pipeline.Denied)
	r.store.err = errors.New("no connection")
	_, err = process.Scopes(t.Context(), one)
	r.mustFail(t, err, pipeline.Unavailable)
}
