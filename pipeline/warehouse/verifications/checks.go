// Package verifications stores what verifications found, in tables of its own, and runs the checks:
// views that must be empty.
//
// It changes no row of the warehouse, and makes no call. Package verify of lineage decides what is
// checked and what a difference means.
//
// Start reading at Store.Checks, then Store.Begin.
package verifications

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/contents"
	"sluice/pipeline/warehouse/postgres"
)

// Severity is a closed set: what a finding means.
type Severity string

// The severities.
const (
	// Violation: a fault.
	Violation Severity = "violation"
	// Notice: worth a look, but no fault by itself.
	Notice Severity = "notice"
)

// Source is a closed set: what a finding rests on.
type Source string

// The sources.
const (
	// SourceCheck: a view that must be empty.
	SourceCheck Source = "check"
	// SourceRow: a row compared with the raw records that it was made of.
	SourceRow Source = "row"
	// SourceUpstream: a row compared with a record that upstream just sent.
	SourceUpstream Source = "upstream"
)

// Finding is one result. It never contains a text of a record: records carry personal data.
type Finding struct {
	Severity Severity `db:"severity" json:"severity"`
	Source   Source   `db:"source"   json:"source"`
	// Code is the name of the check, or what is wrong in one word.
	Code         string `db:"code"            json:"code"`
	Organization string `db:"organization_id" json:"organization,omitempty"`
	Service      string `db:"service"         json:"service,omitempty"`
	Resource     string `db:"resource"        json:"resource,omitempty"`
	// Record is the key; empty if the finding is about no record.
	Record string `db:"record_id" json:"record,omitempty"`
	// Path is the first value that differs: line_items[2].rate.
	Path string `db:"path" json:"path,omitempty"`
	// Detail describes it.
	Detail string `db:"detail" json:"detail"`
	// Call brought the record that the row was compared with; zero if there was none.
	Call int64 `db:"call_id" json:"call,omitempty"`
}

// Store reads and writes the warehouse. It is safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// New makes a store over the connections of a warehouse.
func New(pool *pgxpool.Pool) *Store { return &Store{pool: pool} }

// Look runs fn on one snapshot of the warehouse.
func (s *Store) Look(ctx context.Context, fn func(contents.View) error) error {
	return contents.Look(ctx, s.pool, fn)
}

// Check is a view that must be empty, and the rows in it.
type Check struct {
	Name     string   `db:"name"     json:"name"`
	Severity Severity `db:"severity" json:"severity"`
	// Means says what a row in the view means.
	Means string `db:"means" json:"means"`
	// Found is how many rows the view has.
	Found int64 `db:"-" json:"found"`
	// Findings are the first of them.
	Findings []Finding `db:"-" json:"-"`
}

// Scope narrows checks; the zero value means everything.
type Scope struct {
	Organization string
	// Resources are names after a service or a schema: inventory.bills.
	Resources []string
}

const (
	// shownOfCheck is how many rows of a view become findings; all are counted.
	shownOfCheck = 50

	sqlChecks = `SELECT name, severity, means FROM sluice.checks ORDER BY name`

	// Streams of single records belong to their resource.
	sqlRunCheck = `
SELECT organization_id, service, resource, record_id, detail, count(*) OVER () FROM %s
WHERE ($1 = '' OR organization_id IN ($1, '')) AND ($2::text[] IS NULL OR service || '.' || split_part(resource, '.', 1) = ANY($2))
ORDER BY organization_id, service, resource, record_id LIMIT $3`
)

// Checks runs all checks, without a call.
func (s *Store) Checks(ctx context.Context, scope Scope) ([]Check, error) {
	checks, err := postgres.Read[Check](ctx, s.pool, "the list of checks", sqlChecks)
	if err != nil {
		return nil, err
	}
	for i := range checks {
		err := s.check(ctx, &checks[i], scope)
		if gone(err) {
			checks[i].Found, checks[i].Findings = 1, []Finding{{
				Severity: Violation, Source: SourceCheck, Code: checks[i].Name,
				Detail: "it cannot be looked at: its view, or a table that it reads, was dropped or altered",
			}}
			continue // the other checks still run
		}
		if err != nil {
			return nil, fmt.Errorf("check %s: %w", checks[i].Name, err)
		}
	}
	return checks, nil
}

// gone says that a table, a column or a function that a statement names does not exist: 42P01,
// 42703, 42883.
func gone(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains([]string{"42P01", "42703", "42883"}, answer.Code)
}

func (s *Store) check(ctx context.Context, c *Check, scope Scope) error {
	sql := fmt.Sprintf(sqlRunCheck, pgx.Identifier{"sluice", "check_" + c.Name}.Sanitize())
	found := Finding{Severity: c.Severity, Source: SourceCheck, Code: c.Name}
	into := []any{&found.Organization, &found.Service, &found.Resource, &found.Record, &found.Detail, &c.Found}
	return postgres.Each(ctx, s.pool, "reading its view", into, func() error {
		c.Findings = append(c.Findings, found)
		return nil
	}, sql, scope.Organization, scope.Resources, shownOfCheck)
}
