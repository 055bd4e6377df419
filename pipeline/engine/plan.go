package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"sluice/migrations"
	"sluice/pipeline/warehouse"
	"sluice/schema"
	"sluice/schema/custom"
	"sluice/schema/ddl"
)

// Plan is what the user-declared resources of the configuration need in the database, and what
// restores dropped tables and columns of built-in resources. The operator reads it before it is
// executed.
type Plan struct {
	// ID is a short hash of the statements, so that the operator accepts exactly the statements
	// shown.
	ID string `json:"id"`
	// SQL has the statements; "" if there is nothing to do.
	SQL string `json:"sql"`
	// Notes are changes to make by hand: a plan never drops anything and never changes a type.
	Notes []string `json:"notes,omitempty"`
	// Lacking says what is missing or altered of the tables of built-in resources, and what
	// restores the contents.
	Lacking []string `json:"lacking,omitempty"`
}

// Plan compares the user-declared resources and the program's own tables with the database, which
// has to be migrated.
func (a *App) Plan(ctx context.Context) (Plan, error) {
	restoring, lacks, err := a.restore(ctx)
	if err != nil {
		return Plan{}, err
	}
	declared, changed, err := a.declared(ctx)
	if err != nil {
		return Plan{}, err
	}
	plan, err := planOf(restoring+declared, changed || restoring != "", a.plannable())
	for _, lack := range lacks {
		plan.Lacking = append(plan.Lacking, lack.String()+"; "+Restoring(lack))
	}
	return plan, err
}

// declared drafts what the user-declared resources need in the database.
func (a *App) declared(ctx context.Context) (string, bool, error) {
	services := a.customServices()
	if len(services) == 0 {
		return "", false, nil
	}
	existing, err := CatalogOf(ctx, a.URL, []string{custom.Schema})
	if err != nil {
		return "", false, err
	}
	sql, changed := ddl.Draft(services, existing)
	return sql, changed, nil
}

// needed reports whether the plan makes more than comments, without which the program still works.
func (p Plan) needed() bool {
	for statement := range strings.SplitSeq(p.SQL, ";\n") {
		if statement = strings.TrimSpace(statement); statement != "" && !strings.HasPrefix(statement, "COMMENT ON ") {
			return true
		}
	}
	return false
}

// Accept executes the plan with the ID that the operator has read, and refuses any other plan.
// Patience is how long it waits for locks of other sessions.
func (a *App) Accept(ctx context.Context, id string, patience time.Duration) error {
	options := a.migrating(patience)
	err := migrations.Execute(ctx, a.URL, options, func(ctx context.Context) (string, error) {
		plan, err := a.Plan(ctx)
		if err == nil && plan.SQL != "" && plan.ID != id {
			err = fmt.Errorf("%w: the plan is %s and not %q: run sluice migrate again and read it", ErrUsage, plan.ID, id)
		}
		return plan.SQL, err
	})
	if err != nil {
		return fmt.Errorf("accept the plan: %w", err)
	}
	if err := migrations.Migrate(ctx, a.URL, options); err != nil { // views of the tables that the plan made
		return fmt.Errorf("the plan is executed, making its views: %w", err)
	}
	return nil
}

// Declare makes sluice.columns say what is declared of the columns that the database has, and
// reports whether it changed anything.
func (a *App) Declare(ctx context.Context) (bool, error) {
	changed, err := migrations.Declare(ctx, a.URL, a.Catalogue)
	return changed > 0, err
}

// GrantWorker lets a role run every command but migrate.
func (a *App) GrantWorker(ctx context.Context, role string) error {
	err := migrations.GrantWorker(ctx, a.URL, role)
	if errors.Is(err, migrations.ErrNoRole) {
		return fmt.Errorf("%w: --worker: %w", ErrUsage, err)
	}
	return err
}

// customServices returns the services with only their user-declared resources.
func (a *App) customServices() []schema.Service {
	var services []schema.Service
	for _, service := range a.Catalogue {
		service.Resources = slices.DeleteFunc(slices.Clone(service.Resources), func(r schema.Resource) bool {
			return r.Schema != custom.Schema
		})
		if len(service.Resources) > 0 {
			services = append(services, service)
		}
	}
	return services
}

// planOf makes a plan of a draft that may create objects in the given schemas.
func planOf(draft string, changed bool, schemas []string) (Plan, error) {
	var plan Plan
	var sql strings.Builder
	for line := range strings.Lines(draft) {
		note, isNote := strings.CutPrefix(line, "-- by hand: ")
		switch {
		case isNote:
			plan.Notes = append(plan.Notes, strings.TrimSpace(note))
		case !strings.HasPrefix(line, "-- +goose") && !strings.HasPrefix(line, "-- sluice:"):
			sql.WriteString(line)
		}
	}
	if !changed {
		return plan, nil
	}
	plan.SQL = strings.TrimSpace(sql.String()) + "\n"
	if err := harmless(plan.SQL, schemas); err != nil {
		return Plan{}, err
	}
	sum := sha256.Sum256([]byte(plan.SQL))
	const shown = 5 // bytes: enough to tell the plans apart that an operator sees
	plan.ID = hex.EncodeToString(sum[:shown])
	return plan, nil
}

// harmless returns an error if a plan has a statement that does more than create something new in
// the given schemas. Sentences of declarations have no line breaks, so a statement ends where a
// line ends with a semicolon.
func harmless(sql string, schemas []string) error {
	for statement := range strings.SplitSeq(sql, ";\n") {
		if statement = strings.TrimSpace(statement); statement == "" {
			continue
		}
		found := making.FindStringSubmatch(statement)
		if found == nil || !slices.Contains(schemas, strings.Join(found[1:], "")) { // one of the groups matched
			return fmt.Errorf("the plan holds a statement that no plan may hold, and nothing is done: %.200s", statement)
		}
	}
	return nil
}

// making matches the beginning of each permitted statement, with the schema that it changes.
var making = regexp.MustCompile(`^(?:CREATE SCHEMA IF NOT EXISTS "(\w+)"$|COMMENT ON SCHEMA "(\w+)" IS |` +
	`(?:CREATE TABLE|COMMENT ON TABLE|COMMENT ON COLUMN|CREATE INDEX "\w+" ON) "(\w+)"\.|ALTER TABLE "(\w+)"\."\w+" ADD COLUMN )`)

// CatalogOf reads the tables and columns of some schemas of a database, in the types of package
// ddl. It leaves out schemas without tables.
func CatalogOf(ctx context.Context, url string, schemas []string) (ddl.Catalog, error) {
	db, err := warehouse.Open(ctx, url, warehouse.Options{})
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	defer db.Close()
	found, err := db.Catalog(ctx, schemas)
	if err != nil {
		return nil, fmt.Errorf("read the tables: %w", err)
	}
	catalog := make(ddl.Catalog, len(schemas))
	for full, columns := range found.Columns {
		name, table, _ := strings.Cut(full, ".")
		if catalog[name] == nil {
			catalog[name] = make(map[string]ddl.ExistingTable)
		}
		entry := ddl.ExistingTable{Comment: found.Comments[full], Columns: make(map[string]ddl.ExistingColumn, len(columns))}
		for column, kind := range columns {
			entry.Columns[column] = ddl.ExistingColumn{Type: kind, Comment: found.Comments[full+"."+column]}
		}
		catalog[name][table] = entry
	}
	return catalog, nil
}
