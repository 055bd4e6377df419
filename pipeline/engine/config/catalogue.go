package config

import (
	"fmt"
	"slices"

	"sluice/pipeline/engine/config/strict"
	"sluice/schema"
)

// withFurther returns the declared services with those of their further lists that the
// configuration names. It leaves the declared services unchanged.
func (c *checker) withFurther(names []string) []schema.Service {
	services := slices.Clone(c.declared)
	var known []string
	of := make(map[string][2]int) // service and list by name
	for s := range services {
		services[s].Resources = slices.Clone(services[s].Resources)
		for r := range services[s].Further {
			name := services[s].Further[r].Name
			known = append(known, name)
			of[name] = [2]int{s, r}
		}
	}
	for i, name := range names {
		path := fmt.Sprintf("catalogue[%d]", i)
		at, ok := of[name]
		switch {
		case !ok:
			c.failf(path, "there is no ready-made list %q; %s", name, strict.Hint(name, known))
		case slices.Contains(names[:i], name):
			c.failf(path, "%s is named twice: keep one of the two", name)
		default:
			service := &services[at[0]]
			service.Resources = append(service.Resources, service.Further[at[1]])
		}
	}
	return services
}
