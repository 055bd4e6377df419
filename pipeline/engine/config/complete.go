package config

import (
	"cmp"

	"sluice/pipeline/engine/config/secrets"
	"sluice/schema/custom"
)

// complete fills in the keys that the file leaves out and checks every rule.
func (c *checker) complete(doc *document) {
	c.database(&doc.Database)
	c.vendor(&doc.Vendor)
	c.totals(doc.Totals)
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

// database demands the address of the database.
func (c *checker) database(db *Database) {
	if db.URL.Reveal() == "" && !c.Spoilt("database.url") {
		c.Addf("database.url", false, "is missing: the address of a Postgres database, such as ${SLUICE_DATABASE_URL} "+
			"(for a try, sluice-sandbox postgres runs one)")
	}
	c.password(db)
}

// password checks that the password of the database stands in one place.
func (c *checker) password(db *Database) {
	const path = "database.password"
	db.PasswordFrom = c.Raw(path)
	switch {
	case db.PasswordFrom == "" || c.Spoilt("database.url"):
	case secrets.HasPassword(db.URL.Reveal()):
		c.failf(path, "is the password for an address without one, and the address in url has one: remove one of the two")
	case secrets.HasPassword(db.SessionURL.Reveal()):
		c.failf(path, "is the password for an address without one, and the address in session_url has one: remove one of the two")
	}
}
