package places

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/raw/archive"
)

// Query is what to search for, and where.
type Query struct {
	Needle *Needle
	// Organization is a key, "" for all. List is one of Lists, nil for all. With one of these,
	// places that name none are left out.
	Organization string
	List         *List
	// Limit bounds the records that are listed for each resource of each organization.
	Limit int
	// Lists are the declared lists: they tell which records raw records are, and which service a
	// table of another schema belongs to.
	Lists []List
	// Progress is told before each table; nil if there is no interest.
	Progress func(done, all int, table string)
}

// List is a declared list: its service and name, and the schema of its table. Key is the key
// upstream of the identifier of its records, "" where that does not suffice to name one.
type List struct{ Service, Name, Schema, Key string }

// full is its name with the service.
func (l *List) full() string { return l.Service + "." + l.Name }

// Place is a column in which the text stands.
type Place struct {
	Family Family `json:"family"`
	Table  string `json:"table"`
	Column string `json:"column"`
	// State is that of entries of the quarantine, "" elsewhere.
	State string `json:"state,omitempty"`
	// Count is in how many rows it stands; in how many raw records, for those.
	Count int64 `json:"count"`
	// Archives is how many rows of raw records these are in.
	Archives int64 `json:"archives,omitempty"`
}

// Found is where the text stands.
type Found struct {
	// Places are in the order of the families, tables and columns.
	Places []Place `json:"places"`
	// Records are those that the places name, by resource, organization and identifier, at most
	// Limit for each; More are those of which there are more. Counts are always of all.
	Records []Record      `json:"records"`
	More    []MoreRecords `json:"more_records"`
	// Tables is how many tables were searched; LeftOut is how many were not because they do not say
	// which organization or resource their rows are of.
	Tables  int `json:"tables"`
	LeftOut int `json:"tables_left_out"`
}

// ErrRights says that the role may not read a table. A search that leaves one out proves nothing.
var ErrRights = errors.New("the role of the database may not read all tables of the program")

// Each table is read in a transaction of its own: its lock is given up between tables, and no snapshot
// of the whole search keeps dead rows from being removed. A large table takes longer than the usual
// limit of a statement.
const sqlBegin = `BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL statement_timeout = 0; SET LOCAL jit = off`

// Find searches every table of the program. It makes no lock but that of a reader, one table at a
// time. It returns ErrRights if the role may not read a table.
func Find(ctx context.Context, pool *pgxpool.Pool, q Query) (Found, error) {
	all, err := tables(ctx, pool)
	if err != nil {
		return Found{}, err
	}
	s := &search{Query: q, pool: pool, places: map[Place]*Place{}, records: map[MoreRecords]*listed{}, names: map[string]*List{}}
	for i := range q.Lists {
		l := &q.Lists[i]
		s.names[l.Schema+"."+l.Name], s.names[l.full()] = l, l
	}
	found := Found{Places: []Place{}, Records: []Record{}, More: []MoreRecords{}}
	for i, t := range all {
		if q.Progress != nil {
			q.Progress(i, len(all), t.full())
		}
		from := sourcesOf(t)
		if q.Organization != "" && from.organization == nothing || q.List != nil && from.resource == nothing {
			found.LeftOut++
			continue
		}
		found.Tables++
		if err := s.table(ctx, t, from); err != nil {
			return found, err
		}
	}
	s.collect(&found)
	return found, nil
}

// search is one call of Find.
type search struct {
	Query

	pool   *pgxpool.Pool
	places map[Place]*Place // without counts
	// records are by resource of an organization; names are the lists by both names of their
	// tables.
	records map[MoreRecords]*listed
	names   map[string]*List
}

// sources are the expressions of what a row says about its record.
type sources struct{ organization, resource, id, state string }

// nothing is the expression of what a row does not say.
const nothing = "''::text"

// sourcesOf returns where a table says which record its row is of.
func sourcesOf(t *table) sources {
	from := sources{organization: nothing, resource: nothing, id: nothing, state: nothing}
	if t.has("organization_id") {
		from.organization = "coalesce(organization_id::text, '')"
	}
	switch {
	case t.family == Rows || t.family == Arrays:
		from.resource = "'" + strings.ReplaceAll(t.schema+"."+t.root, "'", "''") + "'::text"
	case t.has("service", "resource"): // a stream of single records is called bills.details
		from.resource = "concat(service, '.', split_part(resource, '.', 1))"
	case t.has("table_name"):
		from.resource = "coalesce(table_name::text, '')"
	case t.has("resource"):
		from.resource = "coalesce(resource::text, '')"
	}
	switch {
	case t.key != "":
		from.id = pgx.Identifier{t.key}.Sanitize() + "::text"
	case t.has("record_id"):
		from.id = "coalesce(record_id::text, '')"
	}
	if t.family == Quarantine {
		from.state = "state::text"
	}
	return from
}

// table searches one table.
func (s *search) table(ctx context.Context, t *table, from sources) error {
	op := "searching " + t.full()
	selected := []string{from.organization, from.resource, from.id, from.state}
	for _, c := range t.columns {
		selected = append(selected, c.value())
	}
	sql := "SELECT " + strings.Join(selected, ", ") + " FROM " + pgx.Identifier{t.schema, t.name}.Sanitize()
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{BeginQuery: sqlBegin}, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sql, pgx.QueryExecModeDescribeExec) // statements of one use are not kept prepared
		return s.rows(t, rows)
	})
	switch {
	case gone(err): // a table that was dropped meanwhile holds nothing
		return nil
	case postgres.LacksRight(err):
		return fmt.Errorf("%w: %s", ErrRights, t.full())
	}
	return postgres.Fail(op, err)
}

func gone(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (answer.Code == "42P01" || answer.Code == "3F000") // Source: PostgreSQL, appendix A: undefined_table, invalid_schema_name
}

// rows looks at the rows of a table. Values are read where the driver has them, so that memory is
// bounded by the largest row.
func (s *search) rows(t *table, rows pgx.Rows) error {
	var r Record
	var state string
	values := make([]pgtype.DriverBytes, len(t.columns))
	into := []any{&r.Organization, &r.Resource, &r.ID, &state}
	for i := range values {
		into = append(into, &values[i])
	}
	_, err := pgx.ForEachRow(rows, into, func() error {
		if l := s.names[r.Resource]; l != nil {
			r.Resource = l.full()
		}
		if s.Organization != "" && r.Organization != s.Organization || s.List != nil && r.Resource != s.List.full() {
			return nil
		}
		named := false
		for i, c := range t.columns {
			switch {
			case values[i] == nil:
			case t.family == RawRecords && c.name == "records":
				s.archive(t, values[i], r)
			case c.holds(s.Needle, values[i]):
				s.place(t, c.name, state).Count++
				named = true
			}
		}
		if named {
			s.note(t, r)
		}
		return nil
	})
	return err
}

func (s *search) place(t *table, column, state string) *Place {
	key := Place{Family: t.family, Table: t.full(), Column: column, State: state}
	if s.places[key] == nil {
		place := key
		s.places[key] = &place
	}
	return s.places[key]
}

// archive looks at the raw records of an archive.
func (s *search) archive(t *table, text []byte, r Record) {
	if !s.Needle.mayHold(text) {
		return
	}
	records, err := archive.Split(text)
	if err != nil {
		records = [][]byte{text} // it is no array: then it is searched as it is
	}
	found := int64(0)
	for _, record := range records {
		if !s.Needle.InJSON(record) {
			continue
		}
		found++
		if l := s.names[r.Resource]; l != nil && l.Key != "" {
			r.ID = identifier(record, l.Key)
			s.note(t, r)
		}
	}
	if found > 0 {
		place := s.place(t, "records", "")
		place.Count += found
		place.Archives++
	}
}

// identifier returns the value of a key of a raw record, "" if it has none.
func identifier(record []byte, key string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal(record, &object) != nil {
		return ""
	}
	value := object[key]
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(bytes.TrimSpace(value))
}

// note lists a record, if the place names one.
func (s *search) note(t *table, r Record) {
	if r.ID == "" || r.Resource == "" {
		return
	}
	key := MoreRecords{Organization: r.Organization, Resource: r.Resource}
	if s.records[key] == nil {
		s.records[key] = &listed{}
	}
	s.records[key].note(r, t.family, s.Limit)
}

// collect puts what was found in order.
func (s *search) collect(found *Found) {
	for _, place := range s.places {
		found.Places = append(found.Places, *place)
	}
	slices.SortFunc(found.Places, func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Family.order(), b.Family.order()), cmp.Compare(a.Table, b.Table),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.State, b.State))
	})
	for key, l := range s.records {
		found.Records = append(found.Records, l.records...)
		if l.more {
			found.More = append(found.More, key)
		}
	}
	slices.SortFunc(found.Records, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Organization, b.Organization), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(found.More, func(a, b MoreRecords) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Organization, b.Organization))
	})
}

// Record is a record that a place names.
type Record struct {
	Organization string `json:"organization"`
	// Resource is service and resource, as inventory.bills.
	Resource string `json:"resource"`
	ID       string `json:"id"`
	// In are the families of the places that name it.
	In []Family `json:"in"`
}

// MoreRecords says that a resource of an organization has more records than are listed.
type MoreRecords struct {
	Organization string `json:"organization"`
	Resource     string `json:"resource"`
}

// listed are the records of one resource of one organization: those with the smallest identifiers,
// in their order. So the list is the same whatever order rows are read in, and its size is bounded.
type listed struct {
	records []Record
	more    bool
}

// note notes that a place names a record. A record that was dropped does not come back: those with
// smaller identifiers stay.
func (l *listed) note(r Record, family Family, limit int) {
	at, found := slices.BinarySearchFunc(l.records, r.ID, func(known Record, id string) int { return cmp.Compare(known.ID, id) })
	if !found {
		if at == limit {
			l.more = true
			return
		}
		l.records = slices.Insert(l.records, at, r)
		if len(l.records) > limit {
			l.records, l.more = l.records[:limit], true
		}
	}
	if in := &l.records[at].In; !slices.Contains(*in, family) {
		*in = append(*in, family)
	}
}
