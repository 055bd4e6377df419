package statements

import (
	"cmp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Place reads from an error the table and column of the refused value. COPY names them in the
// context only: COPY bills, line 3, column total. The staging table counts as the table it is for.
func (s *Set) Place(pg *pgconn.PgError) string {
	table, column := pg.TableName, pg.ColumnName
	if _, rest, found := strings.Cut("\n"+pg.Where, "\nCOPY "); found { // an error inside JSON has a line of its own before
		copied, line, _ := strings.Cut(rest, ", line ")
		table = cmp.Or(table, copied)
		if _, after, found := strings.Cut(line, ", column "); found {
			named, _, _ := strings.Cut(after, "\n")
			column = cmp.Or(column, named)
		}
	}
	return s.Path(table, column)
}

// Path names a column of a table of the resource; an unknown column is "".
func (s *Set) Path(table, column string) string {
	if table == "" || strings.HasPrefix(table, stagePrefix) {
		table = s.Resource
	}
	return strings.TrimSuffix(s.schema+"."+table+"."+column, ".")
}
