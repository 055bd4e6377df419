package engine //nolint:testpackage // what an answer means is not exported

import (
	"errors"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/warehouse"
)

// TestIdentityIn reads answers as docs/upstream.md U151 shows them, and in the variants of U131 and
// U133.
func TestIdentityIn(t *testing.T) {
	t.Parallel()
	o := &config.Organization{Name: "acme", ID: "10234695"}
	for name, test := range map[string]struct {
		answer string
		want   warehouse.Identity
		denied string
	}{
		"as documented": {
			answer: `[{"organization_id":"1","name":"Other"},{"organization_id":"10234695","name":"Acme","time_zone":"Asia/Kolkata","is_org_active":true}]`,
			want:   warehouse.Identity{Name: "Acme", TimeZone: "Asia/Kolkata", Active: true},
		},
		"a bare number": {
			answer: `[{"organization_id":10234695,"name":"Acme","is_org_active":"false"}]`,
			want:   warehouse.Identity{Name: "Acme"},
		},
		"activity not said": {
			answer: `[{"organization_id":"10234695","name":"Acme","time_zone":""}]`,
			want:   warehouse.Identity{Name: "Acme", Active: true},
		},
		"others":      {answer: `[{"organization_id":"102346950","name":"Beta"}]`, denied: `belong to other businesses: "Beta" (102346950)`},
		"nobody":      {answer: `[]`, denied: "belong to other businesses: none"},
		"very many":   {answer: `[` + strings.Repeat(`{"organization_id":"1","name":"B"},`, 6) + `{"organization_id":"2"}]`, denied: "and 2 more"},
		"not a list":  {answer: `{"name":"Acme"}`},
		"no elements": {answer: `["Acme"]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := new(App).identityIn([]byte(test.answer), o)
			switch {
			case test.denied != "":
				if pipeline.KindOf(err) != pipeline.Denied || !strings.Contains(err.Error(), test.denied) {
					t.Errorf("got %v, want denied with %q", err, test.denied)
				}
			case test.want == warehouse.Identity{}:
				if pipeline.KindOf(err) != pipeline.Unexpected {
					t.Errorf("got %v, want unexpected", err)
				}
			case err != nil || got != test.want:
				t.Errorf("got %+v, %v, want %+v", got, err, test.want)
			}
		})
	}
}

func TestZoneWarning(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct{ configured, upstream, want string }{
		"the same":            {"Asia/Kolkata", "Asia/Kolkata", ""},
		"another name of it":  {"Asia/Kolkata", "Asia/Calcutta", ""},
		"only upstream":       {"", "Europe/Rome", ""},
		"only configured":     {"Europe/Rome", "", ""},
		"they differ":         {"Europe/Rome", "Asia/Kolkata", "that of the configuration counts"},
		"they differ by DST":  {"Europe/Rome", "Africa/Lagos", "that of the configuration counts"}, // both at +1 in winter
		"neither":             {"", "", "neither upstream nor the configuration"},
		"unknown here":        {"", "India Standard Time", "is not known here"},
		"unknown, configured": {"Asia/Kolkata", "India Standard Time", ""},
	} {
		zoneOf := func(name string) *time.Location { return new(pipeline.Organization).FollowZone(name) }
		o := &config.Organization{TimeZone: test.configured, Location: zoneOf(test.configured)}
		got := zoneWarning(o, zoneOf(test.upstream), test.upstream, now)
		if got == "" != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestCannotList(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"no scope":          {&pipeline.Error{Kind: pipeline.Denied, Status: 401}, true},
		"no such list":      {&pipeline.Error{Kind: pipeline.Unexpected, Status: 404}, true},
		"no token":          {&pipeline.Error{Kind: pipeline.Denied}, false},
		"no answer":         {&pipeline.Error{Kind: pipeline.Unavailable, Status: 503}, false},
		"the day is over":   {&pipeline.Error{Kind: pipeline.Exhausted, Status: 429}, false},
		"not about a call":  {errors.New("database"), false},
		"nothing happened":  {nil, false},
		"an odd answer 200": {&pipeline.Error{Kind: pipeline.Unexpected, Status: 200}, false},
	} {
		if got := cannotList(test.err); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
