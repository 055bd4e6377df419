// Package schema is the language in which services and resources are declared.
//
// A declaration is data: it names a list of an upstream service, its address, the columns of its
// records and the way of reading it. It never performs anything; the engine (package pipeline and
// its children) reads declarations as values and knows no resource by name.
//
// Start reading at Resource, then Column and Cursor.
package schema

import "iter"

// Service is one upstream service: its address rules, its limits and its resources. Source:
// docs/upstream.md U2 to U8, U20, U34 and U40 to U47.
type Service struct {
	// Name is the word used in the configuration and the Postgres schema of its tables: accounting,
	// inventory, chat.
	Name string
	// Doc describes the service in one sentence.
	Doc string
	// Host says which of the vendor's addresses serves it.
	Host Host
	// Root is the path prefix of every endpoint ("/books/v3"); empty for chat.
	Root string
	// Organization says how a call names its organization.
	Organization OrganizationPlacement
	// Envelope says what answers look like around their records, and how lists are asked for.
	Envelope Envelope
	// Scope is the product part of an OAuth scope without the vendor's name ("Books" of
	// "SvcBooks.bills.READ").
	Scope string
	// Limits are the documented limits.
	Limits Limits
	// Probe is one cheap readable endpoint, used by the check command. A service that has only the
	// lists of users leaves it out: then the first page of the first of them is asked for.
	Probe Probe
	// Resources are the lists that are copied.
	Resources []Resource
	// Further are ready-made declarations of lists that no API document shows. Each is copied only
	// where the configuration names it under catalogue.
	Further []Resource
	// Reads are answers on demand that are not copied.
	Reads []Read
}

// Each gives the resources of services, in their order, each with its service.
func Each(services []Service) iter.Seq2[*Service, *Resource] {
	return func(yield func(*Service, *Resource) bool) {
		for s := range services {
			for r := range services[s].Resources {
				if !yield(&services[s], &services[s].Resources[r]) {
					return
				}
			}
		}
	}
}

// Host is a closed set: which base address of the vendor serves a service.
type Host int

// The two hosts of the documents: {api_base_url} and {chat_base_url}.
const (
	HostAPI Host = iota + 1
	HostChat
)

// Envelope is a closed set: the words that a service has around the records of a list, and in the
// requests for its pages.
type Envelope int

// The envelopes.
const (
	// EnvelopeCoded: code (0 on success), the records under a key, and page_context. Requests have
	// page, per_page, sort_column and sort_order (A or D). Source: docs/upstream.md U60, U80, U81.
	EnvelopeCoded Envelope = iota
	// EnvelopePlain is EnvelopeCoded without a code. Source: docs/upstream.md U70, chat.
	EnvelopePlain
	// EnvelopeInfo: no code, the records under a key, and info with more_records and
	// next_page_token; status 204 without a body is an empty list. Requests have page or
	// page_token, per_page, sort_by and sort_order (asc or desc). Source: docs/upstream.md U351 to
	// U354, records of the CRM.
	EnvelopeInfo
)

// OrganizationPlacement is a closed set: the place of the organization in a call. Source:
// docs/upstream.md U11 to U13.
type OrganizationPlacement struct {
	// Query is the name of the query parameter; empty if not sent there.
	Query string
	// Header is the name of a header, in which {vendor} stands for the vendor's name in lower case;
	// empty if not sent there.
	Header string
}

// Limits are the documented limits of a service. Zero means not limited.
type Limits struct {
	// Shared names the allowance of minute and concurrency limits: services with the same word
	// share them within an organization.
	Shared string
	// PerMinute is the number of calls in any 60 seconds.
	PerMinute int
	// Plans are the limits that depend on the organization's plan, by its name.
	Plans map[string]Plan
}

// Plan holds the limits of one plan of a service.
type Plan struct {
	// Daily is the number of calls a day; zero means no daily limit.
	Daily int
	// Concurrent is the number of calls under way at once.
	Concurrent int
}

// Probe is a cheap call that proves that address, token and organization fit.
type Probe struct {
	// Path is relative to the service root.
	Path string
	// Query holds fixed parameters.
	Query map[string]string
	// Key is the response key that must be present; empty for a text answer.
	Key string
	// Format is the form of the answer.
	Format Format
}

// Format is a closed set: the format of a list's answer.
type Format int

// The two formats of the documents.
const (
	FormatJSON Format = iota
	FormatCSV
)

// Resource is one kind of record of one service. A reader can read it aloud.
type Resource struct {
	// Name is the plural noun that names the resource and its table.
	Name string
	// Schema is the Postgres schema of its tables; empty means that of the service.
	Schema string
	// Doc describes one record in one sentence.
	Doc string
	// Path is the list endpoint relative to the service root; under a PerParent cursor {parent} is
	// replaced by the parent's identifier.
	Path string
	// AssumedPath says that the documents do not show the list's path.
	AssumedPath bool
	// Optional resources are copied only where the configuration enables them.
	Optional bool
	// Paging is the way from one page of the list to the next.
	Paging Paging
	// Unsized is how many records a page can hold if no page size is asked for; zero if that is not
	// known to be more than a sized page holds.
	Unsized int
	// Key is the response key that carries the records; empty for CSV.
	Key string
	// Params are fixed query parameters of the list, such as the filter that includes inactive
	// rows.
	Params map[string]string
	// ID is the wire name of the key column.
	ID string
	// Scope is the area of the OAuth scope ("bills" of "SvcInventory.bills.READ").
	Scope string
	// Single is the way of reading one record; nil if the documents know no such call.
	Single *Single
	// Details says that the list may omit parts of the single record; nil if the list is known to
	// be complete.
	Details *Details
	// Window is the list's filter by a day; nil if it has none.
	Window *Window
	// Dated says which period a record belongs to; nil if to none.
	Dated *Dated
	// History names, by wire name, the columns whose changes are recorded: each pair of values that
	// a record ever had is a row of <name>_history.
	History []string
	// Cursor is the way of reading the list.
	Cursor Cursor
	// Complete says, with its source, why the list as requested shows every record that exists,
	// inactive ones included; of lists under parents, every record of the parent. Empty means
	// unknown: then absence from the list proves nothing, and no row gets a tombstone.
	Complete string
	// Every is the default interval between two scheduled runs, in Go's notation.
	Every string
	// Columns are the leaves of a record, key first.
	Columns []Column
	// Children are the arrays of a record that become tables.
	Children []Child
	// Ignored holds wire keys that are not copied, each with the reason.
	Ignored map[string]string
	// Assumed lists undocumented parts that other facts of docs/upstream.md supply.
	Assumed []string
}

// Single is the endpoint of one record.
type Single struct {
	// Path holds {id} in place of the identifier.
	Path string
	// Key is the response key that carries the record.
	Key string
	// Assumed says that the documents do not show this path.
	Assumed bool
}

// Child is an array of a record that becomes a table, keyed by the parent's key and the position in
// the array, and replaced whole with its parent.
type Child struct {
	// Name is the wire key of the array; the table is <parent>_<name>.
	Name string
	// Doc describes one element in one sentence.
	Doc string
	// Columns are the leaves of an element.
	Columns []Column
	// Scalar marks an array of bare values: it has exactly one column, and the element itself is
	// its value.
	Scalar bool
	// Object marks a key that holds one object instead of an array: the table has at most one row a
	// parent, position 0. An array of objects is accepted, too.
	Object bool
	// Prefix, if set, makes rows of the record's own keys that begin with it ("cf_"). Columns are
	// then exactly three: the key (an ID), its value (JSON) and its display text (Text), which
	// upstream sends under the key followed by Twin ("_formatted"). Name is then sluice's own word
	// and not on the wire.
	Prefix, Twin string
	// Children are the arrays of an element, such as the custom fields of a line.
	Children []Child
	// Ignored holds wire keys that are not copied, each with the reason.
	Ignored map[string]string
}

// Column is one typed leaf.
type Column struct {
	// Wire is the key upstream, spelled exactly as the document spells it.
	Wire string
	// Also is a second key of the same meaning, which live services send beside Wire or in its
	// place; empty if there is none. The modification time alone may have one: the newer of both
	// is its value.
	Also string
	// Name is the name in the warehouse; empty means Wire.
	Name string
	// Kind is the type.
	Kind Kind
	// Doc is its sentence in the dictionary and in the database comment.
	Doc string
	// Assumed says that another source than an API document names this key (docs/upstream.md).
	Assumed bool
	// Given says that the engine supplies the value and the wire never carries it, such as the
	// network that a channel was listed under.
	Given bool
	// Values are the documented ones, if any. The set is open: another value is loaded and reported
	// as drift.
	Values []string
	// Class says what the values may tell about people.
	Class Class
}

// Kind is a closed set of types.
type Kind int

// The eight kinds. Canonical text and Postgres type of each are in package record and package ddl.
const (
	KindID Kind = iota + 1
	KindText
	KindBool
	KindInt
	KindDecimal
	KindDate
	KindTime
	KindJSON
)

// ID declares an identifier: opaque text, also where the wire shows a number (docs/upstream.md
// U130: identifiers are strings, treat as opaque).
func ID(wire, doc string) Column { return Column{Wire: wire, Kind: KindID, Doc: doc, Class: Plain} }

// Text declares text; "" stays "". Its class is to be said.
func Text(wire, doc string) Column { return Column{Wire: wire, Kind: KindText, Doc: doc} }

// Bool declares a truth value.
func Bool(wire, doc string) Column { return Column{Wire: wire, Kind: KindBool, Doc: doc, Class: Plain} }

// Int declares a whole number.
func Int(wire, doc string) Column { return Column{Wire: wire, Kind: KindInt, Doc: doc, Class: Plain} }

// Decimal declares an amount, a rate or a quantity: exact to the digit.
func Decimal(wire, doc string) Column {
	return Column{Wire: wire, Kind: KindDecimal, Doc: doc, Class: Plain}
}

// Date declares a calendar day without a time zone.
func Date(wire, doc string) Column { return Column{Wire: wire, Kind: KindDate, Doc: doc, Class: Plain} }

// Time declares an instant.
func Time(wire, doc string) Column { return Column{Wire: wire, Kind: KindTime, Doc: doc, Class: Plain} }

// JSON declares a value whose shape the documents leave open; its sentence says why. Its class
// is to be said.
func JSON(wire, doc string) Column { return Column{Wire: wire, Kind: KindJSON, Doc: doc} }

// As gives the column another name in the warehouse.
func (c Column) As(name string) Column {
	c.Name = name
	return c
}

// OrAs names a second key that carries the value; see Also.
func (c Column) OrAs(wire string) Column {
	c.Also = wire
	return c
}

// Assume marks the column as known from another source than an API document (docs/upstream.md).
func (c Column) Assume() Column {
	c.Assumed = true
	return c
}

// Give marks the column as supplied by the engine and never on the wire.
func (c Column) Give() Column {
	c.Given = true
	return c
}

// OneOf names the documented values; others are loaded, and reported as drift.
func (c Column) OneOf(values ...string) Column {
	c.Values = values
	return c
}

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

// Dated says which period a record belongs to, and what of the record belongs to that period: it is
// not to change any more once the period is closed. What moves with later documents, such as the
// part of a bill that is still to be paid, is no part of it. The tags are the keys of the block in
// the configuration.
type Dated struct {
	// On is the wire name of the day.
	On string `yaml:"on"`
	// Figures are, by wire name, the amounts that sums of a period are made of.
	Figures []string `yaml:"figures"`
	// Currency and Rate are the wire names of the currency of the figures and of its price in the
	// base currency. Both are empty where the figures are in the base currency; Rate alone where
	// records carry none.
	Currency string `yaml:"currency"`
	Rate     string `yaml:"rate"`
	// State is the wire name of the state of a record; a record in a state of Out, such as a draft,
	// is in no sum. Both are empty where every record counts.
	State string   `yaml:"state"`
	Out   []string `yaml:"out"`
	// With are, by wire name, further columns that belong to the period: the other side, accounts.
	With []string `yaml:"with"`
	// Lines is the wire name of the array of lines, "" if there is none; LineColumns are those of
	// its columns that belong to the period.
	Lines       string   `yaml:"lines"`
	LineColumns []string `yaml:"line_columns"`
}
