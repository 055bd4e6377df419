package cli

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"sluice/sandbox"
)

// TestPagesOfTheDictionary holds the pages against docs/dictionary.md, and follows a search.
func TestPagesOfTheDictionary(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 5})
	text, err := os.ReadFile("../../../docs/dictionary.md")
	must(t, err)
	s.visited(aViewer, false, func(v *desk) {
		var all []tableEntry
		must(t, json.Unmarshal([]byte(v.get(http.StatusOK, "/dictionary?format=json")), &all))
		lines, tables := map[string]bool{}, 0
		for line := range strings.Lines(string(text)) {
			for _, before := range []string{"- Table: `", "**`"} { // a history is listed apart
				if rest, ok := strings.CutPrefix(line, before); ok {
					name, _, _ := strings.Cut(rest, "`")
					lines[name], tables = true, tables+1
				}
			}
			if cells := strings.Split(line, " | "); len(cells) > 1 {
				lines[cells[0]+" | "+cells[1]] = true
				if len(cells) > 2 { // a column of an array, behind its table
					lines["| "+cells[1]+" | "+cells[2]] = true
				}
			}
		}
		if len(all) != tables {
			t.Errorf("%d tables, docs/dictionary.md has %d", len(all), tables)
		}
		for _, table := range all {
			if !lines[table.Schema+"."+table.Table] {
				t.Errorf("docs/dictionary.md has no table %s.%s", table.Schema, table.Table)
			}
			for _, column := range table.Columns {
				ours := column.Name == "organization_id" || strings.HasPrefix(column.Name, "_")
				if !ours && !lines["| `"+column.Name+"` | "+column.Type] {
					t.Errorf("docs/dictionary.md has no column %s.%s %s", table.Table, column.Name, column.Type)
				}
			}
		}
		v.says("/dictionary", "inventory", `href="/dictionary/chat"`)
		v.says("/dictionary?q=BILL_ID", `href="/dictionary/inventory/bills"`, "<code>bill_id</code>")
		v.says("/dictionary?q=%3Cscript%3E", "Nothing matches", "&lt;script&gt;")
		v.says("/dictionary/inventory", `href="/dictionary/inventory/bills_line_items"`, `href="/dictionary/inventory/bills"><bdi>bills</bdi></a>`)
		v.says("/dictionary/inventory/bills", "bill_id", "text", "free text", "bills_line_items", "organization_id, bill_id")
		v.says("/dictionary/inventory/bills_line_items", `href="/dictionary/inventory/bills"`)
		v.get(http.StatusNotFound, "/dictionary/inventory/unicorns")
		v.get(http.StatusNotFound, "/dictionary/unicorns")
	})
}
