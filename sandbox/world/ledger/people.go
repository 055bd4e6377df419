package ledger

import (
	"fmt"

	"sluice/sandbox/world/ids"
)

// Vendor is a supplier. It bills in one currency.
type Vendor struct {
	Name, Tax string
	Currency  int
	Terms     int  // days from a bill to its due date
	Weekly    bool // it is paid on Fridays
}

// Customer buys in one currency.
type Customer struct {
	Name     string
	Currency int
}

// Vendors that the sandbox enters twice, behind all others.
const (
	vendorCount   = 80
	customerCount = 24
)

// Duplicate is a vendor that was entered twice.
type Duplicate struct {
	First, Second   int // vendors
	EqualTax        bool
	EqualNormalized bool // their names, but for case, spaces and punctuation
}

// Duplicates returns the vendors that were entered twice; no other two share a tax number or a
// normalized name.
func Duplicates() []Duplicate {
	return []Duplicate{
		{First: 3, Second: 77, EqualTax: true}, {First: 10, Second: 78, EqualNormalized: true},
		{First: 20, Second: 79, EqualTax: true, EqualNormalized: true},
	}
}

func (l *Ledger) vendors() []Vendor {
	firsts := [...]string{"Bowman", "Ōsaka", "Sharma", "Łódź", "O'Neill", "Müller", "Garcia", "Patel", "Nordic", "Al-Noor", "Hanseatic"}
	trades := [...]string{"Tooling", "Steelworks", "Logistics", "Paper", "Fasteners", "Services", "Electric"}
	forms := [...]string{"GmbH", "Ltd", "Pvt Ltd", "AB", "LLC"}
	traded := l.traded()
	list := make([]Vendor, vendorCount)
	for n := range list {
		list[n] = Vendor{
			Name: fmt.Sprintf("%s %s %s", firsts[n%len(firsts)], trades[n/len(firsts)%len(trades)], forms[n%len(forms)]),
			Tax:  fmt.Sprintf("27AA%c%cB%04dF1Z%d", 'A'+n%26, 'C'+n%23, 1000+n*37, n%9+1), Terms: [...]int{30, 45, 45, 30, 45, 60, 45, 30, 45, 45}[n%10],
			Weekly: n%4 == 1,
		}
		switch n % 10 { // three in ten bill in another currency.
		case 2, 7:
			list[n].Currency = traded[0]
		case 5:
			list[n].Currency = traded[1+n/10%2]
		}
	}
	for _, d := range Duplicates() {
		first, second := &list[d.First], &list[d.Second]
		if d.EqualTax {
			second.Tax = first.Tax
		}
		if d.EqualNormalized {
			second.Name = again(first.Name)
		} else {
			second.Name = "Vertex Supply " + forms[d.Second%len(forms)]
		}
		second.Currency = first.Currency
	}
	return list
}

// again writes a name as a second clerk does: in capitals, with one more space.
func again(name string) string {
	text := []rune(name)
	for n, r := range text {
		if r >= 'a' && r <= 'z' {
			text[n] = r - 'a' + 'A'
		}
	}
	return string(text) + " "
}

func (l *Ledger) customers() []Customer {
	firsts := [...]string{
		"Café Zürich", "Harbour Hotels", "Ravi Constructions", "Ångström Labs", "Smith, Jones & Co", "Zoë's Garage", "São Paulo Imports", "Green Fields",
	}
	towns := [...]string{"", " North", " South"}
	list := make([]Customer, customerCount)
	for n := range list {
		list[n].Name = firsts[n%len(firsts)] + towns[n/len(firsts)]
		if n%9 == 4 { // one in nine is abroad.
			list[n].Currency = l.Second()
		}
	}
	return list
}

// VendorID returns the identifier of a vendor.
func VendorID(n int) string { return ids.Fixed(ids.GroupVendor, n) }

// CustomerID returns the identifier of a customer.
func CustomerID(n int) string { return ids.Fixed(ids.GroupCustomer, n) }
