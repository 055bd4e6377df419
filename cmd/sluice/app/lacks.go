package app

import (
	"context"
	"slices"
	"strings"

	"sluice/cmd/sluice/config/custom"
	"sluice/connectors"
	"sluice/schema"
	"sluice/schema/render"
)

// Lacking gives what the database lacks of the program's own tables: it is migrated, and something else dropped or altered them.
func (a *App) Lacking(ctx context.Context) ([]render.Lack, error) {
	lacks, _, err := a.lacking(ctx)
	return lacks, err
}

// lacking gives with it what the database has.
func (a *App) lacking(ctx context.Context) ([]render.Lack, render.Catalog, error) {
	services := connectors.All()
	existing, err := CatalogOf(ctx, a.URL, schemasOf(services))
	if err != nil {
		return nil, nil, err
	}
	return render.Lacks(services, existing), existing, nil
}

// schemasOf are the schemas that hold the tables of services.
func schemasOf(services []schema.Service) []string {
	var schemas []string
	for i := range services {
		for r := range services[i].Resources {
			schemas = append(schemas, services[i].Resources[r].SchemaName(&services[i]))
		}
	}
	slices.Sort(schemas)
	return slices.Compact(schemas)
}

// Restoring says what brings back the rows or values of what was missing, once it is made again.
func Restoring(l render.Lack) string {
	name := l.Service + "." + l.Resource
	switch {
	case l.Type != "":
		return "change the type back by hand, then: sluice rebuild " + name
	case l.Column == "" && strings.HasSuffix(l.Table, "."+l.Resource):
		return "its rows come back by: sluice backfill " + name
	default:
		return "its values come back by: sluice rebuild " + name
	}
}

// restore drafts what the database lacks of the program's own tables.
func (a *App) restore(ctx context.Context) (string, []render.Lack, error) {
	lacks, existing, err := a.lacking(ctx)
	if err != nil || len(lacks) == 0 {
		return "", nil, err
	}
	services := connectors.All()
	for i := range services {
		services[i].Resources = slices.DeleteFunc(slices.Clone(services[i].Resources), func(r schema.Resource) bool {
			return !slices.ContainsFunc(lacks, func(l render.Lack) bool { return l.Service == services[i].Name && l.Resource == r.Name })
		})
	}
	sql, changed := render.Draft(slices.DeleteFunc(services, func(s schema.Service) bool { return len(s.Resources) == 0 }), existing)
	if !changed {
		sql = ""
	}
	var b strings.Builder
	for line := range strings.Lines(sql) { // a plan leaves alone what others made in these schemas
		if !strings.HasPrefix(line, "-- ") || strings.Contains(line, "is missing and must not be null") {
			b.WriteString(line)
		}
	}
	return b.String(), lacks, nil
}

// plannable says that a plan may make things in a schema.
func plannable(name string) bool {
	return name == custom.Schema || slices.Contains(schemasOf(connectors.All()), name)
}
