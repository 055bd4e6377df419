package figures

import (
	"cmp"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/ledger"
)

// Exposure is what is owed and held in one foreign currency at the end of a day. Bills without a
// known rate are in Payables alone.
type Exposure struct {
	Currency string      `json:"currency_code"`
	Rate     ledger.Rate `json:"exchange_rate"` // of the market on that day
	Payables Amount      `json:"payables"`      // open bills, in that currency
	Document Amount      `json:"document_base"` // each at its own rate
	Revalued Amount      `json:"revalued_base"` // at the rate of the day
	// Unrealized is Document less Revalued: positive if less than booked would be paid.
	Unrealized  Amount `json:"unrealized_base"`
	WithoutRate int    `json:"bills_without_rate"`
	// Bank is held on accounts in that currency; its book value is that of the last adjustment.
	Bank         Amount `json:"bank"`
	BankBook     Amount `json:"bank_book_base"`
	BankRevalued Amount `json:"bank_revalued_base"`
}

// Exposure returns all currencies in which something is owed or held, but the base currency.
func (b Books) Exposure(day Day) []Exposure {
	sums := map[string]*Exposure{}
	of := func(currency int) *Exposure {
		code := b.code(currency)
		if sums[code] == nil {
			sums[code] = &Exposure{Currency: code, Rate: b.Ledger.RateOn(currency, day)}
		}
		return sums[code]
	}
	for _, item := range b.OpenItems(day) {
		currency := b.Ledger.Bills[item.index].Currency
		if currency == 0 {
			continue
		}
		sum := of(currency)
		sum.Payables += item.Open
		if item.Base == nil {
			sum.WithoutRate++
			continue
		}
		sum.Document += *item.Base
		sum.Revalued += ledger.Convert(item.Open.Cents(), int64(sum.Rate))
	}
	b.postings(day, func(p ledger.Posting) {
		if b.Ledger.Accounts[p.Account].Foreign {
			sum := of(b.Ledger.Second())
			sum.Bank += ledger.FromCents(p.Cents)
			sum.BankBook += p.Base
		}
	})
	for _, sum := range sums {
		sum.Unrealized = sum.Document - sum.Revalued
		sum.BankRevalued = ledger.Convert(sum.Bank.Cents(), int64(sum.Rate))
	}
	return sorted(sums, func(a, b *Exposure) int { return cmp.Compare(a.Currency, b.Currency) })
}

// Adjustment is a base currency adjustment of one account.
type Adjustment struct {
	ID      string      `json:"base_currency_adjustment_id"`
	Date    Day         `json:"adjustment_date"`
	Rate    ledger.Rate `json:"exchange_rate"`
	Account string      `json:"account_id"`
	Gain    Amount      `json:"gain_or_loss"`
	Total   Amount      `json:"adjustment_gain_or_loss"` // over all accounts of the adjustment
}

// Adjustments returns the adjusted accounts, by adjustment.
func (b Books) Adjustments() []Adjustment {
	list, totals := []Adjustment{}, map[int]Amount{}
	b.postings(b.Ledger.Latest, func(p ledger.Posting) {
		switch {
		case p.Entry != ledger.Revalued:
		case p.Account == ledger.ExchangeResult:
			totals[p.Index] -= p.Base
		default:
			list = append(list, Adjustment{
				ID: ids.Of(ids.Adjustments, p.Index), Date: p.Day, Rate: b.Ledger.Adjustments[p.Index].Rate, Account: accountID(p.Account), Gain: p.Base,
			})
		}
	})
	for n := range list {
		i, _ := ids.Index(ids.Adjustments, list[n].ID)
		list[n].Total = totals[i]
	}
	return list
}

// Rate is the market's rate of a currency on a day. Lists of currencies show today's, documents
// those of their days.
type Rate struct {
	Currency string      `json:"currency_code"`
	Day      Day         `json:"day"`
	Rate     ledger.Rate `json:"exchange_rate"`
}

// Rates returns the rates of all currencies on a day, the base currency first.
func (b Books) Rates(day Day) []Rate {
	var list []Rate
	for n := range b.Ledger.Currencies {
		list = append(list, Rate{Currency: b.code(n), Day: day, Rate: b.Ledger.RateOn(n, day)})
	}
	return list
}

// GroupPart is what one organization owes, in the currency of a group.
type GroupPart struct {
	Organization string      `json:"organization_id"`
	DataCenter   string      `json:"data_center"`
	Base         string      `json:"base_currency"`
	Open         Amount      `json:"open_base"`
	Currency     string      `json:"currency_code"`
	Rate         ledger.Rate `json:"exchange_rate"` // of that currency in the base currency
	// Amount is Open divided by Rate, rounded to cents, halves away from zero; Buckets likewise.
	Amount      Amount  `json:"amount"`
	Buckets     Buckets `json:"buckets"`
	WithoutRate int     `json:"bills_without_rate"`
}

// Group returns what the organization owes at the end of a day in a currency that it knows, by its
// own rate of that day.
func (b Books) Group(currency string, day Day) (GroupPart, bool) {
	part := GroupPart{Base: b.code(0), Currency: currency}
	for n := range b.Ledger.Currencies {
		if b.code(n) == currency {
			part.Rate = b.Ledger.RateOn(n, day)
		}
	}
	if part.Rate == 0 {
		return part, false
	}
	for _, item := range b.OpenItems(day) {
		if item.Base == nil {
			part.WithoutRate++
			continue
		}
		part.Open += *item.Base
		part.Buckets.add(day, item.Due, *item.Base)
	}
	part.Amount = divided(part.Open, part.Rate)
	for _, bucket := range []*Amount{
		&part.Buckets.NotDue, &part.Buckets.To30, &part.Buckets.To60, &part.Buckets.To90, &part.Buckets.Over90, &part.Buckets.NoDueDate,
	} {
		*bucket = divided(*bucket, part.Rate)
	}
	return part, true
}

// divided returns an amount of the base currency in another one, rounded to cents.
func divided(a Amount, rate ledger.Rate) Amount {
	// An amount in hundred-millionths over a rate in millionths is cents.
	if a < 0 {
		return -divided(-a, rate)
	}
	return ledger.FromCents((int64(a) + int64(rate)/2) / int64(rate))
}
