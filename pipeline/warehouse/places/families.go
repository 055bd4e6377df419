package places

import "strings"

// Family is a closed set: the kinds of places, as an operator thinks of them.
type Family string

// The families, in the order in which they are searched. A value moves from a row to a version, and
// never back, so what moves during the search is found in one of the two.
const (
	Rows          Family = "rows"
	Arrays        Family = "arrays of rows"
	Quarantine    Family = "quarantine"
	RawRecords    Family = "raw records"
	Versions      Family = "versions"
	Days          Family = "values by day"
	Drift         Family = "drift and keys"
	Changes       Family = "change log"
	Notifications Family = "notifications"
	Calls         Family = "calls"
	Runs          Family = "runs and streams"
	Closings      Family = "closed periods"
	Actions       Family = "actions of operators"
	Jobs          Family = "jobs"
	Other         Family = "other notes"
	// Statistics are values that Postgres keeps for its planner until the table is analyzed again.
	// The table of such a place is the one that they are of, and the count that of its columns.
	Statistics Family = "statistics of the planner"
)

// Families returns all families, in their order.
func Families() []Family {
	return []Family{
		Rows, Arrays, Quarantine, RawRecords, Versions, Days, Drift, Changes, Notifications, Calls, Runs, Closings, Actions, Jobs,
		Other, Statistics,
	}
}

// familyOf returns the family of a table that holds no records. A table that is not named here is
// searched as well: it is among the other notes.
func familyOf(schema, name string) Family {
	switch schema {
	case "notifications":
		return Notifications
	case "river":
		return Jobs
	case "history":
		return familyOfHistory(name)
	case "sluice":
		return familyOfNotes(name)
	default:
		return Other
	}
}

func familyOfHistory(name string) Family {
	switch name {
	case "versions":
		return Versions
	case "days":
		return Days
	default:
		return Other
	}
}

func familyOfNotes(name string) Family {
	begins := func(beginnings ...string) bool {
		for _, beginning := range beginnings {
			if strings.HasPrefix(name, beginning) {
				return true
			}
		}
		return false
	}
	switch {
	case name == "quarantine":
		return Quarantine
	case name == "raw_records":
		return RawRecords
	case begins("drift", "keys"):
		return Drift
	case begins("change"):
		return Changes
	case begins("callback", "hint", "channel", "event_"):
		return Notifications
	case name == "calls" || name == "live_calls":
		return Calls
	case begins("runs", "streams", "parents", "backfill", "forecasts", "sightings", "rebuilds", "imports"):
		return Runs
	case begins("clos", "after_close"):
		return Closings
	case name == "actions":
		return Actions
	default:
		return Other
	}
}
