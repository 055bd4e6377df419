package migrations

import (
	"regexp"
	"strings"
)

// View is a view of schema analytics as its file describes it.
type View struct {
	// Name is the name of the view, Doc its comment.
	Name, Doc string
	// Key are the columns that no two rows share.
	Key []string
	// Needs are the tables of schema custom without which there is no such view.
	Needs []string
	// Columns are the columns with their comments, in the order of the file.
	Columns []ViewColumn
}

// ViewColumn is one column of a view with its comment.
type ViewColumn struct{ Name, Doc string }

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
		view := View{Name: found[1], Doc: strings.ReplaceAll(found[2], "''", "'")}
		view.Needs = customTable.FindAllString(sentences.ReplaceAllString(files[i].text, ""), -1)
		for _, read := range viewOf.FindAllStringSubmatch(sentences.ReplaceAllString(files[i].text, ""), -1) {
			for _, other := range views {
				if other.Name == read[1] {
					view.Needs = append(view.Needs, other.Needs...)
				}
			}
		}
		if key := viewKey.FindStringSubmatch(view.Doc); key != nil {
			view.Key = strings.Split(key[1], ", ")
		}
		for _, column := range columnComment.FindAllStringSubmatch(files[i].text, -1) {
			view.Columns = append(view.Columns, ViewColumn{Name: column[2], Doc: strings.ReplaceAll(column[3], "''", "'")})
		}
		views = append(views, view)
	}
	return views, nil
}
