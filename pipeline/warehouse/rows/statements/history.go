package statements

import (
	"fmt"
	"strings"

	"sluice/schema"
)

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
	s.EnableHistory = fmt.Sprintf(`INSERT INTO %[2]s (organization_id, %[3]s, %[4]s, _call_id, _seen_at)
SELECT $1, f.%[3]s, %[5]s, $3, now() FROM unnest($2::text[]) AS k (id) CROSS JOIN LATERAL
(SELECT t.%[3]s, %[6]s FROM %[1]s AS t WHERE t.organization_id = $1 AND t.%[3]s = k.id OFFSET 0) AS f LEFT JOIN LATERAL
(SELECT %[7]s FROM %[2]s AS h WHERE h.organization_id = $1 AND h.%[3]s = k.id ORDER BY h._seen_at DESC, h._call_id DESC LIMIT 1) AS h ON true
WHERE (%[5]s) IS DISTINCT FROM (%[7]s)
ON CONFLICT (organization_id, %[3]s, _call_id) DO UPDATE SET %[8]s, _seen_at = excluded._seen_at`,
		table, kept, quote(resource.Columns[s.id].ColumnName()), strings.Join(names, ", "), all("f."), all("t."), all("h."),
		strings.Join(set, ", "))
	return nil
}
