package cli

import (
	"fmt"
	"strconv"

	"sluice/pipeline"
	"sluice/schema"
	"sluice/schema/docs/endpoints"
)

// scopeWriter gives the scopes that the credentials need. Source: docs/upstream.md U34: the READ
// scope of the area, unless an endpoint asks for another.
type scopeWriter struct {
	vendor string
	shown  map[string]string
}

func newScopeWriter(vendor string) (scopeWriter, error) {
	rows, err := endpoints.Rows()
	if err != nil {
		return scopeWriter{}, fmt.Errorf("read the documents' endpoints: %w", err)
	}
	return scopeWriter{vendor: vendor, shown: endpoints.Scopes(rows)}, nil
}

func (w scopeWriter) scope(service *schema.Service, area string) string {
	product := service.Scope + "." + area
	if shown, ok := w.shown[product]; ok {
		return w.vendor + shown
	}
	return w.vendor + product + ".READ"
}

// cursorWords says how a list is read.
func cursorWords(cursor schema.Cursor) string {
	switch c := cursor.(type) {
	case schema.Since:
		return "filter: modified since"
	case schema.NewestFirst:
		return "sort: newest first"
	case schema.FullScan:
		return "full scan"
	case schema.Export:
		return "export"
	case schema.Snapshot:
		return "snapshot"
	case schema.PerParent:
		return "per parent: " + cursorWords(c.List)
	default:
		return "unknown"
	}
}

// costWords says how many calls a run takes. Pages overlap where the list has an order that is
// seen. Other lists of more than one page are read in passes until two are equal, so at least twice
// (docs/decisions/0007-paging-by-number).
func costWords(cursor schema.Cursor, paging schema.Paging, form schema.Envelope) string {
	switch c := cursor.(type) {
	case schema.Snapshot, schema.Export:
		return "1"
	case schema.PerParent:
		return costWords(c.List, paging, form) + ", for each parent"
	case schema.Since, schema.NewestFirst:
		return "1, or 1.1 per " + strconv.Itoa(pageSize(paging, form)) + " changed"
	default:
		if paging == schema.PagingWhole {
			return "1"
		}
		if c, ok := c.(schema.FullScan); ok && c.Created != "" && paging == schema.PagingNumber {
			return "1, or 1.1 per " + strconv.Itoa(pageSize(paging, form)) + " records"
		}
		return "1, or 2 per " + strconv.Itoa(pageSize(paging, form)) + " records"
	}
}

func pageSize(paging schema.Paging, form schema.Envelope) int {
	if paging == schema.PagingToken {
		return form.TokenPage()
	}
	return pipeline.DefaultRules().PerPage
}
