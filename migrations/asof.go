package migrations

import (
	"regexp"
	"strings"
)

// presentViews are the views and functions of schema analytics that schema as_of does not have.
// Those about the program say how it stands now, and no version of that is kept; the others answer
// about earlier days themselves.
var presentViews = map[string]bool{
	"freshness": true, "deleted": true, "quality": true, "catalog": true, "past_periods": true, "cut": true,
	"after_close": true, "closings": true,
	"bill_versions": true, "bills_as_of": true, "bills_on": true, "price_changes": true, "stock_days": true, "balance_days": true, "chat_weeks": true,
	"changes": true, "changes_cursor": true, "change_rows": true,
}

var (
	// serviceTable finds the tables of records in the text of a view.
	serviceTable = regexp.MustCompile(`\b(accounting|billing|chat|custom|inventory|invoicing)\.([a-z]\w*)`)
	// inSentence finds the view that a comment is about.
	inSentence = regexp.MustCompile(`(?m)^(COMMENT ON (?:VIEW|FUNCTION|COLUMN) )analytics\.`)
)

// today is how a view asks for the day that it is in an organization.
const today = "(clock_timestamp() AT TIME ZONE coalesce(nullif(o.time_zone, ''), 'UTC'))::date"

// asOf returns the text that makes the same view in schema as_of: out of the rows of the day that
// the session has set, and with that day for today. It is empty for views of the present alone.
func asOf(name, text string) string {
	if presentViews[name] {
		return ""
	}
	var made strings.Builder
	for line := range strings.Lines(text) {
		if sentences.MatchString(line) {
			made.WriteString(inSentence.ReplaceAllString(line, "${1}as_of."))
			continue
		}
		made.WriteString(readsAsOf(strings.ReplaceAll(line, today, "as_of.day()")))
	}
	return made.String()
}

// readsAsOf replaces views and tables by those of a day. Names in quotes, as of resources, stay.
func readsAsOf(line string) string {
	parts := strings.Split(line, "'")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = viewOf.ReplaceAllStringFunc(parts[i], func(found string) string {
			view := strings.TrimPrefix(found, "analytics.")
			if presentViews[view] {
				return found
			}
			return "as_of." + view
		})
		parts[i] = serviceTable.ReplaceAllString(parts[i], "as_of.${1}_${2}")
	}
	return strings.Join(parts, "'")
}
