// Package shape says what the tables of the warehouse look like in the lake: which of their columns
// are published, and of which type each is. It turns rows as Postgres sends them into Arrow.
//
// It never opens a connection or a file. Start reading at Tables, then Reader.
package shape

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"sluice/schema"
	"sluice/schema/ddl"
)

// Precision and Scale are those of every decimal: numeric has no bounds, a decimal of Iceberg has.
// A value that does not fit is null, and stands in full in the column Inexact (invariant 4).
const (
	Precision = 38
	Scale     = 18
)

// Inexact is the column with the decimals of a row that do not fit, as JSON by column.
const Inexact = "_inexact"

// BucketField is the name of the partition, and BucketFieldID its number, which Iceberg gives to
// the first partition of a table.
const (
	BucketField   = "organization_id_bucket"
	BucketFieldID = 1000
)

// notes are columns that say how a row was read, and change without a change of the record: the log
// of changes does not tell of them.
func notes() []string {
	return []string{
		"_content_hash", "_call_id", "_raw_position", "_run_id", "_payload_hash",
		"_detail_state", "_detail_hash", "_detail_call_id", "_detail_raw_position", "_detail_at",
	}
}

// Table is one table of the warehouse in the lake.
type Table struct {
	// Schema and Name are the same in Postgres and in the lake.
	Schema, Name, Doc string
	// Record is the table of the record in the log of changes, as inventory.bills: of an array it
	// is the table of the records that have it.
	Record string
	// Service is the service of the resource.
	Service string
	// Key is the column that holds the key of the record.
	Key     string
	Columns []Column
	// order are the columns of the primary key.
	order []string
}

// Column is one column.
type Column struct {
	Name, Doc string
	// SQL is its type in Postgres, as the declarations spell it.
	SQL      string
	Required bool
}

// Full is the name of the table: inventory.bills.
func (t *Table) Full() string { return t.Schema + "." + t.Name }

// Tables are the tables of services, by their declarations. Former values of columns are not among
// them: their rows are no records.
func Tables(services []schema.Service) []Table {
	var tables []Table
	for service, resource := range schema.Each(services) {
		record := resource.SchemaName(service) + "." + resource.Name
		for _, from := range ddl.Tables(service, resource) {
			if len(resource.History) > 0 && from.Name == resource.HistoryTable() {
				continue
			}
			t := tableOf(from, record)
			t.Service = service.Name
			tables = append(tables, t)
		}
	}
	slices.SortFunc(tables, func(a, b Table) int { return strings.Compare(a.Full(), b.Full()) })
	return slices.CompactFunc(tables, func(a, b Table) bool { return a.Full() == b.Full() })
}

func tableOf(from ddl.Table, record string) Table {
	t := Table{Schema: from.Schema, Name: from.Name, Doc: from.Comment, Record: record, Key: from.Key[1], order: from.Key}
	inexact := false
	for _, c := range from.Columns {
		if slices.Contains(notes(), c.Name) {
			continue
		}
		t.Columns = append(t.Columns, Column{Name: c.Name, Doc: c.Comment, SQL: c.Type, Required: slices.Contains(from.Key, c.Name)})
		inexact = inexact || c.Type == "numeric"
	}
	if inexact {
		t.Columns = append(t.Columns, Column{
			Name: Inexact, SQL: inexactSQL,
			Doc: "Numbers of the row that do not fit their columns, in full, as JSON by column; those columns are null. Null if all fit.",
		})
	}
	return t
}

// inexactSQL marks the column that Postgres does not have.
const inexactSQL = "inexact"

// Type is the type of a column in the lake.
func (c *Column) Type() iceberg.Type {
	switch c.SQL {
	case "boolean":
		return iceberg.PrimitiveTypes.Bool
	case "integer":
		return iceberg.PrimitiveTypes.Int32
	case "bigint":
		return iceberg.PrimitiveTypes.Int64
	case "numeric":
		return iceberg.DecimalTypeOf(Precision, Scale)
	case "date":
		return iceberg.PrimitiveTypes.Date
	case ddl.Timestamp:
		return iceberg.PrimitiveTypes.TimestampTz
	default: // text, jsonb, and the column of inexact numbers
		return iceberg.PrimitiveTypes.String
	}
}

// New gives what a new table begins with: its schema, how rows fall into buckets of organizations,
// and the order within a file.
func (t *Table) New(buckets int) (*iceberg.Schema, iceberg.PartitionSpec, table.SortOrder, error) {
	fields := make([]iceberg.NestedField, len(t.Columns))
	var identifiers []int
	for i := range t.Columns {
		c := &t.Columns[i]
		fields[i] = iceberg.NestedField{ID: i + 1, Name: c.Name, Type: c.Type(), Required: c.Required, Doc: c.Doc}
		if c.Required {
			identifiers = append(identifiers, i+1)
		}
	}
	schema := iceberg.NewSchemaWithIdentifiers(0, identifiers, fields...)
	spec := iceberg.NewPartitionSpec(iceberg.PartitionField{
		SourceIDs: []int{1}, FieldID: BucketFieldID, Name: BucketField, Transform: iceberg.BucketTransform{NumBuckets: buckets},
	})
	sorted := make([]table.SortField, len(t.order))
	for i, name := range t.order {
		field, _ := schema.FindFieldByName(name)
		sorted[i] = table.SortField{
			SourceIDs: []int{field.ID}, Transform: iceberg.IdentityTransform{}, Direction: table.SortASC, NullOrder: table.NullsFirst,
		}
	}
	order, err := table.NewSortOrder(1, sorted)
	if err != nil {
		return nil, spec, order, fmt.Errorf("the order of %s: %w", t.Full(), err)
	}
	return schema, spec, order, nil
}

// Bucket is the bucket of an organization.
func Bucket(organization string, buckets int) int {
	found := iceberg.BucketTransform{NumBuckets: buckets}.Apply(iceberg.Optional[iceberg.Literal]{Valid: true, Val: iceberg.StringLiteral(organization)})
	number, _ := found.Val.Any().(int32)
	return int(number)
}

// Buckets is the number of buckets of a table in the lake; 0 if it has other partitions.
func Buckets(spec iceberg.PartitionSpec) int {
	for _, field := range spec.Fields() {
		if transform, ok := field.Transform.(iceberg.BucketTransform); ok && field.Name == BucketField {
			return transform.NumBuckets
		}
	}
	return 0
}

// SelectAll reads the rows of organizations in the order of the key. $1 are their keys.
func (t *Table) SelectAll() string {
	return "SELECT " + t.list() + " FROM " + t.from() + " WHERE t.organization_id = ANY ($1::text[]) ORDER BY " + t.orderBy()
}

// SelectSome reads the rows of records in the order of the key. $1 are the organizations and $2 the
// keys of the records.
func (t *Table) SelectSome() string {
	return "SELECT " + t.list() + " FROM unnest($1::text[], $2::text[]) AS k (organization_id, id) JOIN " + t.from() +
		" ON t.organization_id = k.organization_id AND t." + ddl.Quote(t.Key) + " = k.id ORDER BY " + t.orderBy()
}

func (t *Table) from() string { return ddl.Quote(t.Schema) + "." + ddl.Quote(t.Name) + " AS t" }

func (t *Table) orderBy() string {
	columns := make([]string, len(t.order))
	for i, name := range t.order {
		columns[i] = "t." + ddl.Quote(name)
	}
	return strings.Join(columns, ", ")
}

// list are the columns that Postgres has.
func (t *Table) list() string {
	var columns []string
	for i := range t.Columns {
		if t.Columns[i].SQL != inexactSQL {
			columns = append(columns, "t."+ddl.Quote(t.Columns[i].Name))
		}
	}
	return strings.Join(columns, ", ")
}

// Lacks are the columns that the warehouse does not have.
func (t *Table) Lacks(has []string) []string {
	var lacks []string
	for i := range t.Columns {
		if c := &t.Columns[i]; c.SQL != inexactSQL && !slices.Contains(has, c.Name) {
			lacks = append(lacks, c.Name)
		}
	}
	return lacks
}

// Filled asks which of some tables have a row.
func Filled(tables []Table) string {
	asked := make([]string, len(tables))
	for i := range tables {
		asked[i] = "SELECT " + ddl.Literal(tables[i].Full()) + " WHERE EXISTS (SELECT FROM " + tables[i].from() + ")"
	}
	return strings.Join(asked, "\nUNION ALL ")
}

// Organizations asks which organizations have rows. It walks along the key, because a table has
// many rows and few organizations.
func (t *Table) Organizations() string {
	return `
WITH RECURSIVE o (organization_id) AS (
	(SELECT t.organization_id FROM ` + t.from() + ` ORDER BY 1 LIMIT 1)
	UNION ALL
	SELECT (SELECT t.organization_id FROM ` + t.from() + ` WHERE t.organization_id > o.organization_id ORDER BY 1 LIMIT 1)
	FROM o WHERE o.organization_id IS NOT NULL
)
SELECT o.organization_id FROM o WHERE o.organization_id IS NOT NULL`
}
