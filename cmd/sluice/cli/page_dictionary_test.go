package cli

import (
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
	text := sure(os.ReadFile("../../../docs/dictionary.md"))(t)
	s.visited(aViewer, false, func(v *desk) {
		all := decodedPage[[]tableEntry](v, "/dictionary?format=json")
		// A table is named at its head, and an array's behind a bold name; a history is listed apart.
		if tables := strings.Count(string(text), "\n- Table: `") + strings.Count(string(text), "\n**`"); len(all) != tables {
			t.Errorf("%d tables, docs/dictionary.md has %d", len(all), tables)
		}
		for _, table := range all {
			if name := table.Schema + "." + table.Table; !strings.Contains(string(text), "\n- Table: `"+name+"`") && !strings.Contains(string(text), "\n**`"+name+"`") {
				t.Errorf("docs/dictionary.md has no table %s", name)
			}
			for _, column := range table.Columns {
				ours := column.Name == "organization_id" || strings.HasPrefix(column.Name, "_")
				if !ours && !strings.Contains(string(text), "| `"+column.Name+"` | "+column.Type+" |") {
					t.Errorf("docs/dictionary.md has no column %s.%s %s", table.Table, column.Name, column.Type)
				}
			}
		}
		v.says("/dictionary", "inventory", `href="/dictionary/chat"`)
		v.says("/dictionary?q=BILL_ID", `href="/dictionary/inventory/bills"`, "tables with these letters")
		v.says("/dictionary?q=%3Cscript%3E", "Nothing matches", "&lt;script&gt;")
		v.says("/dictionary/inventory", `href="/dictionary/inventory/bills_line_items"`, `href="/dictionary/inventory/bills"><bdi>bills</bdi></a>`)
		v.says("/dictionary/inventory/bills", "bill_id", "text", "free text", "bills_line_items", "organization_id, bill_id")
		v.says("/dictionary/inventory/bills_line_items", `href="/dictionary/inventory/bills"`)
		v.get(http.StatusNotFound, "/dictionary/inventory/unicorns")
		v.get(http.StatusNotFound, "/dictionary/unicorns")
	})
}
