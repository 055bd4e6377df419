package stock

import (
	"fmt"

	"sluice/sandbox/world/books"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/records/parts"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

// Location writes a location. An edit moves its telephone.
func (w Author) Location(o *wire.Writer, i int) {
	site, parent := words.SiteAt(i), ""
	if site.Parent >= 0 {
		parent = words.SiteAt(site.Parent).ID
	}
	o.Text("location_id", site.ID)
	o.Text("location_name", site.Name)
	o.Text("type", site.Kind)
	o.Text("status", [...]string{"inactive", "active"}[parts.Count(site.Active)])
	o.Flag("is_primary", i == 0)
	o.Text("email", parts.Either(site.Active, words.Slug(site.Name)+"@meridian.example"))
	o.Text("phone", books.Phone(100*i+w.Edits(ids.Locations, i)))
	w.locationAddress(o, site, i)
	o.Text("parent_location_id", parent)
	if site.Active {
		o.Texts("associated_series_ids", ids.Fixed(ids.GroupSeries, 2*i), ids.Fixed(ids.GroupSeries, 2*i+1))
	} else {
		o.Texts("associated_series_ids")
	}
	o.ID("auto_number_generation_id", ids.FixedNumber(ids.GroupSeries, 2*i))
	o.Array("associated_users", parts.Count(site.Active)*(1+i%2), func(n int) {
		id, name := words.User(i + n)
		o.Open()
		o.Text("user_id", id)
		o.Text("user_name", name)
		o.Close('}')
	})
	o.Text("tax_settings_id", parts.Either(i%2 == 0, ids.Fixed(ids.GroupSeries, 99)))
}

// locationAddress writes the address, or "" for a closed location: live services write an absent
// object so (docs/upstream.md U133).
func (w Author) locationAddress(o *wire.Writer, site words.Site, i int) {
	if !site.Active {
		o.Text("address", "")
		return
	}
	spot := w.Words.Place(i)
	o.Key("address")
	o.Open()
	o.Text("city", spot.City)
	o.Text("state", spot.State)
	o.Text("country", "India")
	o.Text("attention", parts.Either(i == 0, "Reception"))
	o.Text("state_code", spot.Code)
	o.Text("street_address1", spot.Street)
	o.Text("street_address2", parts.Either(i == 0, "Second floor"))
	o.Close('}')
}

// Tax writes a tax; no key says whether it is in use. Keys of several editions have values, since
// the document shows them together.
func (w Author) Tax(o *wire.Writer, i int) {
	tax := words.TaxAt(i)
	foreign := i%4 == 2
	o.Text("tax_id", tax.ID)
	o.Text("tax_name", tax.Name)
	o.Whole("tax_percentage", int(tax.Percent))
	o.Text("tax_type", [...]string{"tax", "compound_tax"}[parts.Count(i%6 == 5)])
	o.Text("tax_factor", "rate")
	o.Text("tax_specific_type", parts.Either(!foreign, [...]string{"igst", "cgst", "sgst", "nil", "cess"}[i%5]))
	o.Text("tds_payable_account_id", parts.Either(i%4 == 0, ids.Of(ids.Accounts, 5)))
	o.Text("tax_authority_id", parts.Either(i%2 == 0, ids.Fixed(ids.GroupAuthority, i%3)))
	authority := parts.Either(i%2 == 0, [...]string{"Central Board of Indirect Taxes", "State of Maharashtra", "HMRC"}[i%3])
	if n := w.Edits(ids.Taxes, i); n > 0 {
		authority = fmt.Sprintf("Authority %d", n)
	}
	o.Text("tax_authority_name", authority)
	o.Flag("is_value_added", foreign)
	o.Text("country", [...]string{"India", "United Kingdom"}[parts.Count(foreign)])
	o.Text("country_code", [...]string{"IN", "UK"}[parts.Count(foreign)])
	if i%3 == 1 { // the document calls this identifier an integer; absent numbers are "".
		o.Key("purchase_tax_expense_account_id")
		o.B = append(o.B, ids.Of(ids.Accounts, 2)...) // Cost of Goods Sold
	} else {
		o.Text("purchase_tax_expense_account_id", "")
	}
	o.Flag("is_default_tax", i == 0)
	o.Text("output_tax_account_name", parts.Either(tax.Percent > 0, "Output GST"))
	o.Text("purchase_tax_account_name", parts.Either(tax.Percent > 0, "Input GST"))
	o.Text("tax_account_id", parts.Either(tax.Percent > 0, ids.Of(ids.Accounts, 5)))
	o.Text("purchase_tax_account_id", parts.Either(tax.Percent > 0, ids.Of(ids.Accounts, 4)))
}
