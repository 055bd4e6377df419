package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/engine/config/strict"
	"sluice/pipeline/events"
	"sluice/schema"
)

// EventReceiver is one receiver of events: it is told what changed in the tables.
type EventReceiver struct {
	// Name is its name in commands, metrics and the table of positions.
	Name string `yaml:"name"`
	// URL is the address to which messages are posted, unchanged.
	URL string `yaml:"url"`
	// Insecure says that URL may name another host by plain http.
	Insecure bool `yaml:"insecure"`
	// Secret signs the messages: one secret, or the new and the old one during a rotation.
	Secret strict.OneOrMore[Secret] `yaml:"secret"`
	// Tables are full names (inventory.bills), Organizations names or keys, Ops words of the change
	// log. Tables and Organizations are all if they are empty; Ops are events.DefaultOps then.
	// After Load, Organizations are keys.
	Tables        strict.OneOrMore[string] `yaml:"tables"`
	Organizations strict.OneOrMore[string] `yaml:"organizations"`
	Ops           strict.OneOrMore[string] `yaml:"ops"`
}

// eventsPath is how the paths of receivers begin in the file.
const eventsPath = "events["

// mostReceivers bounds the receivers: each has its own connections and its own job.
const mostReceivers = 32

// receiverName is the form of a receiver's name, which is a word of command lines and a label.
var receiverName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`) //nolint:gochecknoglobals // a constant

// events checks the receivers of events. The resources have to be complete.
func (c *checker) events(doc *document) {
	if len(doc.Events) > mostReceivers {
		c.failf("events", "has %d receivers: %d are the most; one receiver can pass messages on to others", len(doc.Events), mostReceivers)
	}
	seen, tables := make(map[string]bool), tablesOf(doc.Services)
	for i := range doc.Events {
		r, at := &doc.Events[i], fmt.Sprintf("events[%d].", i)
		switch {
		case !c.need(at+"name", r.Name, "name the receiver, such as airflow"):
		case !receiverName.MatchString(r.Name):
			c.failf(at+"name", "wants lower-case letters, digits, hyphens and underscores, and a letter first, not %q", c.Raw(at+"name"))
		case seen[r.Name]:
			c.failf(at+"name", "is the name of two receivers: each has a position of its own under its name")
		}
		seen[r.Name] = true
		if c.need(at+"url", r.URL, "write the address to which messages are posted, such as https://airflow.example.com/hooks/sluice") {
			same := r.URL // a slash at its end is a part of it
			c.clearOr(at+"url", &same, r.Insecure, "sends messages in clear: write https, or, if the network between is yours alone, "+
				"insecure: true (this machine needs neither)")
		}
		c.eventSecrets(r, at+"secret")
		c.eventFilters(doc, r, at, tables)
	}
}

func (c *checker) eventSecrets(r *EventReceiver, path string) {
	if len(r.Secret) == 0 {
		c.failf(path, "is missing: it signs the messages; "+secrets.Forms)
	}
	if len(r.Secret) > mostSecrets {
		c.failf(path, "has %d secrets: write one, or the new and the old one while you change it", len(r.Secret))
	}
	for i, secret := range r.Secret {
		at := c.element(path, i)
		if c.absent[at] || c.Spoilt(at) {
			continue
		}
		if _, err := events.Key(secret); err != nil {
			c.Addf(at, false, "%s", err)
		}
	}
}

// eventFilters checks what one receiver is told of, and replaces names of organizations by keys.
func (c *checker) eventFilters(doc *document, r *EventReceiver, at string, tables []string) {
	for i, table := range r.Tables {
		path := c.element(at+"tables", i)
		switch {
		case !slices.Contains(tables, table):
			c.failf(path, "there is no table %q; %s", c.Raw(path), strict.Hint(table, tables))
		case slices.Index(r.Tables, table) < i:
			c.failf(path, "is there twice: remove one of the two")
		}
	}
	keys := make(map[string]string, len(doc.Organizations))
	for i := range doc.Organizations {
		keys[doc.Organizations[i].Name] = doc.Organizations[i].Key
	}
	for i, name := range r.Organizations {
		path := c.element(at+"organizations", i)
		key, known := keys[name]
		if !known {
			c.failf(path, "there is no organization %q; %s", c.Raw(path), strict.Hint(name, slices.Sorted(maps.Keys(keys))))
			continue
		}
		if slices.Contains(r.Organizations[:i], key) {
			c.failf(path, "is there twice: remove one of the two")
		}
		r.Organizations[i] = key
	}
	for i, op := range r.Ops {
		path := c.element(at+"ops", i)
		switch {
		case !slices.Contains(events.Ops(), op):
			c.failf(path, "there is no op %q; %s", c.Raw(path), strict.Hint(op, events.Ops()))
		case slices.Index(r.Ops, op) < i:
			c.failf(path, "is there twice: remove one of the two")
		}
	}
}

// tablesOf are the tables whose changes are logged, by their full names.
func tablesOf(services []schema.Service) []string {
	var tables []string
	for service, resource := range schema.Each(services) {
		tables = append(tables, resource.SchemaName(service)+"."+resource.Name)
	}
	slices.Sort(tables)
	return slices.Compact(tables)
}
