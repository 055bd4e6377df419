package engine

import (
	"errors"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
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
				check.ErrorIf(t, pipeline.KindOf(err) != pipeline.Denied || !strings.Contains(err.Error(), test.denied),
					"got %v, want denied with %q", err, test.denied)
			case test.want == warehouse.Identity{}:
				check.ErrorIf(t, pipeline.KindOf(err) != pipeline.Unexpected, "got %v, want unexpected", err)
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
		check.ErrorIf(t, got == "" != (test.want == "") || !strings.Contains(got, test.want), "%s: got %q, want %q", name, got, test.want)
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
		got := cannotList(test.err)
		check.ErrorIf(t, got != test.want, "%s: %v, want %v", name, got, test.want)
	}
}

// plannable returns the schemas in which the plans of these tests may create objects.
func plannable() []string { return []string{"custom", "inventory"} }

// TestHarmless: a plan may only create new objects in the given schemas.
func TestHarmless(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]bool{
		`CREATE SCHEMA IF NOT EXISTS "custom"`:                          true,
		`COMMENT ON SCHEMA "custom" IS 'Lists.'`:                        true,
		"CREATE TABLE \"custom\".\"things\" (\n  \"a\" text\n)":         true,
		`ALTER TABLE "custom"."things" ADD COLUMN "b" numeric`:          true,
		`COMMENT ON COLUMN "custom"."things"."b" IS 'It; or its twin.'`: true,
		`COMMENT ON TABLE "custom"."things" IS 'DROP TABLE.'`:           true,
		`CREATE INDEX "things_details" ON "custom"."things" ("a")`:      true,
		`ALTER TABLE "custom"."things" DROP COLUMN "b"`:                 false,
		`ALTER TABLE "inventory"."bills" ADD COLUMN "b" numeric`:        true,
		`ALTER TABLE "sluice"."streams" ADD COLUMN "b" numeric`:         false,
		`CREATE TABLE "inventory"."things" ("a" text)`:                  true,
		`CREATE TABLE "mart"."things" ("a" text)`:                       false,
		`DROP TABLE "custom"."things"`:                                  false,
		`CREATE SCHEMA IF NOT EXISTS "river"`:                           false,
		`ALTER TABLE "custom"."things" ALTER COLUMN "b" TYPE text`:      false,
		`UPDATE "custom"."things" SET "b" = 1`:                          false,
		`CREATE INDEX "x" ON "sluice"."streams" ("a")`:                  false,
		"COMMENT ON TABLE \"custom\".\"t\" IS 'x';\nDROP SCHEMA sluice": false,
	} {
		err := harmless(statement+";\n", plannable())
		check.ErrorIf(t, (err == nil) != want, "%s: got %v, want it to be allowed: %v", statement, err, want)
	}
}

func TestPlanOf(t *testing.T) {
	t.Parallel()
	const column = "ALTER TABLE \"custom\".\"t\" ADD COLUMN \"b\" text;\n"
	plan, err := planOf("-- +goose Up\n-- by hand: custom.t.a is no longer declared; decide\n"+column, true, plannable())
	check.ErrorIf(t, err != nil || plan.SQL != column || len(plan.Notes) != 1 || plan.Notes[0] != "custom.t.a is no longer declared; decide",
		"got %+v, %v", plan, err)
	again, _ := planOf("-- +goose Up\n"+column, true, plannable())
	other, _ := planOf("-- +goose Up\n"+column+column, true, plannable())
	said, _ := planOf("COMMENT ON COLUMN \"custom\".\"t\".\"b\" IS 'It; or its twin.';\n", true, plannable())
	check.ErrorIf(t, said.needed() || !plan.needed(), "a plan of comments is needed, or one that adds a column is not")
	check.ErrorIf(t, again.ID != plan.ID || other.ID == plan.ID || len(plan.ID) != 10,
		"ids %s, %s, %s: the same statements have the same one, others another", plan.ID, again.ID, other.ID)
	nothing, err := planOf("-- +goose Up\n-- by hand: something\n", false, plannable())
	check.ErrorIf(t, err != nil || nothing.SQL != "" || nothing.ID != "", "a draft without statements: %+v, %v", nothing, err)
	_, err = planOf("-- +goose Up\nDROP SCHEMA sluice;\n", true, plannable())
	check.ErrorIf(t, err == nil, "a draft that drops is a plan")
}
