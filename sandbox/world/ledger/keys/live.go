package keys

import (
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/overlay"
)

// Live returns what of a live record a ledger knows better: values that package live takes from
// worlds of single records, not from the record.
func Live(kind ids.Kind) overlay.Correction {
	switch kind {
	case ids.Accounts:
		return overlay.Correction{Names: []string{"isdebit"}}
	case ids.Payments:
		return overlay.Correction{
			Names: []string{"currency_code", "is_advance_payment"}, Lists: map[string][]string{"vendorpayment_refunds": {"to_account_id"}},
		}
	case ids.Expenses:
		return overlay.Correction{Names: []string{"vendor_name"}}
	case ids.Bills:
		return overlay.Correction{
			Names: []string{"payment_terms", "payment_terms_label"},
			Lists: map[string][]string{"line_items": {"item_id", "sku", "product_type"}, "custom_fields": {"label", "data_type"}},
		}
	case ids.CreditNotes:
		return overlay.Correction{
			Names: []string{"currency_id", "exchange_rate", "total_credits_used", "total_refunded_amount"},
			Lists: map[string][]string{"line_items": {"bcy_rate"}, "custom_fields": {"customfield_id", "label", "data_type"}},
			Whole: []string{"creditnote_refunds"},
		}
	default:
		return overlay.Correction{}
	}
}
