package schema

// Paging is a closed set: how a list goes on behind its first page.
type Paging int

// The kinds of paging.
const (
	// PagingNumber: parameters page and per_page, and page_context in the answer.
	// Source: docs/upstream.md U80
	// and U81.
	PagingNumber Paging = iota
	// PagingWhole: the answer is the whole list, and no page is asked for. Source:
	// docs/upstream.md U82: no page_context at all on
	// locations, organizations, opening balance, billing contact persons.
	PagingWhole
	// PagingToken: parameters limit and next_token, the latter out of the answer
	// before; an answer without one is the last. Source:
	// docs/upstream.md U86, chat channels.
	PagingToken
)

// TokenPage is how many records a list that goes on by token gives at most. Source:
// docs/upstream.md U86, chat channels.
const TokenPage = 100

// Details says that list records may be headers, and how the rest is read. Source:
// docs/upstream.md U87: lists of bills, credit notes
// and vendor payments carry headers only.
type Details struct {
	// Marker is the wire name of an array of the record: a list record that has no
	// such key is a header, and its single record is fetched.
	Marker string
	// Batch reads many at once; nil means one call of Resource.Single for each.
	Batch *Batch
}

// Batch is an endpoint that answers with many records by their identifiers.
type Batch struct {
	// Path is relative to the service root, Key carries the records.
	Path, Key string
	// Param is the query parameter of the identifiers, separated by commas.
	Param string
	// Size is how many identifiers a call takes.
	Size int
}

// Window is a filter of a list by a day that its records carry, both ends inclusive.
type Window struct {
	// Column is the wire name of the day.
	Column string
	// From and To are the query parameters of the first and of the last day.
	From, To string
}

// Read is an answer that is asked for on demand and not copied.
type Read struct {
	// Name is the word by which it is asked for.
	Name string
	// Doc says in one sentence what the answer is.
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
	// Name is its name on the wire, Doc its sentence.
	Name, Doc string
	// Required parameters have to be given.
	Required bool
}
