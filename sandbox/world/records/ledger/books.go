package ledger

import (
	"sluice/sandbox/world/books"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

// OpeningBalance writes an opening balance with its lines. It spells their identifier as the
// document does.
func (w Author) OpeningBalance(o *wire.Writer, i int) {
	lines := w.OpeningAt(i)
	o.ID("opening_balance_id", ids.Number(ids.OpeningBalances, i))
	w.Date(o, "date", w.Created(ids.OpeningBalances, i), 0)
	o.Whole("price_precision", 2) // cents.
	o.Money("total", books.OpeningTotal(lines))
	o.Array("accounts", len(lines), func(n int) {
		line := lines[n]
		id, name := words.Location(n)
		o.Open()
		o.ID("acount_split_id", ids.ChildNumber(ids.OpeningBalances, i, n))
		o.ID("account_id", ids.Number(ids.Accounts, line.Account))
		o.Text("account_name", w.AccountName(line.Account))
		if line.Debit {
			o.Text("debit_or_credit", "debit")
		} else {
			o.Text("debit_or_credit", "credit")
		}
		o.Rate("exchange_rate", line.Money.Rate)
		o.Text("currency_id", line.Money.ID)
		o.Text("currency_code", line.Money.Code)
		o.Money("bcy_amount", line.Base)
		o.Money("amount", line.Amount)
		o.Text("location_id", id)
		o.Text("location_name", name)
		o.Close('}')
	})
}

// Adjustment writes a base currency adjustment: the list carries its gain, the single record its
// accounts.
func (w Author) Adjustment(o *wire.Writer, i int) {
	adjusted := w.AdjustmentAt(i)
	o.ID("base_currency_adjustment_id", ids.Number(ids.Adjustments, i))
	w.Date(o, "adjustment_date", w.Created(ids.Adjustments, i), 0)
	o.Rate("exchange_rate", adjusted.Rate)
	o.Text("currency_id", adjusted.Money.ID)
	o.Text("currency_code", adjusted.Money.Code)
	w.Remark(o, "notes", ids.Adjustments, i)
	if !o.Single {
		o.Money("gain_or_loss", adjusted.Gain())
	}
	if o.Wide {
		w.Revalued(o, adjusted.Accounts)
	}
}

// Revalued writes the accounts that a rate revalues.
func (w Author) Revalued(o *wire.Writer, accounts []books.Revalued) {
	o.Array("accounts", len(accounts), func(n int) {
		account := accounts[n]
		o.Open()
		o.ID("account_id", ids.Number(ids.Accounts, account.Account))
		o.Text("account_name", w.AccountName(account.Account))
		o.Money("bcy_balance", account.Book)
		o.Money("fcy_balance", account.Foreign)
		o.Money("adjusted_balance", account.Adjusted)
		o.Money("gain_or_loss", account.Gain())
		o.Whole("gl_specific_type", account.Account%5+1) // a handful of types.
		o.Close('}')
	})
}

// Preview writes the effect of a rate on the accounts of a currency; the document does not show the
// answer.
func (w Author) Preview(o *wire.Writer, money words.Currency, day string, rate int64, notes string) {
	o.Text("currency_id", money.ID)
	o.Text("currency_code", money.Code)
	o.Text("adjustment_date", day)
	o.Rate("exchange_rate", rate)
	o.Text("notes", notes)
	w.Revalued(o, w.Revalue(previews+int(money.Code[0]), money, rate))
}

// previews is the first number for the accounts of previews, beyond those of the adjustments.
const previews = 1_000_000

// Currency writes a currency. Its rate and date are in the list only. The organization's own
// currency has none, so an edit changes its format.
func (w Author) Currency(o *wire.Writer, i int) {
	money := words.CurrencyAt(i)
	o.Text("currency_id", money.ID)
	o.Text("currency_code", money.Code)
	o.Text("currency_name", money.Name)
	o.Text("currency_symbol", money.Symbol)
	o.Whole("price_precision", money.Precision)
	if i == 0 && w.Edits(ids.Currencies, i)%2 == 1 {
		o.Text("currency_format", words.CurrencyAt(2).Format) // the format with commas and points exchanged
	} else {
		o.Text("currency_format", money.Format)
	}
	o.Flag("is_base_currency", i == 0)
	switch {
	case o.Single:
	case i == 0:
		o.Text("exchange_rate", "")
		o.Text("effective_date", "")
	default:
		o.Rate("exchange_rate", w.CurrencyRate(i))
		w.Date(o, "effective_date", w.Modified(ids.Currencies, i), 0)
	}
}
