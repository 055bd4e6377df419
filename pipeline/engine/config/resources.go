package config

import (
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
	for s := range doc.Services {
		service := &doc.Services[s]
		for i := range service.Resources {
			r := &service.Resources[i]
			every, err := time.ParseDuration(r.Every)
			if err != nil {
				c.Addf("resources", false, "the declaration of %s.%s has no valid interval: %v", service.Name, r.Name, err)
			}
			name := service.Name + "." + r.Name
			full[name], declared[name] = Resource{Every: every, Enabled: !r.Optional, Sweep: sweepEvery(r), Look: lookEvery(r)}, r
			schemas[name] = r.SchemaName(service)
			short[r.Name] = append(short[r.Name], name)
		}
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
		full[name] = c.learned(r, doc.Resources[key], declared[name], "resources."+key, doc.Schedule)
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
	r.Sweep = c.swept(r.Sweep, o.Sweep, declared, path+".sweep")
	if r.Look = c.looked(r.Look, o.Look, declared, path+".look"); r.Sweep == 0 {
		r.Look = 0
	}
	return r
}
