// Package statements builds the SQL texts with which one resource is loaded, out of its
// declaration.
//
// It is pure: it never speaks to a database. What is executed, and in which order, is for package
// rows to say.
//
// Start reading at Set, then New.
package statements

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"sluice/schema"
	"sluice/schema/record"
)

const (
	// maxIdentifier is where Postgres cuts names: two long ones would become one.
	maxIdentifier = 63
	// maxDepth is how deep arrays may nest: the key of a row holds two positions at most.
	maxDepth = 2
	// stagePrefix begins the name of every staging table.
	stagePrefix = "sluice_stage_"
	// maskBits is how many presence bits one bigint holds without its sign.
	maskBits = 62
	// NoHash stands, in SQL, for a hash that is not there: no record has it.
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
	// OpenStage makes the staging table empty, CopyStage copies into it, as rows of so many fields.
	OpenStage, CopyStage string
	StageFields          int
	// EnableHistory adds a row to the history of each record whose columns of that kind changed; ""
	// if none are kept.
	EnableHistory string
	// List is for records of lists, Single for single records; the latter is nil where the resource
	// declares no details.
	List   Form
	Single *Form
	// Marker is the index of the array that list records may leave out; 0 if the resource declares
	// no details.
	Marker int
	// TouchDetail is for rows at places whose single records are not written; it ends the wait of
	// those at the second places.
	TouchDetail string

	schema string // of the tables
	id     int    // index of the key among the columns
	masks  int    // number of presence masks of the staging table
}

// Form is what depends on where a record comes from: out of a list, or by itself.
type Form struct {
	// Look gives what is stored under keys, by their places from 1; Lock gives the same of rows
	// that will change, locked in the order in which their keys are given, so that what was decided
	// is still true when it is written.
	Look, Lock string
	// Range gives the same from one key to another, with the keys, in the order of their bytes and
	// at most so many; "" for single records, of which a batch has few.
	Range string
	// Insert copies new rows into the table, of so many fields.
	Insert string
	Fields int
	// Update empties the staging table into the rows, and leaves the columns of absent keys as they
	// are. Rewrite does so and leaves alone what says where the record came from.
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

// readers builds the looks at what is stored: the place of the key among those asked for, hash,
// call, modification time, time of the last change, place, whether the hash counts, and the
// fingerprint of the list's record.
//
// Each key is looked up by itself, and LIMIT keeps the planner to that: its index scan is the same
// for any number of keys, with statistics and without. Of an array of keys it believes, in a table
// that is being filled for the first time, that the organization has half a percent of the rows,
// and reads all of them for every batch.
//
// A single record is held against the one that was loaded last, and against the later of the two
// calls that wrote the row. The hash of a row that still waits does not count: that another single
// record is equal has to be written there.
func (s *Set) readers(table, id, modified string) {
	look := func(f *Form, hash, call, settled, fingerprint string) {
		columns := fmt.Sprintf("%s, %s, %s, t._changed_at, t.ctid, %s, %s FROM %s AS t WHERE t.organization_id = $1",
			hash, call, modified, settled, fingerprint, table)
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
			"greatest(t._call_id, t._detail_call_id)", // which skips nulls
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

// CopyInto is the statement that copies into columns of a table, which is quoted, in the binary
// format.
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

// literal quotes a wire key; checkTables has refused those with a backslash, which only an escape
// string could hold.
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

// Fits holds a record against the resource's tables before anything of it is encoded.
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
