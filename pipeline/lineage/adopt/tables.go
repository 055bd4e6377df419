package adopt

import (
	"context"
	"fmt"
	"strings"

	"sluice/pipeline/warehouse/adoptions/foreign"
	"sluice/schema"
)

// table is a table of another program as an origin.
type table struct {
	db    *foreign.Database
	of    foreign.Table
	times foreign.Times
}

// Tables returns the tables of a program as origins, in one schema or, for "", in all. Times says
// how times without an offset are read.
func Tables(ctx context.Context, db *foreign.Database, program foreign.Program, in string, times foreign.Times) ([]Origin, error) {
	found, err := db.Tables(ctx, program, in)
	if err != nil {
		return nil, err
	}
	origins := make([]Origin, len(found))
	for i := range found {
		origins[i] = &table{db: db, of: found[i], times: times}
	}
	return origins, nil
}

func (t *table) String() string { return t.of.String() }
func (t *table) Stream() string { return t.of.Stream }
func (t *table) Typed() bool    { return t.of.Layout != foreign.Raw }

func (t *table) Unusable() string {
	if t.of.Layout == foreign.Child {
		return "it holds elements of an array, and not records: single records bring them"
	}
	return ""
}

func (t *table) Losses() []string {
	if !t.Typed() {
		return nil
	}
	var losses []string
	if names := t.of.Inexact(); len(names) > 0 {
		losses = append(losses, "digits can be lost in columns of floating point: "+strings.Join(names, ", "))
	}
	if names := t.of.Naive(); len(names) > 0 {
		read := "in the organization's time zone"
		if t.times == foreign.InUTC {
			read = "in UTC"
		}
		losses = append(losses, fmt.Sprintf("times without an offset were read %s: %s", read, strings.Join(names, ", ")))
	}
	return losses
}

func (t *table) Figures(ctx context.Context, resource *schema.Resource) (foreign.Figures, error) {
	return t.db.Figures(ctx, &t.of, resource.ID)
}

func (t *table) Page(ctx context.Context, resource *schema.Resource, after string, limit int) ([]foreign.Row, error) {
	return t.db.Page(ctx, &t.of, resource.ID, after, limit, t.times)
}
