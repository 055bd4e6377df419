package render

import (
	"strings"

	"sluice/schema"
)

// bookkeeping are the columns of ours behind the declared ones.
func bookkeeping() []column {
	return []column{
		{name: "_extra", kind: "jsonb", comment: "Keys that upstream sent and no declaration knows, by their path; null if there are none."},
		{name: "_hash", kind: "bytea", required: true, comment: "Content hash of all that the record carried, arrays included."},
		{name: "_call_id", kind: bigint, required: true, comment: "Call that brought this version; its bytes are in sluice.raw_records."},
		{name: "_raw_position", kind: "integer", required: true, comment: "Place of the record's bytes among those of its call, from 0."},
		{name: "_run_id", kind: bigint, required: true, comment: "Run that wrote this version."},
		{name: "_first_seen_at", kind: stamp, required: true, comment: "When the record was first loaded."},
		{name: "_changed_at", kind: stamp, required: true, comment: "When the row, or its tombstone, last changed here: " +
			"the start of the transaction that wrote it, so rows can appear behind a later stamp."},
		{name: "_fingerprint", kind: bigint, comment: "Fingerprint of the bytes that this version was made of, and of all that " +
			"decided what they became; null if none was kept."},
		deletedColumn("When the record was found to be gone upstream, by upstream's clock; null while it exists. The evidence is in sluice.tombstones."),
	}
}

// deletedColumn is the tombstone of a row: of records, and of their elements, so
// that whoever sums up lines needs no join to leave out the dead.
func deletedColumn(comment string) column {
	return column{name: "_deleted_at", kind: stamp, comment: comment}
}

// detailState is the column by which the others of details came into a table.
const detailState = "_detail_state"

// detailColumns say, behind the others, what is known of a record's details.
func detailColumns() []column {
	return []column{
		{
			name: detailState, kind: "text", required: true, initial: "'none_needed'",
			check: `"_detail_state" IN ('none_needed', 'pending', 'current', 'stale', 'failed')`,
			comment: "What is known of the single record: none_needed (the list had it all), pending (not read yet), current, " +
				"stale (the list record changed since), failed (to be tried again).",
		},
		{name: "_detail_hash", kind: "bytea", comment: "Content hash of the single record that was last loaded; null if none was."},
		{name: "_detail_call_id", kind: bigint, comment: "Call that brought the single record; its bytes are in sluice.raw_records."},
		{name: "_detail_raw_position", kind: "integer", comment: "Place of the single record's bytes among those of its call, from 0."},
		{name: "_detail_at", kind: stamp, comment: "When the single record was last loaded or tried."},
	}
}

func detailIndex(r *schema.Resource) *index {
	newest := r.Columns[0].ColumnName()
	for _, c := range r.Columns {
		if c.Wire == r.Modified() {
			newest = c.ColumnName()
		}
	}
	return &index{name: r.DetailsIndex(), newest: newest}
}

// historyTable keeps what the History columns of a resource once held. Its rows
// outlive their record, so no foreign key leads to it.
func historyTable(in string, r *schema.Resource) table {
	key := declared(r.Columns[0])
	key.required = true
	t := table{
		schema: in, name: r.HistoryTable(), comment: historyDoc(r),
		columns: []column{organization(), key}, key: []string{organizationID, key.name, "_call_id"},
	}
	for _, c := range historyColumns(r) {
		t.columns = append(t.columns, declared(c))
	}
	t.columns = append(t.columns,
		column{name: "_call_id", kind: bigint, required: true, comment: "Call that first brought these values."},
		column{name: "_seen_at", kind: stamp, required: true, comment: "When these values were first loaded."},
	)
	return t
}

func historyColumns(r *schema.Resource) []schema.Column {
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

func historyDoc(r *schema.Resource) string {
	names := make([]string, 0, len(r.History))
	for _, c := range historyColumns(r) {
		names = append(names, c.ColumnName())
	}
	return "What " + strings.Join(names, ", ") + " of " + r.Name + " held over time, one row for each change that was seen."
}
