package words

import (
	"fmt"
	"strings"

	"sluice/sandbox/world/ids"
)

// Person is the name of a person.
type Person struct{ Salutation, First, Last string }

// PersonOf returns person n; the same number gives the same person.
func PersonOf(n int) Person {
	first := [...]string{"Asha", "Jürgen", "Zoë", "Liam", "Ōta", "Fatima", "Łukasz", "Maria José", "Wei", "Noor", "Ivan"}
	last := [...]string{"Rao", "O'Neil", "Café-Meyer", "de la Cruz", "Nowak", "al-Amin", "Smith", "Петрова", "Iyer"}
	return Person{
		Salutation: [...]string{"Ms.", "Mr.", "Dr.", ""}[n%4],
		First:      first[n%len(first)], Last: last[n%len(last)],
	}
}

// User returns id and name of an employee of the organization.
func User(n int) (string, string) {
	who := PersonOf(n)
	return ids.Fixed(ids.GroupUser, n), who.First + " " + who.Last
}

// Users is the number of employees.
const Users = 50

// Company returns the name of organization n. The first is that of the documents' samples; no two
// share a name.
func Company(n int) string {
	known := [...]string{"Meridian Tools Pvt Ltd", "Harbour Retail LLP", "Łódź Precision sp. z o.o.", "Southern Cross Foods"}
	return branch(known[:], n)
}

// Site is a location of the organization. Records copy id and name.
type Site struct {
	ID, Name, Kind string
	Active         bool
	Parent         int // index; -1 for none
}

// SiteAt returns location n of the list of locations.
func SiteAt(n int) Site {
	known := [...]Site{
		{Name: "Head Office", Kind: "general", Active: true, Parent: -1},
		{Name: "Warehouse North", Kind: "general", Active: true},
		{Name: "Shop Chennai", Kind: "line_item_only", Active: true},
		{Name: "Old Depot", Kind: "line_item_only", Parent: 1},
	}
	site := Site{Name: fmt.Sprintf("Branch %d", n+1), Kind: "general", Active: true}
	if n < len(known) {
		site = known[n]
	}
	site.ID = ids.Of(ids.Locations, n)
	return site
}

// Location returns id and name of one of the two locations for goods.
func Location(n int) (string, string) {
	site := &sites[n%len(sites)]
	return site.ID, site.Name
}

// sites is computed once: every record uses one.
var sites = [...]Site{SiteAt(0), SiteAt(1)}

// Slug returns the ASCII part of a text, for a mail address or channel name.
func Slug(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + ('a' - 'A')
		case r == ' ', r == '-':
			return '-'
		default:
			return -1
		}
	}, text)
}
