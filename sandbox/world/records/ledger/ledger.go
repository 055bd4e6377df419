// Package ledger writes what accounting and invoicing keep, key by key: accounts, opening
// balances, adjustments, expenses and currencies (docs/upstream.md U162 to U187 and U198).
//
// What they say comes from package books. Start reading with Author.
package ledger

import "sluice/sandbox/world/records/parts"

// Author writes these records.
type Author struct{ parts.Author }
