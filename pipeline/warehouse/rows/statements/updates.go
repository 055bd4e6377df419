package statements

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"sluice/schema"
	"sluice/schema/record"
)

// updates builds the staging table and the statements that write its rows to the table.
func (s *Set) updates(tables []schema.Table, modified string) {
	target, columns := quote(s.schema, tables[0].Name), s.Columns
	s.masks = (len(columns)+len(tables)-1)/maskBits + 1
	selected := make([]string, 0, len(columns)+s.masks)
	var set []string
	for i, name := range columns {
		selected = append(selected, "t."+quote(name))
		if i == s.id {
			continue
		}
		set = append(set, fmt.Sprintf("%[1]s = CASE WHEN %[2]s THEN s.%[1]s ELSE t.%[1]s END", quote(name), carries(i)))
	}
	staged := append(append([]string(nil), columns...), "_extra", "_content_hash", "_payload_hash", "_raw_position", "_row")
	selected = append(selected, "t._extra", "t._content_hash", "t._payload_hash", "t._raw_position", "t.ctid AS _row")
	for mask := range s.masks {
		name := fmt.Sprintf("_has_%d", mask)
		staged, selected = append(staged, name), append(selected, "0::bigint AS "+name)
	}
	// The name holds a digest of the columns: a session that outlives a migration creates a new
	// table.
	digest := sha256.Sum256([]byte(target + "\x00" + strings.Join(staged, "\x00")))
	stage := quote("pg_temp", stagePrefix+hex.EncodeToString(digest[:8]))
	s.OpenStage = openStage(stage, "SELECT "+strings.Join(selected, ", ")+" FROM "+target+" AS t")
	s.CopyStage, s.StageFields = CopyInto(stage, staged), len(staged)

	extra := "_extra = " + mergeExtra(tables)
	// The addresses of the rows, fixed while the rows are locked, keep the planner from reading the
	// whole table; the join is by key.
	update := func(changed string, ours ...string) string {
		return fmt.Sprintf(`UPDATE %[1]s AS t SET %[2]s FROM %[3]s AS s
WHERE t.ctid = ANY (ARRAY (SELECT p._row FROM %[3]s AS p)) AND t.%[4]s = s.%[4]s`,
			target, strings.Join(slices.Concat(set, []string{extra, "_changed_at = " + changed}, ours), ", "), stage, quote(columns[s.id]))
	}
	const now, made = "now()", "_content_hash = s._content_hash, _payload_hash = s._payload_hash" // both hashes belong to one record
	// A row that has no such hashes, because a single record made another version of it, gets none
	// when it is rewritten.
	const again = "_content_hash = CASE WHEN t._content_hash = " + NoHash + " THEN t._content_hash ELSE s._content_hash END, " +
		"_payload_hash = CASE WHEN t._content_hash <> " + NoHash + " THEN s._payload_hash END"
	ours := []string{made, "_call_id = $1", "_raw_position = s._raw_position", "_run_id = $2"}
	if s.Single != nil {
		ours = append(ours, s.detailStateAfterList()...)
		single := []string{
			s.clearListHash(modified),
			"_detail_state = 'current'", "_detail_hash = s._content_hash", "_detail_call_id = $1",
			"_detail_raw_position = s._raw_position", "_detail_at = now()",
		}
		s.Single.Update = update(now, single...)
		// A row whose list record changed since has no detail hash, and gets none: its single
		// record has to be loaded again.
		s.Single.Rewrite = update(now, "_detail_hash = CASE WHEN t._detail_hash IS NOT NULL THEN s._content_hash END")
	}
	// Rewritten, a row of which the declaration makes the same as before has not changed.
	const kept = "CASE WHEN t._content_hash = s._content_hash THEN t._changed_at ELSE now() END"
	s.List.Update, s.List.Rewrite = update(now, ours...), update(kept, again)
}

// mergeExtra keeps the unknown keys of the row that the record does not mention, as updates keep
// declared columns whose keys are absent. Unknown keys within an array that the record carries are
// replaced with the array. A key that is declared by now is removed.
func mergeExtra(tables []schema.Table) string {
	columns := tables[0].Columns
	var wires []string
	for i := range columns {
		for _, wire := range []string{columns[i].Wire, columns[i].Also} {
			if wire != "" {
				wires = append(wires, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(wire)+`"`)
			}
		}
	}
	// One literal for all names: the statement is planned anew for every batch.
	declared := literal("{"+strings.Join(wires, ",")+"}") + "::text[]"
	const head = "substring(e.key FROM '^[^.[]*')"
	keep := []string{head + " <> ALL (" + declared + ")"}
	for i := range tables {
		if tables[i].Depth() != 1 {
			continue
		}
		within := head + " = " + literal(tables[i].Path[0])
		if prefix := tables[i].Child.Prefix; prefix != "" {
			within = "starts_with(e.key, " + literal(prefix) + ")"
		}
		keep = append(keep, "NOT ("+within+" AND "+carries(len(columns)+i-1)+")")
	}
	return `CASE WHEN t._extra IS NULL THEN s._extra ELSE nullif(coalesce((SELECT jsonb_object_agg(e.key, e.value)
FROM jsonb_each(t._extra) AS e WHERE ` + strings.Join(keep, " AND ") + `), '{}') || coalesce(s._extra, '{}'), '{}') END`
}

// carries tests one presence bit of a staged row. The bits are the columns in order, then the
// tables of arrays.
func carries(bit int) string {
	return fmt.Sprintf("(s._has_%d & %d) <> 0", bit/maskBits, int64(1)<<(bit%maskBits))
}

// openStage creates and empties the staging table, which the session reuses. Measured with 45
// columns, creating it anew costs 33 kB of WAL for its catalog rows each time, TRUNCATE 1.6 kB,
// emptying it at commit 0.5 kB. The DELETE is for a second batch in one transaction.
func openStage(stage, query string) string {
	return "CREATE TEMP TABLE IF NOT EXISTS " + stage + " ON COMMIT DELETE ROWS AS " + query + " WITH NO DATA; DELETE FROM " + stage
}

// Presence returns the presence masks of a record for the staging table, in the order of carries.
func (s *Set) Presence(rec *record.Record) []int64 {
	masks := make([]int64, s.masks)
	set := func(bit int) { masks[bit/maskBits] |= 1 << (bit % maskBits) }
	for i, value := range rec.Tables[0][0].Values {
		if value.State != record.Absent {
			set(i)
		}
	}
	for i, carried := range rec.Carries[1:] {
		if carried {
			set(len(s.Columns) + i)
		}
	}
	return masks
}

// history builds the statement that compares rows just written with the last entry in their
// history. If a record came twice with one call, the later one counts.
func (s *Set) history(resource *schema.Resource) error {
	if len(resource.History) == 0 {
		return nil
	}
	names := make([]string, len(resource.History))
	for i, wire := range resource.History {
		for _, column := range resource.Columns {
			if column.Wire == wire {
				names[i] = quote(column.ColumnName())
			}
		}
		if names[i] == "" {
			return fmt.Errorf("the column %q, whose history is kept, is not among the columns", wire)
		}
	}
	table, kept := quote(s.schema, resource.Name), quote(s.schema, resource.Name+"_history")
	if len(resource.Name+"_history") > maxIdentifier {
		return fmt.Errorf("table %s: the name has more than %d bytes", kept, maxIdentifier)
	}
	all := func(alias string) string { return alias + strings.Join(names, ", "+alias) }
	set := make([]string, len(names))
	for i, name := range names {
		set[i] = name + " = excluded." + name
	}
	s.ColumnHistory = fmt.Sprintf(`INSERT INTO %[2]s (organization_id, %[3]s, %[4]s, _call_id, _seen_at)
SELECT $1, f.%[3]s, %[5]s, $3, now() FROM unnest($2::text[]) AS k (id) CROSS JOIN LATERAL
(SELECT t.%[3]s, %[6]s FROM %[1]s AS t WHERE t.organization_id = $1 AND t.%[3]s = k.id OFFSET 0) AS f LEFT JOIN LATERAL
(SELECT %[7]s FROM %[2]s AS h WHERE h.organization_id = $1 AND h.%[3]s = k.id ORDER BY h._seen_at DESC, h._call_id DESC LIMIT 1) AS h ON true
WHERE (%[5]s) IS DISTINCT FROM (%[7]s)
ON CONFLICT (organization_id, %[3]s, _call_id) DO UPDATE SET %[8]s, _seen_at = excluded._seen_at`,
		table, kept, quote(resource.Columns[s.id].ColumnName()), strings.Join(names, ", "), all("f."), all("t."), all("h."),
		strings.Join(set, ", "))
	return nil
}
