package pipeline

import (
	"errors"
	"hash/fnv"
	"time"

	"sluice/schema"
	"sluice/schema/normalize"
)

// order tells where in a row the scan finds the order key.
type order struct {
	created int
}

// canonicalTime is how package normalize writes instants.
const canonicalTime = "2006-01-02 15:04:05.999999-07"

func orderOf(resource *schema.Resource) order {
	wire := ""
	switch cursor := listCursor(resource).(type) {
	case schema.Since:
		wire = cursor.Created
	case schema.FullScan:
		wire = cursor.Created
	}
	for i, column := range resource.Columns {
		if wire != "" && column.Wire == wire {
			return order{created: i}
		}
	}
	return order{created: -1}
}

// unit normalizes a page. What does not fit is kept whole (promise 4); of several
// versions of one record the newest stays, for a list can show a record twice.
func (c *chunk) unit(page Page, parent string) Unit {
	unit := Unit{Claim: c.claim, Call: page.Call, Received: len(page.Records)}
	at := make(map[string]int, len(page.Records))
	for _, raw := range page.Records {
		record, err := c.normalizer.RecordUnder(raw, parent)
		if err != nil {
			unit.Rejects = append(unit.Rejects, reject(raw, err))
			continue
		}
		if i, twice := at[record.ID]; twice {
			unit.Duplicates++
			if !record.Modified.Before(unit.Records[i].Modified) {
				unit.Records[i] = record
			}
			continue
		}
		at[record.ID] = len(unit.Records)
		unit.Records = append(unit.Records, record)
	}
	return unit
}

func reject(raw []byte, err error) Reject {
	if misfit, ok := errors.AsType[*normalize.ValueError](err); ok {
		return Reject{Raw: raw, ID: misfit.ID, Code: string(misfit.Code), Path: misfit.Path, Detail: misfit.Detail}
	}
	return Reject{Raw: raw, Code: string(normalize.CodeBadJSON), Detail: err.Error()}
}

// look gives the scan its view of the page. Rejected records count by their
// bytes: they are part of the list.
func (c *chunk) look(unit *Unit, page Page, asked Ask, mode Mode) look {
	seen := look{
		entries: make([]entry, 0, unit.Received),
		paging:  c.claim.Stream.Resource.Paging,
		more:    page.More,
		token:   page.Token,
		perPage: page.PerPage,
		sorted:  page.Sort == asked.Sort && page.Order == asked.Order,
	}
	newest := mode == ModeNewest
	for i := range unit.Records {
		record := &unit.Records[i]
		e := entry{identity: digest(record.ID, ""), modified: record.Modified}
		key := ""
		if newest {
			key = record.Modified.UTC().Format(canonicalTime)
		} else if c.order.created >= 0 {
			value := record.Tables[0][0].Values[c.order.created]
			key = value.Text
			e.created, _ = time.Parse(canonicalTime, value.Text) // zero where there is none
		}
		e.digest = digest(record.ID, key)
		seen.entries = append(seen.entries, e)
	}
	return seen.fill(unit)
}

// fill stands in for what is not among unit.Records, so that the length of the
// page is what upstream sent.
func (l look) fill(unit *Unit) look {
	for i := range unit.Rejects {
		d := digest(string(unit.Rejects[i].Raw), "")
		l.entries = append(l.entries, entry{digest: d, identity: d, standIn: true})
	}
	for range unit.Duplicates {
		l.entries = append(l.entries, entry{standIn: true, twin: true})
	}
	return l
}

func digest(id, key string) uint64 {
	h := fnv.New64a()
	for _, part := range []string{id, "\x00", key} {
		_, _ = h.Write([]byte(part)) // a hash never fails
	}
	return h.Sum64()
}
