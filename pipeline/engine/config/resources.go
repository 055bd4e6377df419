package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/pipeline/engine/config/strict"
	"sluice/schema"
	"sluice/schema/redact"
)

// minEvery is the shortest interval between two scheduled runs: below it, runs would follow one
// another without a pause.
const minEvery = time.Minute

// resources applies the overrides to the declared resources.
func (c *checker) resources(doc *document) {
	full := make(map[string]Resource)
	short := make(map[string][]string)
	declared, schemas := make(map[string]*schema.Resource), make(map[string]string)
	for service, r := range schema.Each(doc.Services) {
		every, err := time.ParseDuration(r.Every)
		if err != nil {
			c.Addf("resources", false, "the declaration of %s.%s has no valid interval: %v", service.Name, r.Name, err)
		}
		name, usual := service.Name+"."+r.Name, Resource{Every: every, Enabled: !r.Optional}
		if r.Swept() {
			usual.Sweep = defaultSweep
		}
		if r.Looked() {
			usual.Look = defaultLook
		}
		full[name], declared[name], schemas[name] = usual, r, r.SchemaName(service)
		short[r.Name] = append(short[r.Name], name)
	}
	by := make(map[string]string)
	for _, key := range slices.Sorted(maps.Keys(doc.Resources)) {
		name := c.resourceName(key, full, short)
		if name == "" {
			continue
		}
		if other, double := by[name]; double {
			c.failf("resources."+key, "is the same resource as %s: keep one of the two", other)
			continue
		}
		by[name] = key
		full[name] = c.overridden(full[name], doc.Resources[key], declared[name], "resources."+key)
	}
	hashed := false
	for name, r := range full {
		key := by[name] // "" if the file says nothing about it
		r.LeftOut = c.leftOut(doc, declared[name], doc.Resources[key], "resources."+key, doc.parentsIn(declared[name], schemas[name]))
		hashed = hashed || slices.ContainsFunc(r.LeftOut, func(rule redact.Rule) bool { return rule.How == redact.Hashed })
		full[name] = r
	}
	doc.Config.Resources = full
	c.privacyKey(&doc.Privacy, hashed)
}

// resourceName returns the full name of the resource that a key of resources names; "" if it names
// none.
func (c *checker) resourceName(key string, full map[string]Resource, short map[string][]string) string {
	if _, ok := full[key]; ok {
		return key
	}
	switch names := short[key]; len(names) {
	case 1:
		return names[0]
	case 0:
		allowed := slices.Sorted(maps.Keys(full))
		if !strings.Contains(key, ".") {
			allowed = slices.Sorted(maps.Keys(short))
		}
		c.failf("resources."+key, "there is no such resource; %s", strict.Hint(key, allowed))
	default:
		slices.Sort(names)
		c.failf("resources."+key, "several services have this resource: write %s", strings.Join(names, " or "))
	}
	return ""
}

func (c *checker) overridden(r Resource, o override, declared *schema.Resource, path string) Resource {
	if o.Enabled != nil {
		r.Enabled = *o.Enabled
	}
	switch written := c.Raw(path + ".every"); {
	case o.Every >= minEvery:
		r.Every, r.Stated = o.Every, true
	case written != "":
		c.failf(path+".every", "has to be %s or more, not %s", "1m", written)
	}
	if written := c.Raw(path + ".calls_per_run"); written != "" {
		_, perParent := declared.Cursor.(schema.PerParent)
		switch {
		case declared.Details == nil && !perParent:
			c.failf(path+".calls_per_run", "has no meaning here: only runs over details or parents are bounded so; remove it")
		case o.CallsPerRun < 1:
			c.failf(path+".calls_per_run", "has to be 1 or more, not %s", written)
		default:
			r.CallsPerRun = o.CallsPerRun
		}
	}
	r.History, r.Daily = o.History, c.daily(o.Daily, declared, path+".daily")
	r.Notified.Every = c.relaxed(o.Notified.Every, path+".notified.every")
	r.Sweep = c.besides(r.Sweep, o.Sweep, declared.Swept(),
		"only lists that are read from a watermark are swept besides", path+".sweep")
	r.Look = c.besides(r.Look, o.Look, declared.Looked(),
		"only swept lists that show every record in the order of creation are looked at", path+".look")
	if r.Sweep == 0 { // looks hand what they cannot tell to sweeps
		r.Look = 0
	}
	return r
}

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

const (
	// defaultSweep is the interval between two sweeps of a list.
	defaultSweep = 7 * 24 * time.Hour
	// defaultLook is the interval between two looks for deletions.
	defaultLook = 24 * time.Hour
	// minSweep is the shortest interval of both, because a sweep reads the whole list twice.
	minSweep = time.Hour
	// noSweep turns sweeps or looks of a list off.
	noSweep = "off"
)

// besides returns the interval of runs beside those of the list: the one in the file, or the usual
// one; zero for none.
func (c *checker) besides(usual time.Duration, written string, possible bool, why, path string) time.Duration {
	every, err := time.ParseDuration(written)
	switch {
	case c.Raw(path) == "":
		return usual
	case !possible:
		c.failf(path, "has no meaning here: %s; remove it", why)
	case written == noSweep:
		return 0
	case err != nil || every < minSweep:
		c.failf(path, "has to be off, or %s or more, such as 168h, not %s", "1h", c.Raw(path))
	default:
		return every
	}
	return usual
}

func (c *checker) tombstones(t Tombstones) {
	c.wantf(t.MaxRows >= 0, "tombstones.max_rows", "has to be 0 or more, not %s")
	c.wantf(t.MaxShare >= 0 && t.MaxShare <= 1, "tombstones.max_share",
		"has to be a share from 0 to 1, not %s: 0.02 is two in a hundred")
	c.wantf(t.Apart >= 0, "tombstones.apart", "has to be 0s or more, such as 10m, not %s")
}
