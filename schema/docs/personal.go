package docs

import (
	"fmt"
	"strings"

	"sluice/schema"
	"sluice/schema/ddl"
)

// Personal writes which columns of which tables hold values that may tell of a person, in Markdown:
// a line for each table, the columns by class. Tables that have none but free text of keys that no
// declaration knows are counted.
func Personal(services []schema.Service) string {
	var b strings.Builder
	b.WriteString("# Personal data by table\n\n")
	b.WriteString("Written by `sluice dictionary --format personal` from the declarations; do not edit. ")
	b.WriteString("[Privacy](privacy.md) says which copies of these values there are, for how long, and how to find and erase them.\n\n")
	b.WriteString("Each table of records also has the column `_extra`: keys that no declaration knows, which count as free text. ")
	b.WriteString("Numbers, days and identifiers of records are not listed. An identifier tells of a person through its record.\n")
	others := 0
	for i := range services {
		var lines []string
		for j := range services[i].Resources {
			for _, t := range ddl.Tables(&services[i], &services[i].Resources[j]) {
				if words := personalWords(t.Columns); words != "" {
					lines = append(lines, fmt.Sprintf("| `%s.%s` | %s |", t.Schema, t.Name, words))
				} else {
					others++
				}
			}
		}
		if len(lines) > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n| Table | Columns by class |\n|---|---|\n%s\n", services[i].Name, strings.Join(lines, "\n"))
		}
	}
	fmt.Fprintf(&b, "\nTables without such a column: %d.\n", others)
	return b.String()
}

// personalWords lists columns by class, those of keys that no declaration knows left out.
func personalWords(columns []ddl.Column) string {
	var words []string
	for class := schema.Person; class <= schema.FreeText; class++ {
		var names []string
		for _, c := range columns {
			if c.Class == class && c.Name != ddl.Extra {
				names = append(names, "`"+c.Name+"`")
			}
		}
		if len(names) > 0 {
			words = append(words, class.String()+": "+strings.Join(names, ", "))
		}
	}
	return strings.Join(words, "; ")
}
