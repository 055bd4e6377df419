// Package statements builds the SQL texts with which one resource is loaded, out of its declaration.
//
// It is pure: it never speaks to a database. What is executed, and in which order, is for package rows to say.
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
	// Kinds are those of the columns.
	Kinds []schema.Kind
	// Expected are the columns that COPY writes, of all tables.
	Expected []Expected
	// Children are the tables of arrays, parents before their children.
	Children []Child
	// OpenStage makes the staging table empty, CopyStage copies into it.
	OpenStage, CopyStage string
	// Archive keeps the raw records of a call and says which position the first of them got, and when; ArchivePlace says so and
	// keeps nothing. ArchiveCopy takes them in the binary format of COPY, as a row of so many fields.
	Archive, ArchivePlace, ArchiveCopy string
	ArchiveFields                      int
	// KeepHistory adds a row to the history of each record whose columns of that kind changed; "" if none are kept.
	KeepHistory string
	// List is for records of lists, Single for single records; the latter is nil where the resource declares no details.
	List   Form
	Single *Form
	// Marker is the index of the array that list records may leave out; 0 if the resource declares no details.
	Marker int
	// Settle and Tried are for single records that are not written: equal to the last one, and older than their row.
	Settle, Tried string

	schema  string // of the tables
	id      int    // index of the key among the columns
	columns int
	masks   int // number of presence masks of the staging table
}

// Form is what depends on where a record comes from: out of a list, or by itself.
type Form struct {
	// Probe says what is stored about rows, by the place of their keys among those asked for, from 1; Lock does so for rows
	// that will change.
	Probe, Lock string
	// ProbeRange is Probe with the least and the largest key besides: where nothing is stored from the one to the other, which
	// is one look into the index, no key is looked up. It needs keys that compare as their bytes do.
	ProbeRange string
	// Marks gives the fingerprints of rows by the place of their keys among those asked for, from 1, and RangeMarks the keys and
	// fingerprints of what is stored from the least key to the largest, as Range does. Only lists have them.
	Marks, RangeMarks string
	// Range gives the keys and hashes of what is stored from the least key to the largest, in their order and at most so many:
	// reading the index from one key to the next costs a fraction of looking each of them up.
	Range string
	// Insert copies new rows into the table, InsertBinary so many fields of a row in the binary format.
	Insert, InsertBinary string
	Fields               int
	// UpdateWhole is for batches whose records carry every declared key, UpdateSome leaves the columns of absent keys as they
	// are, Rewrite does so and leaves alone what says where the record came from.
	UpdateWhole, UpdateSome, Rewrite string
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
		id: -1, columns: len(resource.Columns), Kinds: kinds(resource.Columns),
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
	s.singles(quote(schemaName, resource.Name), quote(resource.Columns[s.id].ColumnName()))
	if err := s.history(resource); err != nil {
		return nil, err
	}
	s.archive()
	return s, nil
}

// readers builds the probe, and the same once more for the rows that will change: locked, in the order of the keys given, so
// that what was decided is still true when it is written.
//
// Each key is looked up by itself (OFFSET 0 keeps the planner from turning it round). A plain "= ANY" is as fast on a table
// with statistics; on one that is being filled for the first time the planner believes that an organization has half a
// percent of the rows and reads all of them for every batch. Measured with 20,000 items by 200: 44,000 instead of 148,000
// probes a second, 5,600 instead of 24,000 updates.
//
// A single record is held against the one that was loaded last, and against the later of the two calls that wrote the row.
// The probe counts a row that still waits as one that differs: that another single record is equal has to be written there.
func (s *Set) readers(table, id, modified string) {
	const look = `SELECT k.n, f._hash, f._call_id, f._modified, f._changed_at, f._row
FROM unnest($2::text[]) WITH ORDINALITY AS k (id, n) CROSS JOIN LATERAL (
SELECT %[5]s AS _hash, %[6]s AS _call_id, %[3]s AS _modified, t._changed_at, t.ctid AS _row
FROM %[1]s AS t WHERE t.organization_id = $1 AND t.%[2]s = k.id OFFSET 0%[4]s) AS f`
	const locked = " FOR NO KEY UPDATE OF t"
	s.List.Probe = fmt.Sprintf(look, table, id, modified, "", "t._hash", "t._call_id")
	const within = ` WHERE (SELECT r.%[2]s FROM %[1]s AS r WHERE r.organization_id = $1 AND r.%[2]s >= $3
ORDER BY r.organization_id, r.%[2]s LIMIT 1) <= $4`
	s.List.ProbeRange = s.List.Probe + fmt.Sprintf(within, table, id)
	const between = `SELECT t.%[2]s, %[3]s FROM %[1]s AS t WHERE t.organization_id = $1 AND t.%[2]s >= $2 AND t.%[2]s <= $3
ORDER BY t.organization_id, t.%[2]s LIMIT $4`
	s.List.Range = fmt.Sprintf(between, table, id, "t._hash")
	s.List.RangeMarks = fmt.Sprintf(between, table, id, "t._fingerprint")
	s.List.Marks = fmt.Sprintf(`SELECT k.n, f._fingerprint FROM unnest($2::text[]) WITH ORDINALITY AS k (id, n) CROSS JOIN LATERAL (
SELECT t._fingerprint FROM %[1]s AS t WHERE t.organization_id = $1 AND t.%[2]s = k.id OFFSET 0) AS f`, table, id)
	s.List.Lock = fmt.Sprintf(look, table, id, modified, locked, "t._hash", "t._call_id")
	if s.Single == nil {
		return
	}
	const call = "greatest(t._call_id, t._detail_call_id)" // greatest skips nulls
	const waited = `coalesce(CASE t._detail_state WHEN 'current' THEN t._detail_hash END, ` + NoHash + `)`
	s.Single.Probe = fmt.Sprintf(look, table, id, modified, "", waited, call)
	s.Single.Range = fmt.Sprintf(between, table, id, waited)
	s.Single.ProbeRange = s.Single.Probe + fmt.Sprintf(within, table, id)
	s.Single.Lock = fmt.Sprintf(look, table, id, modified, locked, `coalesce(t._detail_hash, `+NoHash+`)`, call)
}

// writers builds the COPY statements into the tables, and what empties an array before it is written anew.
func (s *Set) writers(tables []schema.Table) {
	for i := range tables {
		table := &tables[i]
		names := columnNames(table.Columns)
		if i == 0 {
			all := append([]string{"organization_id"}, names...)
			all = append(all, "_extra", "_hash", "_call_id", "_raw_position", "_run_id", "_first_seen_at", "_changed_at", "_fingerprint")
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
			Index: i, depth: table.Depth(), columns: len(names),
			Fields: len(all), Columns: all, Kinds: kinds(table.Columns),
			Insert: copyInto(quote(s.schema, table.Name), all), InsertBinary: copyBinary(quote(s.schema, table.Name), all),
			// Children whose own parent brings their successors (promise 7); but for rebuilds, the one DELETE on warehouse tables.
			Remove: fmt.Sprintf(`DELETE FROM %[1]s AS t WHERE t.ctid = ANY (ARRAY (SELECT f.ctid FROM unnest($2::text[]) AS k (id) CROSS JOIN LATERAL
(SELECT c.ctid FROM %[1]s AS c WHERE c.organization_id = $1 AND c._parent_id = k.id OFFSET 0) AS f))`, quote(s.schema, table.Name)),
		})
		s.Children[len(s.Children)-1].inPlace(quote(s.schema, table.Name))
	}
}

func (f *Form) insert(table string, columns []string) {
	f.Insert, f.InsertBinary, f.Fields = copyInto(table, columns), copyBinary(table, columns), len(columns)
}

func copyInto(table string, columns []string) string {
	return copyFrom(table, columns) + " WITH (FORMAT text, ENCODING 'UTF8')"
}

func copyBinary(table string, columns []string) string {
	return copyFrom(table, columns) + " WITH (FORMAT binary)"
}

func copyFrom(table string, columns []string) string {
	quoted := make([]string, len(columns))
	for i, name := range columns {
		quoted[i] = quote(name)
	}
	return "COPY " + table + " (" + strings.Join(quoted, ", ") + ") FROM STDIN"
}

func columnNames(columns []schema.Column) []string {
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.ColumnName()
	}
	return names
}

func quote(parts ...string) string { return pgx.Identifier(parts).Sanitize() }

// literal quotes a wire key; checkTables has refused those with a backslash, which only an escape string could hold.
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
	case len(record.Tables[0]) != 1 || len(record.Tables[0][0].Values) != s.columns:
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
