package engine

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"sluice/pipeline/warehouse/exports"
	"sluice/schema"
)

// chooseRelations returns the tables and views that a command line names, in their order. A name is
// schema and table ("inventory.bills"), service and resource, or the table alone where one schema
// has it; * stands for any characters. With a day, only schema as_of is meant, and else all but it.
func (a *App) chooseRelations(known []exports.Relation, names []string, day, organization string) ([]exports.Relation, error) {
	taken := make([]bool, len(known))
	for _, name := range names {
		matched, err := a.matching(known, name, day)
		if err != nil {
			return nil, err
		}
		several := strings.Contains(name, "*")
		matched = slices.DeleteFunc(matched, func(at int) bool {
			return several && organization != "" && !known[at].HasOrganization()
		})
		if len(matched) == 0 && day != "" {
			return nil, fmt.Errorf("%w: %q is no table and no view of schema as_of that this role may export: "+
				"sluice migrate makes those of lists with history: true, and sluice export lists them", ErrUsage, name)
		}
		if len(matched) == 0 {
			return nil, fmt.Errorf("%w: %q is no table and no view that this role may export: sluice export lists them", ErrUsage, name)
		}
		if at := matched[0]; organization != "" && !known[at].HasOrganization() {
			return nil, fmt.Errorf("%w: rows of %s belong to no organization: leave out --org", ErrUsage, known[at].Full())
		}
		for _, at := range matched {
			taken[at] = true
		}
	}
	var chosen []exports.Relation
	for i := range known {
		if taken[i] {
			chosen = append(chosen, known[i])
		}
	}
	return chosen, nil
}

// matching returns the places of the relations that one name means.
func (a *App) matching(known []exports.Relation, name, day string) ([]int, error) {
	if strings.ContainsAny(name, `?[\/`) { // path knows more than *
		return nil, fmt.Errorf("%w: %q is no name: only * stands for other characters", ErrUsage, name)
	}
	var found, short []int
	full := a.tableOf(name)
	for i := range known {
		r := &known[i]
		past := r.Schema == exports.SchemaAsOf
		matched, err := path.Match(full, r.Full())
		if err != nil {
			return nil, fmt.Errorf("%w: %q: %w", ErrUsage, name, err)
		}
		switch {
		case matched && past && day == "":
			if !strings.Contains(name, "*") || strings.HasPrefix(name, exports.SchemaAsOf+".") {
				return nil, fmt.Errorf("%w: %s has the rows of a day: add --as-of, such as --as-of 2026-10-31", ErrUsage, r.Full())
			}
		case matched && !past && day != "":
			if !strings.Contains(name, "*") {
				return nil, fmt.Errorf("%w: %s has the rows of now: with --as-of, name a table or view of schema as_of", ErrUsage, r.Full())
			}
		case matched:
			found = append(found, i)
		case r.Name == name && past == (day != ""):
			short = append(short, i)
		}
	}
	if len(found) > 0 || len(short) < 2 {
		return append(found, short...), nil
	}
	candidates := make([]string, len(short))
	for i, at := range short {
		candidates[i] = known[at].Full()
	}
	return nil, fmt.Errorf("%w: %q means %s: write one of them", ErrUsage, name, strings.Join(candidates, " and "))
}

// tableOf is the table of a list that the configuration declares: of accounting.price_lists it is
// custom.price_lists. Other names stay.
func (a *App) tableOf(name string) string {
	for service, resource := range schema.Each(a.Catalogue) {
		if name == service.Name+"."+resource.Name {
			return resource.SchemaName(service) + "." + resource.Name
		}
	}
	return name
}
