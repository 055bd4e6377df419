// Package ledger writes the records of accounting and invoicing, key by key: accounts, opening
// balances, adjustments, expenses and currencies (docs/upstream.md U162 to U187 and U198).
//
// Their content is package books' work. Start reading with Author.
package ledger

import "sluice/sandbox/world/records/parts"

// Author writes these records.
type Author struct{ parts.Author }
