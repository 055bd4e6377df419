package record

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"sluice/schema"
)

// payloadHash is XXH3 of the bytes and the parent, begun with the salt: two records with the same
// one become the same row. Different records share one in one of 2^64 cases. It does not resist an
// attacker, but a person who can write upstream has no need to deceive. It is 0 (none) if the
// record has undocumented parts, whose every arrival is counted.
func (n *Normalizer) payloadHash(raw []byte, parent string, drifted bool) uint64 {
	if drifted || n.salt == 0 {
		return 0
	}
	salt := n.salt
	if parent != "" {
		salt = xxh3.HashStringSeed(parent, salt)
	}
	return xxh3.HashSeed(raw, salt)
}

// salt stands for all that decides the row beside a record's bytes and its parent: the rule of the
// hash, the zone and the declaration without its prose. It is 0 for exports, which are read once.
func (n *Normalizer) saltOf(resource *schema.Resource) uint64 {
	if resource.Exported() {
		return 0
	}
	digest := xxh3.New()
	add := func(format string, values ...any) { _, _ = fmt.Fprintf(digest, format+"\n", values...) } // a hash accepts every write
	add("%d %q %q %q %+v", HashRule, n.zone, resource.ID, resource.Modified(), n.place)
	for _, month := range []time.Month{time.January, time.July} { // one name can mean two zones
		add("%s", time.Date(2026, month, 1, 0, 0, 0, 0, n.zone).UTC().Format(time.RFC3339))
	}
	tables := resource.Tables()
	for i := range tables {
		ignored := resource.Ignored
		if child := tables[i].Child; child != nil {
			ignored = child.Ignored
			add("%t %t %q %q", child.Scalar, child.Object, child.Prefix, child.Twin)
		}
		add("%q %q %q", tables[i].Name, tables[i].Path, slices.Sorted(maps.Keys(ignored)))
		for _, c := range tables[i].Columns {
			add("%q %q %q %d %t %q", c.Wire, c.Also, c.ColumnName(), c.Kind, c.Given, c.Values)
		}
	}
	return max(digest.Sum64(), 1)
}
