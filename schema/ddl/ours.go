package ddl

import (
	"strings"

	"sluice/schema"
)

// Bookkeeping returns sluice's own columns, which follow the declared ones.
func Bookkeeping() []Column {
	return []Column{
		{
			Name: Extra, Type: "jsonb", Class: schema.FreeText,
			Comment: "Keys that upstream sent and no declaration knows, by their path; null if there are none.",
		},
		{Name: "_content_hash", Type: "bytea", Required: true, Comment: "Content hash of all that the record carried, arrays included."},
		{Name: "_call_id", Type: bigint, Required: true, Comment: "Call that brought this version; its bytes are in sluice.raw_records."},
		{Name: "_raw_position", Type: "integer", Required: true, Comment: "Place of the record's bytes among those of its call, from 0."},
		{Name: "_run_id", Type: bigint, Required: true, Comment: "Run that wrote this version."},
		{Name: "_first_seen_at", Type: Timestamp, Required: true, Comment: "When the record was first loaded."},
		{Name: "_changed_at", Type: Timestamp, Required: true, Comment: "When the row, or its tombstone, last changed here: " +
			"the start of the transaction that wrote it, so rows can appear behind a later stamp."},
		{Name: "_payload_hash", Type: bigint, Comment: "Payload hash of the bytes that this version was made of, and of all that " +
			"decided what they became; null if none was kept."},
		deletedColumn("When the record was found to be gone upstream, by upstream's clock; null while it exists. The evidence is in sluice.tombstones."),
	}
}

// deletedColumn returns the tombstone column of records and of their elements, so that a sum over
// lines needs no join to leave out deleted records.
func deletedColumn(comment string) Column {
	return Column{Name: "_deleted_at", Type: Timestamp, Comment: comment}
}

// detailState is the first of the columns for details.
const detailState = "_detail_state"

// DetailColumns returns the last columns: the state of a record's details.
func DetailColumns() []Column {
	return []Column{
		{
			Name: detailState, Type: "text", Required: true, Default: "'none_needed'",
			check: `"_detail_state" IN ('none_needed', 'pending', 'current', 'stale', 'failed')`,
			Comment: "What is known of the single record: none_needed (the list had it all), pending (not read yet), current, " +
				"stale (the list record changed since), failed (to be tried again).",
		},
		{Name: "_detail_hash", Type: "bytea", Comment: "Content hash of the single record that was last loaded; null if none was."},
		{Name: "_detail_call_id", Type: bigint, Comment: "Call that brought the single record; its bytes are in sluice.raw_records."},
		{Name: "_detail_raw_position", Type: "integer", Comment: "Place of the single record's bytes among those of its call, from 0."},
		{Name: "_detail_at", Type: Timestamp, Comment: "When the single record was last loaded or tried."},
	}
}

func detailIndex(r *schema.Resource) *Index {
	newest := r.Columns[0].ColumnName()
	for _, c := range r.Columns {
		if c.Wire == r.Modified() {
			newest = c.ColumnName()
		}
	}
	return &Index{Name: r.DetailsIndex(), Newest: newest}
}

// HistoryTable returns the table with former values of a resource's History columns. Its rows
// outlive their record, so it has no foreign key.
func HistoryTable(in string, r *schema.Resource) Table {
	key := declared(r.Columns[0])
	key.Required = true
	t := Table{
		Schema: in, Name: r.HistoryTable(),
		Columns: []Column{organization(), key}, Key: []string{OrganizationID, key.Name, "_call_id"},
	}
	var names []string
	for _, c := range HistoryColumns(r) {
		names, t.Columns = append(names, c.ColumnName()), append(t.Columns, declared(c))
	}
	t.Comment = "What " + strings.Join(names, ", ") + " of " + r.Name + " held over time, one row for each change that was seen."
	t.Columns = append(t.Columns,
		Column{Name: "_call_id", Type: bigint, Required: true, Comment: "Call that first brought these values."},
		Column{Name: "_seen_at", Type: Timestamp, Required: true, Comment: "When these values were first loaded."},
	)
	return t
}

// HistoryColumns returns the columns whose former values are kept, in the order in which History
// names them.
func HistoryColumns(r *schema.Resource) []schema.Column {
	columns := make([]schema.Column, 0, len(r.History))
	for _, wire := range r.History {
		for _, c := range r.Columns {
			if c.Wire == wire {
				columns = append(columns, c)
			}
		}
	}
	return columns
}
