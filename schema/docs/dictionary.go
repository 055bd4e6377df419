// Package docs writes the pages generated from declarations: the data dictionary and a list of
// columns with personal data in Markdown, and diagrams of tables and keys.
//
// It is pure: it never talks to a database and never writes a file. Start reading at Dictionary,
// then Mermaid.
package docs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/schema"
	"sluice/schema/ddl"
)

// entry is a table that the dictionary has written: its rows, one for each column, and the keys
// that are not copied.
type entry struct {
	name    string
	rows    []string
	ignored map[string]string
}

// dictionary is the page and the tables that it has written.
type dictionary struct {
	strings.Builder
	entries []entry
}

// Dictionary writes the data dictionary in Markdown: every service, resource, table and column with
// its sentence, its origin and its way of being kept up to date. A table whose columns another table
// has as well refers to it.
func Dictionary(services []schema.Service) string {
	var b dictionary
	b.WriteString("# Data dictionary\n\n")
	b.WriteString("Written by `sluice dictionary` from the declarations; do not edit. ")
	b.WriteString("The same sentences stand as comments in the database. ")
	b.WriteString("The class says what values may tell about people; masked readers see those that are plain or company as they are, and no others. ")
	b.WriteString("[Personal data by table](personal-data.md) lists the others. ")
	b.WriteString("*Assumed* means that no document shows it. ")
	b.WriteString("[Columns of ours](#columns-of-ours) are in every table; the key of an array's table is made of them.\n")
	for i := range services {
		service := &services[i]
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", service.Name, service.Doc)
		if len(service.Resources) == 0 {
			b.WriteString("\nNo resource of it is built in.\n")
		}
		for j := range service.Resources {
			writeResource(&b, service, &service.Resources[j])
		}
		writeReads(&b, service)
	}
	writeBookkeeping(&b)
	return b.String()
}

func writeResource(b *dictionary, s *schema.Service, r *schema.Resource) {
	fmt.Fprintf(b, "\n### %s.%s\n\n%s\n\n", s.Name, r.Name, r.Doc)
	fmt.Fprintf(b, "- List: `GET %s%s`%s, %s\n", s.Root, r.Path, parameters(r), source(r.AssumedPath))
	if r.Optional {
		b.WriteString("- Optional: copied only where the configuration enables it\n")
	}
	if r.Single != nil {
		fmt.Fprintf(b, "- One record: `GET %s%s`, key `%s`, %s\n", s.Root, r.Single.Path, r.Single.Key, source(r.Single.Assumed))
	}
	fmt.Fprintf(b, "- Reading: %s, every %s\n", readingWords(r), r.Every)
	if under, ok := r.Cursor.(schema.PerParent); ok {
		fmt.Fprintf(b, "- Parents: %s\n", parentWords(under))
	}
	if r.Details != nil {
		fmt.Fprintf(b, "- Details: %s\n", detailWords(s, r))
	}
	if len(r.Assumed) > 0 {
		fmt.Fprintf(b, "- Assumed: %s\n", strings.Join(r.Assumed, " "))
	}
	writeTables(b, s, r)
}

func parameters(r *schema.Resource) string {
	var b strings.Builder
	if r.Key != "" {
		fmt.Fprintf(&b, ", key `%s`", r.Key)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Params)) {
		fmt.Fprintf(&b, ", `%s=%s`", name, r.Params[name])
	}
	return b.String()
}

// writeTables names the table of the records and those of their arrays, then writes the columns of
// the records, and those of all arrays in one list.
func writeTables(b *dictionary, s *schema.Service, r *schema.Resource) {
	var records, arrays, notes strings.Builder
	for _, t := range r.Tables() {
		e := entry{name: r.SchemaName(s) + "." + t.Name, ignored: r.Ignored}
		for _, c := range t.Columns {
			e.rows = append(e.rows, fmt.Sprintf("`%s` | %s | %s | %s |\n", c.ColumnName(), ddl.TypeOf(c.Kind), c.Class, columnWords(r, &t, c)))
		}
		into, before, of := &records, "| ", ""
		if t.Child == nil {
			fmt.Fprintf(b, "- Table: `%s`, key `(%s, %s)`.", e.name, ddl.OrganizationID, r.Columns[0].ColumnName())
		} else {
			e.ignored = t.Child.Ignored
			into, before, of = &arrays, "| `"+t.Name+"` | ", " of `"+t.Name+"`"
			fmt.Fprintf(b, "- Table: `%s`. %s %s", e.name, t.Doc, originWords(&t))
		}
		rows, ignored := b.add(e)
		for _, row := range rows {
			into.WriteString(before + row)
		}
		if len(ignored) > 0 {
			fmt.Fprintf(&notes, "\nNot copied%s: %s.\n", of, ignoredWords(ignored))
		}
	}
	if records.Len() > 0 {
		b.WriteString("\n" + columnHead + records.String())
	}
	if len(r.History) > 0 {
		writeHistory(b, s, r)
	}
	if arrays.Len() > 0 {
		b.WriteString("\n| Table | Column | Type | Class | Meaning |\n|---|---|---|---|---|\n" + arrays.String())
	}
	b.WriteString(notes.String())
}

// add ends the line about a table. It returns the columns and the keys not copied that the page has
// to list: an earlier table that has the same is named instead.
func (b *dictionary) add(e entry) ([]string, map[string]string) {
	rows, ignored := e.rows, e.ignored
	same := slices.IndexFunc(b.entries, func(earlier entry) bool { return len(earlier.rows) > len(e.rows)/2 && includes(e.rows, earlier.rows) })
	if same >= 0 {
		earlier := b.entries[same]
		rows = slices.DeleteFunc(slices.Clone(rows), func(row string) bool { return slices.Contains(earlier.rows, row) })
		what, end := "Columns", "."
		if len(ignored) > 0 && maps.Equal(earlier.ignored, ignored) {
			what, ignored = "Columns and keys that are not copied", nil
		}
		if len(rows) > 0 {
			end = ", and those below."
		}
		fmt.Fprintf(b, " %s as in `%s`%s", what, earlier.name, end)
	}
	b.WriteString("\n")
	b.entries = append(b.entries, e)
	return rows, ignored
}

func includes(rows, others []string) bool {
	return !slices.ContainsFunc(others, func(row string) bool { return !slices.Contains(rows, row) })
}

// writeHistory includes sluice's own columns, which distinguish the rows.
func writeHistory(b *dictionary, s *schema.Service, r *schema.Resource) {
	t := ddl.HistoryTable(r.SchemaName(s), r)
	fmt.Fprintf(b, "\n**`%s.%s`**: %s", t.Schema, t.Name, t.Comment)
	fmt.Fprintf(b, " Key: `(%s)`.\n\n%s", strings.Join(t.Key, ", "), columnHead)
	writeColumns(b, t.Columns[1:])
}

const columnHead = "| Column | Type | Class | Meaning |\n|---|---|---|---|\n"

func writeColumns(b *dictionary, columns []ddl.Column) {
	for _, c := range columns {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", c.Name, c.Type, c.Class, strings.ReplaceAll(c.Comment, "|", `\|`))
	}
}

func writeReads(b *dictionary, s *schema.Service) {
	if len(s.Reads) > 0 {
		fmt.Fprintf(b, "\n### %s, asked for on demand\n\nAnswers that are shown and not copied.\n\n", s.Name)
	}
	for i := range s.Reads {
		read := &s.Reads[i]
		fmt.Fprintf(b, "- `%s`: %s `GET %s%s`, key `%s`\n", read.Name, read.Doc, s.Root, read.Path, read.Key)
		for _, p := range read.Params {
			required := ""
			if p.Required {
				required = ", required"
			}
			fmt.Fprintf(b, "  - `%s`%s: %s\n", p.Name, required, p.Doc)
		}
		for _, note := range read.Assumed {
			fmt.Fprintf(b, "  - Assumed: %s\n", note)
		}
	}
}

func writeBookkeeping(b *dictionary) {
	b.WriteString("\n## Columns of ours\n\nEvery table begins with `organization_id`. ")
	b.WriteString("Tables of arrays go on with `_parent_id` (the key of the record), inside of another array ")
	b.WriteString("`_parent_position`, and `_position` (the place in the array, from 0): these columns are their key. ")
	b.WriteString("They end with `_deleted_at`, which is that of the record. ")
	b.WriteString("Tables of records end with:\n\n" + columnHead)
	writeColumns(b, ddl.Bookkeeping())
	b.WriteString("\nTables of records with details go on with:\n\n" + columnHead)
	writeColumns(b, ddl.DetailColumns())
}

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
