package migrations

import (
	"regexp"
	"strings"

	"sluice/schema/ddl"
)

// View is a view of schema analytics as its file describes it: its name, its comment, the columns
// that no two rows share, and all columns with their comments, in the order of the file.
type View struct {
	ddl.Table

	// Needs are the tables of schema custom without which there is no such view.
	Needs []string
}

// The comments of a file, and the key that the comment of a view names.
var (
	viewComment   = regexp.MustCompile(`(?m)^COMMENT ON VIEW analytics\.(\w+) IS '((?:[^']|'')*)';`)
	columnComment = regexp.MustCompile(`(?m)^COMMENT ON COLUMN analytics\.(\w+)\.(\w+) IS '((?:[^']|'')*)';`)
	viewKey       = regexp.MustCompile(`^One row for each .*?; key: \(?([a-z_, ]+)\)?\.`)
)

// Views returns the views for analysts, by name. Functions of schema analytics are not among them.
func Views() ([]View, error) {
	files, err := readViews(viewFiles)
	if err != nil {
		return nil, err
	}
	var views []View
	for i := range files {
		found := viewComment.FindStringSubmatch(files[i].text)
		if found == nil {
			continue // a function
		}
		view := View{Table: ddl.Table{Name: found[1], Comment: strings.ReplaceAll(found[2], "''", "'")}}
		text := sentences.ReplaceAllString(files[i].text, "")
		view.Needs = customTable.FindAllString(text, -1)
		for _, read := range viewOf.FindAllStringSubmatch(text, -1) {
			for _, other := range views {
				if other.Name == read[1] {
					view.Needs = append(view.Needs, other.Needs...)
				}
			}
		}
		if key := viewKey.FindStringSubmatch(view.Comment); key != nil {
			view.Key = strings.Split(key[1], ", ")
		}
		for _, column := range columnComment.FindAllStringSubmatch(files[i].text, -1) {
			view.Columns = append(view.Columns, ddl.Column{Name: column[2], Comment: strings.ReplaceAll(column[3], "''", "'")})
		}
		views = append(views, view)
	}
	return views, nil
}
