// Package purchases writes bills (docs/upstream.md U221) and vendor payments (U172 and U173), key
// by key.
//
// Their content is package books' work. Start reading with Author.
package purchases

import "sluice/sandbox/world/records/parts"

// Author writes these records.
type Author struct{ parts.Author }
