package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/warehouse"
)

// word is an identifier or a flag, which JSON may write as a string, a number or a boolean.
type word string

// UnmarshalJSON implements json.Unmarshaler.
func (w *word) UnmarshalJSON(text []byte) error {
	var quoted string
	if json.Unmarshal(text, &quoted) == nil {
		*w = word(quoted)
		return nil
	}
	*w = word(bytes.TrimSpace(text)) // a number or a boolean, exactly as written
	return nil
}

// business is one organization of the list. Source: docs/upstream.md U150 and U151.
type business struct {
	ID       word   `json:"organization_id"`
	Name     string `json:"name"`
	TimeZone string `json:"time_zone"`
	Active   word   `json:"is_org_active"`
}

// identityIn finds an organization in the answer. It fails with kind Denied if the answer does not
// list it.
func (a *App) identityIn(answer []byte, o *config.Organization) (warehouse.Identity, error) {
	var all []business
	if err := json.Unmarshal(answer, &all); err != nil {
		return warehouse.Identity{}, &pipeline.Error{
			Kind: pipeline.Unexpected, Op: "list of organizations", Detail: "it is no list of organizations",
		}
	}
	for _, one := range all {
		if string(one.ID) == o.ID {
			return warehouse.Identity{Name: one.Name, TimeZone: one.TimeZone, Active: one.Active != "false"}, nil
		}
	}
	return warehouse.Identity{}, a.denied("the credentials of organization %s are not for its id %s but belong to other businesses: %s; "+
		"correct id or credentials in the configuration", o.Name, o.ID, others(all))
}

// others names the businesses that the credentials are for.
func others(all []business) string {
	const most = 5
	if len(all) == 0 {
		return "none"
	}
	names := make([]string, 0, most)
	for n, one := range all {
		if n == most {
			names = append(names, fmt.Sprintf("and %d more", len(all)-most))
			break
		}
		names = append(names, fmt.Sprintf("%.60q (%.32s)", one.Name, one.ID))
	}
	return strings.Join(names, ", ")
}

// zoneWarning returns a text if configuration and upstream disagree about the time zone, or if
// neither names a known one; "" otherwise.
func zoneWarning(o *config.Organization, upstream *time.Location, name string, now time.Time) string {
	switch {
	case o.Location == nil && upstream == nil && name == "":
		return "neither upstream nor the configuration names a time zone: times without an offset are taken as UTC; set time_zone"
	case o.Location == nil && upstream == nil:
		return fmt.Sprintf("upstream's time zone %.40q is not known here: times without an offset are taken as UTC; set time_zone", name)
	case o.Location != nil && upstream != nil && !sameZone(o.Location, upstream, now):
		return fmt.Sprintf("the configuration says time_zone %s and upstream says %s: that of the configuration counts", o.TimeZone, name)
	default:
		return ""
	}
}

// sameZone reports whether two zones have the same offset in each month of the year around now: one
// zone has many names.
func sameZone(a, b *time.Location, now time.Time) bool {
	const months = 12
	for month := range months {
		at := now.AddDate(0, month-months/2, 0)
		_, one := at.In(a).Zone()
		_, other := at.In(b).Zone()
		if one != other {
			return false
		}
	}
	return true
}
