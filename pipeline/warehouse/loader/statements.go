package loader

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"sluice/schema"
	"sluice/schema/normalize"
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
)

// statements are the SQL texts of one resource, built once.
type statements struct {
	name              string // service.resource, for messages
	service, resource string
	id                int // index of the key among the columns
	columns           int
	masks             int // number of presence masks of the staging table
	children          []child

	probe, lock             string
	insert                  string
	openStage, copyStage    string
	updateWhole, updateSome string
	archive                 string
}

// child is one array's table.
type child struct {
	index   int // in Record.Tables and Record.Carries
	depth   int
	columns int
	remove  string
	insert  string
}

func newStatements(service *schema.Service, resource *schema.Resource) (*statements, error) {
	tables := resource.Tables()
	if err := checkTables(service, tables); err != nil {
		return nil, err
	}
	s := &statements{
		name: service.Name + "." + resource.Name, service: service.Name, resource: resource.Name,
		id: -1, columns: len(resource.Columns),
	}
	modified := "NULL::timestamptz"
	for i, column := range resource.Columns {
		if column.Wire == resource.ID {
			s.id = i
		}
		if column.Wire == resource.Modified() {
			if column.Kind != schema.KindTime {
				return nil, fmt.Errorf("column %s is the modification time, declare it with kind time", column.Wire)
			}
			modified = "t." + quote(column.ColumnName())
		}
	}
	switch {
	case s.id < 0:
		return nil, fmt.Errorf("the key %q is not among the columns", resource.ID)
	case resource.Modified() != "" && modified == "NULL::timestamptz":
		return nil, fmt.Errorf("the modification time %q is not among the columns", resource.Modified())
	}
	s.readers(quote(service.Name, resource.Name), quote(resource.Columns[s.id].ColumnName()), modified)
	s.writers(service.Name, tables)
	s.updates(service.Name, tables)
	// The last part of the call, if it has one, says where the next one begins.
	s.archive = `INSERT INTO sluice.raw_records (call_id, first_position, organization_id, service, resource, records, kept_at)
SELECT $1, coalesce((SELECT r.first_position + json_array_length(r.records::json) FROM sluice.raw_records AS r
	WHERE r.call_id = $1 ORDER BY r.first_position DESC LIMIT 1), 0), $2, $3, $4, $5, now()
RETURNING first_position`
	return s, nil
}

// readers builds the probe, and the same once more for the rows that will change: locked, in the order of the keys given, so
// that what was decided is still true when it is written.
//
// Each key is looked up by itself (OFFSET 0 keeps the planner from turning it round). A plain "= ANY" is as fast on a table
// with statistics; on one that is being filled for the first time the planner believes that an organization has half a
// percent of the rows and reads all of them for every batch. Measured with 20,000 items by 200: 44,000 instead of 148,000
// probes a second, 5,600 instead of 24,000 updates.
func (s *statements) readers(table, id, modified string) {
	const look = `SELECT f.key, f._hash, f._call_id, f._modified, f._changed_at, f._row FROM unnest($2::text[]) AS k (id) CROSS JOIN LATERAL
(SELECT t.%[2]s AS key, t._hash, t._call_id, %[3]s AS _modified, t._changed_at, t.ctid AS _row FROM %[1]s AS t
WHERE t.organization_id = $1 AND t.%[2]s = k.id OFFSET 0%[4]s) AS f`
	s.probe = fmt.Sprintf(look, table, id, modified, "")
	s.lock = fmt.Sprintf(look, table, id, modified, " FOR NO KEY UPDATE OF t")
}

// writers builds the COPY statements into the tables, and what empties an array before it is written anew.
func (s *statements) writers(service string, tables []schema.Table) {
	for i := range tables {
		table := &tables[i]
		names := columnNames(table.Columns)
		if i == 0 {
			all := append([]string{"organization_id"}, names...)
			all = append(all, "_extra", "_hash", "_call_id", "_raw_position", "_run_id", "_first_seen_at", "_changed_at")
			s.insert = copyInto(quote(service, table.Name), all)
			continue
		}
		all := []string{"organization_id", "_parent_id"}
		if table.Depth() == maxDepth {
			all = append(all, "_parent_position")
		}
		all = append(append(all, "_position"), names...)
		s.children = append(s.children, child{
			index: i, depth: table.Depth(), columns: len(names),
			insert: copyInto(quote(service, table.Name), all),
			// The one DELETE on warehouse tables: children whose own parent brings their successors (promise 7).
			remove: fmt.Sprintf(`DELETE FROM %[1]s AS t WHERE t.ctid = ANY (ARRAY (SELECT f.ctid FROM unnest($2::text[]) AS k (id) CROSS JOIN LATERAL
(SELECT c.ctid FROM %[1]s AS c WHERE c.organization_id = $1 AND c._parent_id = k.id OFFSET 0) AS f))`, quote(service, table.Name)),
		})
	}
}

// updates builds the staging table and the two statements that empty it into the table: one for batches whose records
// carry every declared key, one that leaves the columns of absent keys as they are.
func (s *statements) updates(service string, tables []schema.Table) {
	target, columns := quote(service, tables[0].Name), columnNames(tables[0].Columns)
	s.masks = (len(columns)+len(tables)-1)/maskBits + 1
	selected := make([]string, 0, len(columns)+s.masks)
	var whole, some []string
	for i, name := range columns {
		selected = append(selected, "t."+quote(name))
		if i == s.id {
			continue
		}
		whole = append(whole, fmt.Sprintf("%[1]s = s.%[1]s", quote(name)))
		some = append(some, fmt.Sprintf("%[1]s = CASE WHEN %[2]s THEN s.%[1]s ELSE t.%[1]s END", quote(name), carries(i)))
	}
	staged := append(append([]string(nil), columns...), "_extra", "_hash", "_raw_position", "_row")
	selected = append(selected, "t._extra", "t._hash", "t._raw_position", "t.ctid AS _row")
	for mask := range s.masks {
		name := fmt.Sprintf("_has_%d", mask)
		staged, selected = append(staged, name), append(selected, "0::bigint AS "+name)
	}
	// The name holds a digest of the columns: a session that outlives a migration makes itself a new table.
	digest := sha256.Sum256([]byte(target + "\x00" + strings.Join(staged, "\x00")))
	stage := quote("pg_temp", stagePrefix+hex.EncodeToString(digest[:8]))
	s.openStage = openStage(stage, "SELECT "+strings.Join(selected, ", ")+" FROM "+target+" AS t")
	s.copyStage = copyInto(stage, staged)

	ours := []string{
		"_extra = " + mergeExtra(len(columns), tables), "_hash = s._hash", "_call_id = $1", "_raw_position = s._raw_position",
		"_run_id = $2", "_changed_at = now()",
	}
	// The places of the rows (they stay the same while locked) keep the planner from reading the table; the key joins.
	update := func(set []string) string {
		return fmt.Sprintf(`UPDATE %[1]s AS t SET %[2]s FROM %[3]s AS s
WHERE t.ctid = ANY (ARRAY (SELECT p._row FROM %[3]s AS p)) AND t.%[4]s = s.%[4]s`,
			target, strings.Join(append(set, ours...), ", "), stage, quote(columns[s.id]))
	}
	s.updateWhole, s.updateSome = update(whole), update(some)
}

// mergeExtra keeps the unknown keys of the row that the record does not mention, as an absent key does for declared ones;
// those within an array that the record carries go with the array.
func mergeExtra(columns int, tables []schema.Table) string {
	var heads strings.Builder
	for i := range tables {
		if tables[i].Depth() == 1 {
			fmt.Fprintf(&heads, " WHEN %s THEN NOT %s", literal(tables[i].Path[0]), carries(columns+i-1))
		}
	}
	keep := "true"
	if heads.Len() > 0 {
		keep = "CASE substring(e.key FROM '^[^.[]*')" + heads.String() + " ELSE true END"
	}
	return `CASE WHEN t._extra IS NULL THEN s._extra ELSE nullif(coalesce((SELECT jsonb_object_agg(e.key, e.value)
FROM jsonb_each(t._extra) AS e WHERE ` + keep + `), '{}') || coalesce(s._extra, '{}'), '{}') END`
}

// carries tests one presence bit of a staged row: the columns in order, then the tables of arrays.
func carries(bit int) string {
	return fmt.Sprintf("(s._has_%d & %d) <> 0", bit/maskBits, int64(1)<<(bit%maskBits))
}

// openStage makes the staging table empty. It belongs to the session and is used again, with the types of the table that it
// is for: measured with 45 columns, making it anew costs 33 kB of WAL for its catalog rows each time, TRUNCATE 1.6 kB, the
// emptying at commit 0.5 kB. The DELETE is for a second batch in one transaction.
func openStage(stage, query string) string {
	return "CREATE TEMP TABLE IF NOT EXISTS " + stage + " ON COMMIT DELETE ROWS AS " + query + " WITH NO DATA; DELETE FROM " + stage
}

func copyInto(table string, columns []string) string {
	quoted := make([]string, len(columns))
	for i, name := range columns {
		quoted[i] = quote(name)
	}
	return "COPY " + table + " (" + strings.Join(quoted, ", ") + ") FROM STDIN WITH (FORMAT text, ENCODING 'UTF8')"
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

func checkTables(service *schema.Service, tables []schema.Table) error {
	var found []error
	name := func(what, value string) {
		if value == "" || len(value) > maxIdentifier || strings.ContainsAny(value, "\x00\\") {
			found = append(found, fmt.Errorf("%s %q: a name needs 1 to %d bytes, without NUL and backslash", what, value, maxIdentifier))
		}
	}
	name("schema", service.Name)
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

// fits holds a record against the resource's tables before anything of it is encoded.
func (s *statements) fits(record *normalize.Record) error {
	tables := len(s.children) + 1
	wrong := func(what string) error {
		return fmt.Errorf("%w: record %q of %s %s; was it normalized with another declaration?", ErrBatch, record.ID, s.name, what)
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
	for _, child := range s.children {
		for _, row := range record.Tables[child.index] {
			if len(row.Position) != child.depth || len(row.Values) != child.columns {
				return wrong("has an array row of another shape")
			}
		}
	}
	return nil
}
