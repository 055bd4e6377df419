package engine

import (
	"context"
	"slices"
	"strings"

	"sluice/schema"
	"sluice/schema/custom"
	"sluice/schema/ddl"
)

// Lacking returns what a migrated database lacks of the tables of built-in resources, because
// something else dropped or altered them.
func (a *App) Lacking(ctx context.Context) ([]ddl.Lack, error) {
	lacks, _, err := a.lacking(ctx)
	return lacks, err
}

// lacking also returns what the database has.
func (a *App) lacking(ctx context.Context) ([]ddl.Lack, ddl.Catalog, error) {
	services := a.options.Catalogue
	existing, err := CatalogOf(ctx, a.URL, schemasOf(services))
	if err != nil {
		return nil, nil, err
	}
	return ddl.Lacks(services, existing), existing, nil
}

// schemasOf returns the schemas with the tables of services.
func schemasOf(services []schema.Service) []string {
	var schemas []string
	for service, resource := range schema.Each(services) {
		schemas = append(schemas, resource.SchemaName(service))
	}
	slices.Sort(schemas)
	return slices.Compact(schemas)
}

// Restoring says what to do to restore the rows or values after the missing table or column was
// made again.
func Restoring(l ddl.Lack) string {
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

// restore drafts the statements that make what the database lacks of the tables of built-in
// resources.
func (a *App) restore(ctx context.Context) (string, []ddl.Lack, error) {
	lacks, existing, err := a.lacking(ctx)
	if err != nil || len(lacks) == 0 {
		return "", nil, err
	}
	services := slices.Clone(a.options.Catalogue)
	for i := range services {
		services[i].Resources = slices.DeleteFunc(slices.Clone(services[i].Resources), func(r schema.Resource) bool {
			return !slices.ContainsFunc(lacks, func(l ddl.Lack) bool { return l.Service == services[i].Name && l.Resource == r.Name })
		})
	}
	sql, changed := ddl.Draft(slices.DeleteFunc(services, func(s schema.Service) bool { return len(s.Resources) == 0 }), existing)
	if !changed {
		sql = ""
	}
	var b strings.Builder
	for line := range strings.Lines(sql) { // a plan reports nothing about other objects in these schemas
		if !strings.HasPrefix(line, "-- ") || strings.Contains(line, "is missing and must not be null") {
			b.WriteString(line)
		}
	}
	return b.String(), lacks, nil
}

// plannable returns the schemas in which a plan may create objects.
func (a *App) plannable() []string { return append(schemasOf(a.options.Catalogue), custom.Schema) }
