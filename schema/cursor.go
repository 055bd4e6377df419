package schema

import "slices"

// Cursor is a closed set: the way in which a list is read. Every way reads a list in passes and
// repeats a pass until two passes saw the same records, for a list can shift while it is read; what
// differs is what is asked for and where a pass may stop.
type Cursor interface{ cursor() }

// Since is for lists that filter by a modification time. The filter is asked from the watermark
// minus an overlap; page 1 is held against it, and where the server ignored it the run reads the
// whole list and says so.
type Since struct {
	// Column is the wire name of the modification time in a record.
	Column string
	// Param is the query parameter of the filter ("at or after").
	Param string
	// Created is the wire name of the creation time: the order in which these lists answer (newest
	// first) unless another one is asked for.
	Created string
	// Assumed says that the documents do not show the filter on this list.
	Assumed bool
}

// NewestFirst is for lists that sort by modification time: a pass stops below the watermark minus
// an overlap. Order is verified; where the server did not sort, the run reads the whole list and
// says so.
type NewestFirst struct {
	// Column is the wire name of the modification time in a record.
	Column string
	// Sort is the value of sort_column.
	Sort string
	// Created is the wire name of the creation time, by which a list that is read whole answers
	// unless another order is asked for; empty if records carry none.
	Created string
	// Assumed says that the documents do not show the sort on this list.
	Assumed bool
}

// FullScan is for lists that do neither: read all, write only what differs.
type FullScan struct {
	// Modified is the wire name of the modification time, if records carry one: it decides which of
	// two versions is newer.
	Modified string
	// Created is the wire name of the creation time: the sort that edits cannot move.
	Created string
	// Sort is the value of sort_column that sorts by creation; empty if none is known.
	Sort string
}

// Export is for lists that come as one CSV body: streamed, never in memory whole.
type Export struct {
	// Modified is the column of the modification time.
	Modified string
	// FieldsParam is the query parameter that names the columns wanted.
	FieldsParam string
}

// Snapshot is for a single object that exists at most once an organization, such as the opening
// balance: read, compare. The response key carries the object itself; an answer without it, or with
// an empty one, is no record.
type Snapshot struct{}

// PerParent is for lists under a parent: one list for each, stalest parent first, so many in one
// run as its calls allow.
type PerParent struct {
	// Column is the wire name of the column that holds the parent's identifier. It is filled in
	// where the record does not carry it.
	Column string
	// From are the columns of the warehouse in which parents are found.
	From []ParentColumn
	// Listed is the key of the configuration that names parents, such as networks; "" if none does.
	Listed Listed
	// Identifier is set where identifiers are unique under one parent only: the wire name of the
	// record's own identifier. The key column is then Given, and holds parent and identifier with a
	// slash between them.
	Identifier string
	// List says how the list of one parent is read: FullScan or Export.
	List Cursor
}

// ParentColumn is where identifiers of parents are found in the warehouse.
type ParentColumn struct {
	// Schema, Table and Column name it; the table has an organization_id.
	Schema, Table, Column string
}

// Listed is a closed set: the keys below a service in the configuration that name parents.
type Listed string

// The lists of the configuration.
const (
	// ListedNetworks: names or identifiers of chat networks.
	ListedNetworks Listed = "networks"
	// ListedModules: names of custom modules.
	ListedModules Listed = "custom_modules"
	// ListedContacts: identifiers of contacts or customers.
	ListedContacts Listed = "contacts"
)

func (Since) cursor()       {}
func (NewestFirst) cursor() {}
func (FullScan) cursor()    {}
func (Export) cursor()      {}
func (Snapshot) cursor()    {}
func (PerParent) cursor()   {}

// ReadWhole says whether the list of all records can be read from its first to its last page: by
// every run of a full scan, and by sweeps of lists that are otherwise read from a watermark.
func (r *Resource) ReadWhole() bool {
	_, full := r.Cursor.(FullScan)
	return full || r.Swept()
}

// Swept says whether the list is read from a watermark, so that what no watermark shows (what was
// deleted, and what changed without a new modification time) is found by sweeps alone.
func (r *Resource) Swept() bool {
	switch r.Cursor.(type) {
	case Since, NewestFirst:
		return true
	default:
		return false
	}
}

// Looked says whether single pages of a swept list show which records are missing: the list shows
// every record, pages by number, and its records carry the time of creation that it sorts by.
func (r *Resource) Looked() bool {
	return r.Swept() && r.Complete != "" && r.Paging == PagingNumber && r.Created() != ""
}

// Summed says whether records have one of the amounts that lists can sum up. Source: docs/upstream.md
// U93.
func (r *Resource) Summed() bool {
	return slices.ContainsFunc(r.Columns, func(c Column) bool {
		return c.Kind == KindDecimal && (c.Wire == "total" || c.Wire == "balance")
	})
}

// Modified gives the wire name of the modification time of a resource's records, or "" if they
// carry none. It decides about versions, never about watermarks.
func (r *Resource) Modified() string { return modified(r.Cursor) }

func modified(cursor Cursor) string {
	switch c := cursor.(type) {
	case Since:
		return c.Column
	case NewestFirst:
		return c.Column
	case FullScan:
		return c.Modified
	case Export:
		return c.Modified
	case PerParent:
		return modified(c.List)
	default:
		return ""
	}
}

// Created gives the wire name of the time of creation that a resource's list is ordered by, or ""
// if it is by none.
func (r *Resource) Created() string {
	switch c := r.ListCursor().(type) {
	case Since:
		return c.Created
	case NewestFirst:
		return c.Created
	case FullScan:
		return c.Created
	default:
		return ""
	}
}

// Exported says whether the list, or that of each parent, comes as one CSV body.
func (r *Resource) Exported() bool {
	_, ok := r.ListCursor().(Export)
	return ok
}

// SinglesAtOnce is how many single records one call reads; 0 if the documents know no call for
// single records.
func (r *Resource) SinglesAtOnce() int {
	switch {
	case r.Details != nil && r.Details.Batch != nil:
		return max(r.Details.Batch.Size, 1)
	case r.Single != nil:
		return 1
	default:
		return 0
	}
}

// ToldByParent is the wire name of the parent's identifier where change notifications name the
// parent of a record, and the list of the parent is read because of them; "" where they name the
// record. Records without a call of their own that carry their parent are told of by it.
func (r *Resource) ToldByParent() string {
	cursor, under := r.Cursor.(PerParent)
	if !under || r.SinglesAtOnce() > 0 {
		return ""
	}
	for i := range r.Columns {
		if r.Columns[i].Wire == cursor.Column && !r.Columns[i].Given {
			return cursor.Column
		}
	}
	return ""
}

// ListCursor is how the list is read; of a resource per parent, that of each parent.
func (r *Resource) ListCursor() Cursor {
	if parents, ok := r.Cursor.(PerParent); ok {
		return parents.List
	}
	return r.Cursor
}

// SchemaName is the Postgres schema of the resource's tables.
func (r *Resource) SchemaName(service *Service) string {
	if r.Schema != "" {
		return r.Schema
	}
	return service.Name
}

// ColumnOfParent is the column that holds the parent under which a record was listed, "" where
// records have none.
func (r *Resource) ColumnOfParent() string {
	cursor, under := r.Cursor.(PerParent)
	if !under {
		return ""
	}
	for i := range r.Columns {
		if r.Columns[i].Wire == cursor.Column {
			return r.Columns[i].ColumnName()
		}
	}
	return ""
}
