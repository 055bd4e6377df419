// Package purchases writes bills (document 3) and vendor payments (document 2), key by key.
//
// What they say comes from package books. Start reading with Author.
package purchases

import "sluice/sandbox/world/records/parts"

// Author writes these records.
type Author struct{ parts.Author }
