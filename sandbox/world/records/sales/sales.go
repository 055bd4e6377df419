// Package sales writes credit notes (document 3), key by key.
//
// What they say comes from package books. Start reading with Author.
package sales

import "sluice/sandbox/world/records/parts"

// Author writes these records.
type Author struct{ parts.Author }
