package config

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/config/strict"
)

// minEvery is the shortest interval between two scheduled runs: below it a run
// would follow on the last one without a pause.
const minEvery = time.Minute

// complete fills in what the file left out and checks every rule.
func (c *checker) complete(doc *document) {
	c.database(&doc.Database)
	c.vendor(&doc.Vendor)
	c.process(&doc.Config)
	for i := range doc.Organizations {
		if doc.Organizations[i].DataCenter == "" {
			doc.Organizations[i].DataCenter = "com"
		}
	}
	c.organizations(doc)
	c.resources(doc)
}

// database chooses the folder of the private server.
func (c *checker) database(db *Database) {
	if !db.Private() || c.Spoilt("database.url") {
		if db.DataDir != "" {
			c.failf("database.data_dir", "is for the private server, and url names another one: remove one of the two")
		}
		return
	}
	if db.DataDir != "" {
		if !filepath.IsAbs(db.DataDir) {
			c.failf("database.data_dir", "has to be an absolute path, not %q: ${HOME}/… is one", c.Raw("database.data_dir"))
		}
		return
	}
	db.DataDir = defaultDataDir(c.getenv)
	if db.DataDir == "" {
		c.Addf("database", false, "there is no home folder for a private Postgres server: set database.url or database.data_dir")
	}
}

// defaultDataDir is where state belongs (XDG Base Directory Specification); "" if
// the environment names no place.
func defaultDataDir(getenv func(string) (string, bool)) string {
	if isRoot() {
		return "/var/lib/sluice"
	}
	if state, ok := getenv("XDG_STATE_HOME"); ok && filepath.IsAbs(state) {
		return filepath.Join(state, "sluice")
	}
	if home, ok := getenv("HOME"); ok && filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "sluice")
	}
	return ""
}

// resources applies the overrides to the declared resources.
func (c *checker) resources(doc *document) {
	full := make(map[string]Resource)
	short := make(map[string][]string)
	for _, service := range c.services {
		for i := range service.Resources {
			r := &service.Resources[i]
			every, err := time.ParseDuration(r.Every)
			if err != nil {
				c.Addf("resources", false, "the declaration of %s.%s has no valid interval: %v", service.Name, r.Name, err)
			}
			name := service.Name + "." + r.Name
			full[name] = Resource{Every: every, Enabled: true}
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
		full[name] = c.overridden(full[name], doc.Resources[key], "resources."+key)
	}
	doc.Config.Resources = full
}

// resourceName is the full name that a key of resources means; "" if it means none.
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

func (c *checker) overridden(r Resource, o override, path string) Resource {
	if o.Enabled != nil {
		r.Enabled = *o.Enabled
	}
	switch written := c.Raw(path + ".every"); {
	case o.Every >= minEvery:
		r.Every = o.Every
	case written != "":
		c.failf(path+".every", "has to be %s or more, not %s", "1m", written)
	}
	return r
}
