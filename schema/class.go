package schema

// Class is a closed set: what the values of a column may tell about people and about the
// organization's bank and tax affairs. Masked readers of the warehouse see only what is Plain or
// Company (docs/analysts/readers.md). The dictionary names the others.
type Class int

// The classes. Identifiers, numbers, truth values, days and instants are Plain unless their
// declaration says otherwise. Text and JSON have to say it: a column without a class is refused.
const (
	classUnsaid Class = iota
	// Plain values tell nothing of a person: identifiers of records, amounts, states, names of
	// accounts, items and taxes.
	Plain
	// Company values name a business: vendors, customers, the organization.
	Company
	// Person values name a person: contacts, users, employees, sellers.
	Person
	// Contact values reach a person: e-mail addresses, telephone and fax numbers.
	Contact
	// Address values are parts of a postal address that lead to a door: streets, postal codes. City
	// and country alone are Plain.
	Address
	// TaxNumber values are numbers that an authority gave to a person or a business.
	TaxNumber
	// Bank values lead to money: account, check and card numbers.
	Bank
	// FreeText values are written by people for people, or have a shape that no document shows:
	// notes, descriptions, file names, JSON, values of custom fields.
	FreeText
)

// Said says whether the class was declared.
func (c Class) Said() bool { return c != classUnsaid }

// Personal says whether masked readers must not see the value as it is.
func (c Class) Personal() bool { return c != Plain && c != Company }

// String is the class's word in the dictionary and in analytics.catalog.
func (c Class) String() string {
	return [...]string{"", "plain", "company", "person", "contact", "address", "tax number", "bank", "free text"}[c]
}

// Is says what the values of the column may tell about people; see Class.
func (c Column) Is(class Class) Column {
	c.Class = class
	return c
}
