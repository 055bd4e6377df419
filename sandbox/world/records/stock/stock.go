// Package stock writes what inventory keeps, key by key: items, composite items, locations and
// taxes (document 3).
//
// What they say comes from package books. Start reading with Author.
package stock

import "sluice/sandbox/world/records/parts"

// Author writes these records.
type Author struct{ parts.Author }
