package schema

// Paging is a closed set: the way from one page of a list to the next.
type Paging int

// The kinds of paging.
const (
	// PagingNumber: parameters page and per_page, and page_context in the answer. Source:
	// docs/upstream.md U80 and U81.
	PagingNumber Paging = iota
	// PagingWhole: the answer is the whole list, without pages. Source: docs/upstream.md U82: no
	// page_context at all on locations, organizations, opening balance, billing contact persons.
	PagingWhole
	// PagingToken: parameters limit and next_token, the latter from the previous answer; an answer
	// without one is the last. Source: docs/upstream.md U86, chat channels. Under EnvelopeInfo they
	// are per_page and page_token (U352).
	PagingToken
)

// TokenPage is the largest page of a list with paging by token. Source: docs/upstream.md U86, chat
// channels, and U352, records of the CRM.
func (e Envelope) TokenPage() int {
	const limit, perPage = 100, 200
	if e == EnvelopeInfo {
		return perPage
	}
	return limit
}

// Details says that list records may be headers, and how the rest is read. Source: docs/upstream.md
// U87: lists of bills, credit notes and vendor payments carry headers only.
type Details struct {
	// Marker is the wire name of an array of the record: a list record without that key is a
	// header, and its single record is fetched.
	Marker string
	// Value says which single records are read first; nil means those of the newest records.
	Value *Value
	// Batch reads many at once; nil means one call of Resource.Single for each.
	Batch *Batch
}

// Value puts the single records that wait in order: those of the largest amounts in the base
// currency first, an open record's taken tenfold, then the newest. Analysts miss these most. Of
// records without an amount the open ones come first.
type Value struct {
	// Amounts are the wire names of columns with the amount of a record, the best first: the first
	// that has a value counts. They may be empty.
	Amounts []string
	// Rate is the wire name of the price of one unit of the record's currency in the base currency.
	// Amounts of different currencies are compared by it alone.
	Rate string
	// Base says that the amounts are in the base currency, so that they need no rate.
	Base bool
	// Open says which records are open; nil means that none is.
	Open *Open
}

// Open says that a record is open, such as a bill that is not paid yet.
type Open struct {
	// Column is the wire name of the column that says it, Is are its values of open records.
	Column string
	Is     []string
}

// Batch is an endpoint that returns many records by their identifiers.
type Batch struct {
	// Path is relative to the service root, Key carries the records.
	Path, Key string
	// Param is the query parameter of the identifiers, separated by commas.
	Param string
	// Size is the most identifiers of one call.
	Size int
}

// Window is a filter of a list by a day of its records, both ends inclusive.
type Window struct {
	// Column is the wire name of the day.
	Column string
	// From and To are the query parameters of the first and of the last day.
	From, To string
	// Assumed says that no document shows the filter: a search for differences tries it, and no
	// backfill relies on it.
	Assumed bool
}

// Read is an answer on demand that is not copied.
type Read struct {
	// Name is the word for requesting it.
	Name string
	// Doc describes the answer in one sentence.
	Doc string
	// Path is relative to the service root; Key carries the answer.
	Path, Key string
	// Scope is the area of the OAuth scope.
	Scope string
	// Params are the query parameters, in the order in which they are shown.
	Params []Param
	// Assumed lists what the documents do not show and other facts of docs/upstream.md supply.
	Assumed []string
}

// Param is a query parameter of a Read.
type Param struct {
	// Name is its name on the wire.
	Name string `json:"name"`
	// Required parameters have to be given.
	Required bool `json:"required"`
	// Doc is its sentence.
	Doc string `json:"doc"`
}
