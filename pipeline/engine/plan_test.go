package engine //nolint:testpackage // what a plan may hold is decided inside

import "testing"

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
		if err := harmless(statement+";\n", plannable()); (err == nil) != want {
			t.Errorf("%s: got %v, want it to be allowed: %v", statement, err, want)
		}
	}
}

func TestPlanOf(t *testing.T) {
	t.Parallel()
	const column = "ALTER TABLE \"custom\".\"t\" ADD COLUMN \"b\" text;\n"
	plan, err := planOf("-- +goose Up\n-- by hand: custom.t.a is no longer declared; decide\n"+column, true, plannable())
	if err != nil || plan.SQL != column || len(plan.Notes) != 1 || plan.Notes[0] != "custom.t.a is no longer declared; decide" {
		t.Errorf("got %+v, %v", plan, err)
	}
	again, _ := planOf("-- +goose Up\n"+column, true, plannable())
	other, _ := planOf("-- +goose Up\n"+column+column, true, plannable())
	if said, _ := planOf("COMMENT ON COLUMN \"custom\".\"t\".\"b\" IS 'It; or its twin.';\n", true, plannable()); said.needed() || !plan.needed() {
		t.Error("a plan of comments is needed, or one that adds a column is not")
	}
	if again.ID != plan.ID || other.ID == plan.ID || len(plan.ID) != 10 {
		t.Errorf("ids %s, %s, %s: the same statements have the same one, others another", plan.ID, again.ID, other.ID)
	}
	if nothing, err := planOf("-- +goose Up\n-- by hand: something\n", false, plannable()); err != nil || nothing.SQL != "" || nothing.ID != "" {
		t.Errorf("a draft without statements: %+v, %v", nothing, err)
	}
	if _, err := planOf("-- +goose Up\nDROP SCHEMA sluice;\n", true, plannable()); err == nil {
		t.Error("a draft that drops is a plan")
	}
}
