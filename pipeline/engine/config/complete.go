package config

import (
	"cmp"
	"path/filepath"

	"sluice/pipeline/engine/config/secrets"
	"sluice/schema/custom"
)

// complete fills in the keys that the file leaves out and checks every rule.
func (c *checker) complete(doc *document) {
	c.database(&doc.Database)
	c.vendor(&doc.Vendor)
	c.process(&doc.Config)
	c.budget(&doc.Config)
	c.tombstones(doc.Tombstones)
	c.privacy(doc.Privacy)
	for i := range doc.Organizations {
		org := &doc.Organizations[i]
		org.DataCenter = cmp.Or(org.DataCenter, "com")
		org.Key = cmp.Or(org.Key, org.ID)
	}
	c.organizations(doc)
	doc.Services = custom.Extend(c.withFurther(doc.Catalogue), doc.Custom, c.failf)
	c.resources(doc)
	c.notifications(doc)
	c.bodies(doc)
	c.telemetry(&doc.Telemetry)
	c.console(doc)
	c.events(doc)
	c.lake(doc.Lake)
}

// database chooses the folder of the private server.
func (c *checker) database(db *Database) {
	c.password(db)
	if db.Private() && db.SessionURL.Reveal() != "" && !c.Spoilt("database.url") {
		c.failf("database.session_url", "is the way past the pooler that url names, and there is no url: write this address into url, or add url")
	}
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

// password checks that the password of the database stands in one place.
func (c *checker) password(db *Database) {
	const path = "database.password"
	db.PasswordFrom = c.Raw(path)
	switch {
	case db.PasswordFrom == "" || c.Spoilt("database.url"):
	case db.Private():
		c.failf(path, "is that of the database in url, and there is no url: add it, or remove the password")
	case secrets.HasPassword(db.URL.Reveal()):
		c.failf(path, "is the password for an address without one, and the address in url has one: remove one of the two")
	case secrets.HasPassword(db.SessionURL.Reveal()):
		c.failf(path, "is the password for an address without one, and the address in session_url has one: remove one of the two")
	}
}

// defaultDataDir returns the folder for state (XDG Base Directory Specification); "" if the
// environment names none.
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
