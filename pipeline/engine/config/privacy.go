package config

import (
	"fmt"
	"slices"

	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/engine/config/strict"
	"sluice/schema"
	"sluice/schema/redact"
)

// Privacy says what is left out of the records of all resources, or hashed, before anything is
// stored.
type Privacy struct {
	// Omit and Hash are words of classes.
	Omit []string `yaml:"omit"`
	Hash []string `yaml:"hash"`
	// Key makes the hashes: 32 bytes or more, in base64.
	Key Secret `yaml:"key"`
}

// privacyKey is where the key of hashes is in the file.
const privacyKey = "privacy.key"

// HashKey returns the key of hashes; nil if the file has none, or if it may be missing and is.
func (p Privacy) HashKey() *redact.Key {
	if key, err := secrets.HashKey(p.Key); err == nil {
		return redact.NewKey(key)
	}
	return nil
}

// privacy checks the classes for all resources.
func (c *checker) privacy(p Privacy) {
	classes := redact.Classes()
	for list, words := range map[string][]string{"omit": p.Omit, "hash": p.Hash} {
		for i, word := range words {
			path := fmt.Sprintf("privacy.%s[%d]", list, i)
			switch {
			case !slices.Contains(classes, word):
				c.failf(path, "there is no class %q; %s (columns are named under resources)", word, strict.Hint(word, classes))
			case slices.Index(words, word) < i:
				c.failf(path, "is there twice: remove one of the two")
			case list == "hash" && slices.Contains(p.Omit, word):
				c.failf(path, "is in omit, too: remove one of the two")
			}
		}
	}
}

// privacyKey checks the key of hashes; wanted says that something is hashed.
func (c *checker) privacyKey(p *Privacy, wanted bool) {
	written := p.Key.Reveal() != ""
	switch {
	case c.Spoilt(privacyKey) || c.absent[privacyKey]:
	case wanted && !written:
		c.failf(privacyKey, "is missing: it makes the hashes of the columns under hash; %s, and keep it: another key makes other hashes", secrets.MakeKey)
	case written:
		if _, err := secrets.HashKey(p.Key); err != nil {
			c.Addf(privacyKey, false, "%s", err)
		}
	}
}

// bodies refuses to keep what callbacks bring of records of which something is left out: which of
// their fields are those columns is unknown.
func (c *checker) bodies(doc *document) {
	for _, resource := range doc.Config.Resources {
		if doc.Notifications.KeepBodies && len(resource.LeftOut) > 0 {
			c.failf("notifications.keep_bodies", "keeps values as callbacks bring them, also those that omit and hash leave out: remove it")
		}
	}
}

// leftOut resolves what is left out of a resource's records.
func (c *checker) leftOut(doc *document, declared *schema.Resource, o override, path string, parents []string) []redact.Rule {
	own, all := redact.Choice{Omit: o.Omit, Hash: o.Hash}, redact.Choice{Omit: doc.Privacy.Omit, Hash: doc.Privacy.Hash}
	rules, mistakes := redact.Resolve(declared, own, all, parents)
	for _, mistake := range mistakes {
		list := map[redact.How]string{redact.Omitted: "omit", redact.Hashed: "hash"}[mistake.How]
		at := fmt.Sprintf("%s.%s[%d]", path, list, mistake.At)
		if mistake.Allowed != nil {
			c.failf(at, "there is no column and no class %q; %s", mistake.Name, strict.Hint(mistake.Name, mistake.Allowed))
			continue
		}
		c.failf(at, "%s %s", mistake.Name, mistake.Detail)
	}
	return rules
}

// parentsIn returns the columns of a resource in which lists of all services find their parents, by
// their names in the warehouse.
func (doc *document) parentsIn(declared *schema.Resource, schemaName string) []string {
	var columns []string
	for _, resource := range schema.Each(doc.Services) {
		cursor, _ := resource.Cursor.(schema.PerParent)
		for _, from := range cursor.From {
			if from.Schema == schemaName && from.Table == declared.Name {
				columns = append(columns, from.Column)
			}
		}
	}
	return columns
}
