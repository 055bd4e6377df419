// Package statements builds the SQL texts that load one resource, from its declaration.
//
// It is pure: it never connects to a database. Package rows decides what is executed, and in which
// order.
//
// Start reading at Set, then New.
package statements

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/schema"
	"sluice/schema/record"
)

const (
	// maxIdentifier is the length at which Postgres truncates names: two long names would become
	// one.
	maxIdentifier = 63
	// maxDepth is how deep arrays may nest: the key of a row holds two positions at most.
	maxDepth = 2
	// stagePrefix begins the name of every staging table.
	stagePrefix = "sluice_stage_"
	// maskBits is how many presence bits one bigint holds, without its sign.
	maskBits = 62
	// NoHash is the SQL literal for a missing hash: no record has this value.
	NoHash = `'\x00000000000000000000000000000000'::bytea`
)

// Set is the SQL texts of one resource, built once.
type Set struct {
	// Name is service.resource, for messages.
	Name              string
	Service, Resource string
	// Columns are the names of the declared columns, Kinds their kinds.
	Columns []string
	Kinds   []schema.Kind
	// Expected are the columns that COPY writes, of all tables.
	Expected []Expected
	// Children are the tables of arrays, parents before their children.
	Children []Child
	// OpenStage creates the staging table if necessary and empties it. CopyStage copies into it, in
	// rows of StageFields fields.
	OpenStage, CopyStage string
	StageFields          int
	// ColumnHistory adds a row to the history of each record whose columns with history changed; ""
	// if no column has one.
	ColumnHistory string
	// List is for records of lists, Single for single records; the latter is nil where the resource
	// declares no details.
	List   Form
	Single *Form
	// Marker is the index of the array that complete list records carry and headers do not; 0 if
	// the resource declares no details.
	Marker int
	// TouchDetail updates the detail state of rows whose single records are not written. Its
	// parameters are the addresses of the rows, and of those among them that become current.
	TouchDetail string

	schema string // of the tables
	id     int    // index of the key among the columns
	masks  int    // number of presence masks of the staging table
}

// Form holds the statements that depend on the source of a record: a list, or a single record.
type Form struct {
	// Look returns what is stored under keys, with the index of each key from 1. Lock returns the
	// same for rows that will change and locks them, in the order of the given keys. So decisions
	// about them stay valid until they are written.
	Look, Lock string
	// Range returns the same for all rows between two keys, with the keys, in the order of their
	// bytes and up to a limit. It is "" for single records, since a batch has few of them.
	Range string
	// Insert copies new rows into the table; Fields is the number of fields of each.
	Insert string
	Fields int
	// Update writes the staging table's rows to the table, and leaves the columns of absent keys as
	// they are. Rewrite does so and keeps the columns that say where the record came from.
	Update, Rewrite string
}

// New builds the statements of a resource. Its error says why the resource cannot be loaded.
func New(service *schema.Service, resource *schema.Resource) (*Set, error) {
	tables := resource.Tables()
	schemaName := resource.SchemaName(service)
	if err := checkTables(schemaName, tables); err != nil {
		return nil, err
	}
	s := &Set{
		Name: service.Name + "." + resource.Name, Service: service.Name, Resource: resource.Name, schema: schemaName,
		id: -1, Columns: columnNames(resource.Columns), Kinds: kinds(resource.Columns),
	}
	modified, changes := "NULL::timestamptz", ""
	for i, column := range resource.Columns {
		if column.Wire == resource.ID {
			s.id = i
		}
		if column.Wire == resource.Modified() {
			if column.Kind != schema.KindTime {
				return nil, fmt.Errorf("column %s is the modification time, declare it with kind time", column.Wire)
			}
			changes = quote(column.ColumnName())
			modified = "t." + changes
		}
	}
	switch {
	case s.id < 0:
		return nil, fmt.Errorf("the key %q is not among the columns", resource.ID)
	case resource.Modified() != "" && modified == "NULL::timestamptz":
		return nil, fmt.Errorf("the modification time %q is not among the columns", resource.Modified())
	}
	if err := s.findMarker(resource, tables); err != nil {
		return nil, err
	}
	s.readers(quote(schemaName, resource.Name), quote(resource.Columns[s.id].ColumnName()), modified)
	s.writers(tables)
	s.expect(tables)
	s.updates(tables, changes)
	s.singles(quote(schemaName, resource.Name))
	if err := s.history(resource); err != nil {
		return nil, err
	}
	return s, nil
}

// readers builds the statements that read what is stored. They return the index of the key in the
// request, hash, call, modification time, time of the last change, address, whether the hash
// counts, and the payload hash of the list's record.
//
// Each key is looked up separately, and LIMIT makes the planner do so: it uses the same index scan
// for any number of keys, with or without statistics. Given an array of keys, in a table that is
// being filled for the first time, the planner assumes that the organization has half a percent of
// the rows. Then it reads all of them for every batch.
//
// A single record is compared with the single record that was loaded last, and with the later of
// the two calls that wrote the row. If the row still waits for its single record, its hash does not
// count: an equal single record has to be recorded, too.
func (s *Set) readers(table, id, modified string) {
	look := func(f *Form, hash, call, settled, payload string) {
		columns := fmt.Sprintf("%s, %s, %s, t._changed_at, t.ctid, %s, %s FROM %s AS t WHERE t.organization_id = $1",
			hash, call, modified, settled, payload, table)
		const byKey = `SELECT k.n, f.* FROM unnest($2::text[]) WITH ORDINALITY AS k (id, n) CROSS JOIN LATERAL (
SELECT %s AND t.%s = k.id LIMIT 1%s) AS f`
		f.Look, f.Lock = fmt.Sprintf(byKey, columns, id, ""), fmt.Sprintf(byKey, columns, id, " FOR NO KEY UPDATE OF t")
		if f == &s.List {
			f.Range = fmt.Sprintf(`SELECT t.%[1]s, %[2]s AND t.%[1]s COLLATE "C" >= $2 AND t.%[1]s COLLATE "C" <= $3
ORDER BY t.organization_id, t.%[1]s COLLATE "C" LIMIT $4`, id, columns)
		}
	}
	look(&s.List, "t._content_hash", "t._call_id", "true", "t._payload_hash")
	if s.Single != nil {
		look(s.Single, "coalesce(t._detail_hash, "+NoHash+")",
			"greatest(t._call_id, t._detail_call_id)", // greatest skips nulls
			"t._detail_state = 'current'", "NULL::bigint")
	}
}

// writers builds the COPY statements into the tables.
func (s *Set) writers(tables []schema.Table) {
	for i := range tables {
		table := &tables[i]
		names := columnNames(table.Columns)
		if i == 0 {
			all := append([]string{"organization_id"}, names...)
			all = append(all, "_extra", "_content_hash", "_call_id", "_raw_position", "_run_id", "_first_seen_at", "_changed_at", "_payload_hash")
			into := quote(s.schema, table.Name)
			s.List.insert(into, all)
			if s.Single != nil {
				s.List.insert(into, slices.Concat(all, []string{"_detail_state"}))
				s.Single.insert(into, slices.Concat(all, []string{
					"_detail_state", "_detail_hash", "_detail_call_id", "_detail_raw_position", "_detail_at",
				}))
			}
			continue
		}
		all := []string{"organization_id", "_parent_id"}
		if table.Depth() == maxDepth {
			all = append(all, "_parent_position")
		}
		all = append(append(all, "_position"), names...)
		s.Children = append(s.Children, Child{
			Index: i, Table: table.Name, depth: table.Depth(), columns: len(names),
			Fields: len(all), Columns: all, Kinds: kinds(table.Columns),
			Insert: CopyInto(quote(s.schema, table.Name), all),
		})
		s.Children[len(s.Children)-1].inPlace(quote(s.schema, table.Name))
	}
}

func (f *Form) insert(table string, columns []string) {
	f.Insert, f.Fields = CopyInto(table, columns), len(columns)
}

// CopyInto returns the statement that copies into columns of a table in the binary format. The
// table's name is quoted already.
func CopyInto(table string, columns []string) string {
	quoted := make([]string, len(columns))
	for i, name := range columns {
		quoted[i] = quote(name)
	}
	return "COPY " + table + " (" + strings.Join(quoted, ", ") + ") FROM STDIN WITH (FORMAT binary)"
}

func columnNames(columns []schema.Column) []string {
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.ColumnName()
	}
	return names
}

func quote(parts ...string) string { return pgx.Identifier(parts).Sanitize() }

// literal quotes a wire key. checkTables has refused keys with a backslash, which would need an
// escape string.
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func checkTables(schemaName string, tables []schema.Table) error {
	var found []error
	name := func(what, value string) {
		if value == "" || len(value) > maxIdentifier || strings.ContainsAny(value, "\x00\\") {
			found = append(found, fmt.Errorf("%s %q: a name needs 1 to %d bytes, without NUL and backslash", what, value, maxIdentifier))
		}
	}
	name("schema", schemaName)
	for i := range tables {
		name("table", tables[i].Name)
		if tables[i].Depth() > maxDepth {
			found = append(found, fmt.Errorf("table %q: arrays nest %d deep, at most %d can be keyed", tables[i].Name, tables[i].Depth(), maxDepth))
		}
		for _, key := range tables[i].Path {
			name("array", key)
		}
		for _, column := range tables[i].Columns {
			name("column of "+tables[i].Name, column.ColumnName())
		}
	}
	return errors.Join(found...)
}

// Fits checks a record against the resource's tables before it is encoded.
func (s *Set) Fits(record *record.Record) error {
	tables := len(s.Children) + 1
	wrong := func(what string) error {
		return fmt.Errorf("record %q of %s %s; was it normalized with another declaration?", record.ID, s.Name, what)
	}
	switch {
	case record.ID == "":
		return wrong("has no key")
	case len(record.Tables) != tables || len(record.Carries) != tables:
		return wrong(fmt.Sprintf("has %d tables instead of %d", len(record.Tables), tables))
	case len(record.Tables[0]) != 1 || len(record.Tables[0][0].Values) != len(s.Columns):
		return wrong("does not have one row of the declared columns")
	case record.Tables[0][0].Values[s.id].Text != record.ID:
		return wrong("has another value in its key column")
	}
	for _, child := range s.Children {
		for _, row := range record.Tables[child.Index] {
			if len(row.Position) != child.depth || len(row.Values) != child.columns {
				return wrong("has an array row of another shape")
			}
		}
	}
	return nil
}

// findMarker finds the array that tells complete list records from headers.
func (s *Set) findMarker(resource *schema.Resource, tables []schema.Table) error {
	if resource.Details == nil {
		return nil
	}
	for i := range tables {
		if tables[i].Depth() == 1 && tables[i].Path[0] == resource.Details.Marker {
			s.Marker, s.Single = i, new(Form)
			return nil
		}
	}
	return fmt.Errorf("the array %q, by which headers are told, is not among the children", resource.Details.Marker)
}

// detailStateAfterList is what a list record does to the detail state of a row that it changes. If
// it is a header, its single record has to be read, unless that was read already and the header
// shows the same version. The same holds for a whole list record whose call was reserved before
// that of the last single record but which came after it: it may have restored older values. The
// hash of the last single record is cleared, since the list made the row last.
func (s *Set) detailStateAfterList() []string {
	return []string{"_detail_state = CASE WHEN " + carries(len(s.Columns)+s.Marker-1) + ` AND $1 >= coalesce(t._detail_call_id, 0) THEN 'none_needed'
WHEN t._detail_state IN ('pending', 'failed') THEN 'pending' WHEN ` + s.shownBySingle() + " THEN 'current' ELSE 'stale' END", "_detail_hash = NULL"}
}

// shownBySingle tests whether a header has no other values than a single record that was read
// before it, because a change notification told of it: the list has not shown that version yet.
func (s *Set) shownBySingle() string {
	same := []string{
		"t._detail_state = 'current'", "(t._content_hash = " + NoHash + " OR t._content_hash = t._detail_hash)",
		"(s._extra IS NULL OR t._extra @> s._extra)",
	}
	for i, column := range s.Columns {
		if i != s.id {
			same = append(same, fmt.Sprintf("(NOT %s OR s.%[2]s IS NOT DISTINCT FROM t.%[2]s)", carries(i), quote(column)))
		}
	}
	for i := range s.Children {
		same = append(same, "NOT "+carries(len(s.Columns)+i))
	}
	return strings.Join(same, " AND ")
}

// clearListHash is what a single record with another modification time does to the hashes of the
// list's record: they are cleared, since the row has another version. If upstream goes back to the
// old version, the list shows the same bytes as before, and these have to be compared like any
// others. Modified is the column of the modification time, "" if there is none.
func (*Set) clearListHash(modified string) string {
	if modified == "" {
		return "_content_hash = t._content_hash"
	}
	other := fmt.Sprintf("s.%[1]s <> t.%[1]s", modified)
	return fmt.Sprintf("_content_hash = CASE WHEN %[1]s THEN %[2]s ELSE t._content_hash END, "+
		"_payload_hash = CASE WHEN %[1]s THEN NULL ELSE t._payload_hash END", other, NoHash)
}

// singles builds the statement for single records that change only the state of their row.
func (s *Set) singles(table string) {
	if s.Single == nil {
		return
	}
	s.TouchDetail = fmt.Sprintf(`UPDATE %s AS t
SET _detail_state = CASE WHEN t.ctid = ANY ($2) THEN 'current' ELSE t._detail_state END, _detail_at = now()
WHERE t.ctid = ANY ($1)`, table)
}

// Place reads from an error the table and column of the refused value. COPY names them in the
// context only: COPY bills, line 3, column total. The staging table counts as the table it is for.
func (s *Set) Place(pg *pgconn.PgError) string {
	table, column := pg.TableName, pg.ColumnName
	if _, rest, found := strings.Cut("\n"+pg.Where, "\nCOPY "); found { // an error inside JSON has a line of its own before
		copied, line, _ := strings.Cut(rest, ", line ")
		table = cmp.Or(table, copied)
		if _, after, found := strings.Cut(line, ", column "); found {
			named, _, _ := strings.Cut(after, "\n")
			column = cmp.Or(column, named)
		}
	}
	return s.Path(table, column)
}

// Path names a column of a table of the resource; an unknown column is "".
func (s *Set) Path(table, column string) string {
	if table == "" || strings.HasPrefix(table, stagePrefix) {
		table = s.Resource
	}
	return strings.TrimSuffix(s.schema+"."+table+"."+column, ".")
}
