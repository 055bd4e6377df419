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

// full is the name by which places that name a resource name it.
func (l *List) full() string { return l.Service + "." + l.Name }

// table is the name by which places that name a table name it.
func (l *List) table() string { return l.Schema + "." + l.Name }

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

const (
	// Each table is read in a transaction of its own: its lock is given up between tables, and no
	// snapshot of the whole search keeps dead rows from being removed. A large table takes longer
	// than the usual limit of a statement.
	sqlBegin = `BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL statement_timeout = 0; SET LOCAL jit = off`

	// Postgres judges a table by its pages without those of long values, where nearly all of
	// versions is.
	sqlParallel = `SET LOCAL min_parallel_table_scan_size = 0; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0`

	// largeTable is the number of pages from which workers in parallel are worth their start: 32
	// MiB.
	largeTable = 4096
)

// Find searches every table of the program. It makes no lock but that of a reader, one table at a
// time, and reads in parallel where Postgres does. It returns ErrRights if the role may not read a
// table. The pool gives sessions of their own.
func Find(ctx context.Context, pool *pgxpool.Pool, q Query) (Found, error) {
	session, err := pool.Acquire(ctx)
	if err != nil {
		return Found{}, postgres.Fail("searching", err)
	}
	defer session.Release()
	conn := session.Conn()
	defer dropPatterns(ctx, conn)
	if err := q.Needle.load(ctx, conn); err != nil {
		return Found{}, err
	}
	all, err := tables(ctx, conn)
	if err != nil {
		return Found{}, err
	}
	s := &search{Query: q, conn: conn, places: map[Place]*Place{}, records: map[MoreRecords]*listed{}, names: map[string]*List{}}
	for i := range q.Lists {
		l := &q.Lists[i]
		s.names[l.table()], s.names[l.full()] = l, l
	}
	found := Found{Places: []Place{}, Records: []Record{}, More: []MoreRecords{}}
	for i, t := range all {
		if q.Progress != nil {
			q.Progress(i, len(all), t.schema+"."+t.name)
		}
		searched, err := s.table(ctx, t)
		if err != nil {
			return found, err
		}
		if searched {
			found.Tables++
		} else {
			found.LeftOut++
		}
	}
	if q.Organization == "" && q.List == nil {
		if err := s.statistics(ctx); err != nil {
			return found, err
		}
	}
	s.collect(&found)
	return found, nil
}

// search is one call of Find.
type search struct {
	Query

	conn   *pgx.Conn
	places map[Place]*Place // without counts
	// records are by resource of an organization; names are the lists by both names of their
	// tables.
	records map[MoreRecords]*listed
	names   map[string]*List
}

// sources are the expressions of what a row says about its record.
type sources struct{ organization, resource, id, state string }

// sourcesOf returns where a table says which record its row is of, and the condition of the rows
// that are asked for; false if the table has none of them.
func (s *search) sourcesOf(t *table) (sources, string, []any, bool) {
	const nothing = "''::text"
	from := sources{organization: nothing, resource: nothing, id: nothing, state: nothing}
	where, args := "", []any{}
	equals := func(expression, value string) {
		args = append(args, value)
		where += fmt.Sprintf(" AND %s = $%d", expression, len(args))
	}
	if t.has("organization_id") {
		from.organization = "coalesce(organization_id::text, '')"
	}
	if s.Organization != "" {
		if !t.has("organization_id") {
			return from, "", nil, false
		}
		equals("organization_id", s.Organization)
	}
	// A stream of single records is called bills.details.
	byTable := false
	switch {
	case t.holdsRecords():
		from.resource = "'" + strings.ReplaceAll(s.full(t.schema+"."+t.root), "'", "''") + "'::text"
	case t.has("service", "resource"):
		from.resource = "concat(service, '.', split_part(resource, '.', 1))"
	case t.has("table_name"):
		from.resource, byTable = "coalesce(table_name::text, '')", true
	case t.has("resource"):
		from.resource = "coalesce(resource::text, '')"
	}
	switch {
	case s.List == nil:
	case from.resource == nothing:
		return from, "", nil, false
	case byTable:
		equals(from.resource, s.List.table())
	default:
		equals(from.resource, s.List.full())
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
	return from, where, args, true
}

// full returns the name of a resource by either of its names.
func (s *search) full(name string) string {
	if l := s.names[name]; l != nil {
		return l.full()
	}
	return name
}

// table searches one table; false if nothing of it was asked for.
func (s *search) table(ctx context.Context, t *table) (bool, error) {
	from, where, args, asked := s.sourcesOf(t)
	if !asked {
		return false, nil
	}
	op := "searching " + t.schema + "." + t.name
	tx, err := s.conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: sqlBegin})
	if err != nil {
		return false, postgres.Fail(op, err)
	}
	defer postgres.Rollback(ctx, tx)
	if t.pages >= largeTable && t.family != RawRecords {
		if _, err := tx.Exec(ctx, sqlParallel); err != nil {
			return false, postgres.Fail(op, err)
		}
	}
	values := make([]string, len(t.columns))
	for i, c := range t.columns {
		values[i] = c.Value()
	}
	candidates := Candidates(t.columns)
	if t.family == RawRecords {
		candidates = "true" // Postgres takes longer to compare them than to send them
	}
	sql := fmt.Sprintf("SELECT %s, %s, %s, %s, %s FROM %s WHERE %s%s", from.organization, from.resource, from.id, from.state,
		strings.Join(values, ", "), pgx.Identifier{t.schema, t.name}.Sanitize(), candidates, where)
	// Statements of one use are not kept prepared.
	rows, err := tx.Query(ctx, sql, append([]any{pgx.QueryExecModeDescribeExec}, args...)...)
	if err == nil {
		err = s.rows(t, rows)
	}
	switch {
	case gone(err): // a table that was dropped meanwhile holds nothing
		return true, nil
	case postgres.LacksRight(err):
		return false, fmt.Errorf("%w: %s.%s", ErrRights, t.schema, t.name)
	}
	return true, postgres.Fail(op, err)
}

func gone(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (answer.Code == "42P01" || answer.Code == "3F000") // Source: PostgreSQL, appendix A: undefined_table, invalid_schema_name
}

// rows looks at candidates. Values are read where the driver has them, so that memory is bounded by
// the largest row.
func (s *search) rows(t *table, rows pgx.Rows) error {
	var r Record
	var state string
	values := make([]pgtype.DriverBytes, len(t.columns))
	into := []any{&r.Organization, &r.Resource, &r.ID, &state}
	for i := range values {
		into = append(into, &values[i])
	}
	_, err := pgx.ForEachRow(rows, into, func() error {
		named := false
		for i, c := range t.columns {
			if values[i] == nil {
				continue
			}
			if t.family == RawRecords && c.Name == "records" {
				s.archive(t, values[i], r)
				continue
			}
			if c.Holds(s.Needle, values[i]) {
				s.place(t, c, state).Count++
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

func (s *search) place(t *table, c Column, state string) *Place {
	key := Place{Family: t.family, Table: t.schema + "." + t.name, Column: c.Name, State: state}
	if s.places[key] == nil {
		place := key
		s.places[key] = &place
	}
	return s.places[key]
}

// archive looks at the raw records of an archive.
func (s *search) archive(t *table, text []byte, r Record) {
	if !s.Needle.In(text) && !s.Needle.mayHide(text) {
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
		place := s.place(t, Column{Name: "records"}, "")
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
	r.Resource = s.full(r.Resource)
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
	order := Families()
	slices.SortFunc(found.Places, func(a, b Place) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Family), slices.Index(order, b.Family)), cmp.Compare(a.Table, b.Table),
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
