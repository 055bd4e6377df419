package scan

import (
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/schema"
)

// Notes of searches.
const (
	noteFound     = "upstream counts or sums up otherwise: pages that differ were found and read (%d)"
	noteUncut     = "upstream counts or sums up otherwise, and no filter tells where: a sweep follows"
	noteMoved     = "the list changed while it was searched: the next count decides"
	noteAgreement = "upstream counts as many records as are here"
)

// AxisOf is the filter by which a search cuts the list of a claim.
func AxisOf(claim *pipeline.Claim) pipeline.Axis {
	resource := claim.Stream.Resource
	_, filters := resource.Cursor.(schema.Since)
	switch {
	case resource.Window != nil:
		return pipeline.AxisDay
	case filters && !claim.Capabilities.Lacks(pipeline.CapabilityFilter):
		return pipeline.AxisModified
	default:
		return pipeline.AxisNone
	}
}

// Search begins a search for what upstream counts or sums up otherwise than the rows, and gives the
// end of the look where there is nothing to look for. It gives nil where rows are missing, or where
// the number of rows, or a sum that a run relies on, is uncertain: the look then goes by the order of
// creation, and such a run reads the list.
func Search(scan *pipeline.Scan, known pipeline.Seen, claim *pipeline.Claim) *pipeline.End {
	listed := pipeline.Tally{Records: scan.Count.Records, Sums: claim.Capabilities.Sums(scan.Count.Sums)}
	whole := pipeline.Part{
		Rows: pipeline.Tally{Records: known.Before, Sums: known.Sums}, Listed: listed, Behind: listed.Less(listed), // nothing
	}
	compared := listed.Sums.Less(known.Sums)
	switch {
	case known.Between > 0 || known.Before > scan.Count.Records:
		return nil
	case claim.Stream.Work == pipeline.WorkList && (len(compared) == 0 || len(compared) < len(listed.Sums)):
		return nil // a number alone does not stand for reading the list
	case !differs(whole):
		return &pipeline.End{Outcome: pipeline.OutcomeDone, Note: noteAgreement}
	case AxisOf(claim) == pipeline.AxisNone:
		return Undivided()
	}
	look := *scan.Look // a copy: the caller still holds the position before this answer
	look.Search = []pipeline.Part{whole}
	scan.Look = &look
	return nil
}

// differs says that upstream's tally of a part is not that of its rows.
func differs(part pipeline.Part) bool {
	off := part.Off()
	return off.Records != 0 || len(off.Sums.Columns(false)) > 0
}

// NextPart is the part that a search looks at next.
func NextPart(scan *pipeline.Scan) pipeline.Part { return scan.Look.Search[len(scan.Look.Search)-1] }

// Fits says that a page shows the part whole.
func Fits(part pipeline.Part, perPage int) bool {
	return max(part.Listed.Records, part.Rows.Records) <= perPage
}

// Halve cuts the next part in two by what upstream counts from the cut on, and keeps the halves that
// differ. Where the part has as many rows as records, each half has, and in no half are rows missing,
// unless a record was created or edited meanwhile. A filter that leaves nothing out cuts nothing.
func Halve(scan *pipeline.Scan, cut time.Time, rows pipeline.Tally, page pipeline.Page) *pipeline.End {
	part := NextPart(scan)
	behind := page.Tally.Less(part.Behind)
	late := pipeline.Part{From: cut, To: part.To, Rows: rows, Listed: behind, Behind: part.Behind}
	early := pipeline.Part{From: part.From, To: cut, Rows: part.Rows.Less(rows), Listed: part.Listed.Less(behind), Behind: page.Tally}
	lacks, off := part.Off().Records, late.Off().Records
	switch {
	case !page.Counted || page.Tally.Records == scan.Count.Records:
		return Undivided()
	case off < 0 || off > lacks:
		return &pipeline.End{Outcome: pipeline.OutcomeDone, Note: noteMoved}
	}
	return searched(scan, early, late)
}

// ReadPart ends the part of which a page was read.
func ReadPart(scan *pipeline.Scan) *pipeline.End { return searched(scan) }

// searched replaces the next part by those of its halves that differ. It gives the end of the search,
// nil if it goes on.
func searched(scan *pipeline.Scan, halves ...pipeline.Part) *pipeline.End {
	look := *scan.Look // a copy: the caller still holds the position before this answer
	look.Pages++
	look.Search = slices.Clone(look.Search[:len(look.Search)-1])
	if len(halves) == 0 {
		look.Read++
	}
	for _, half := range halves {
		if differs(half) {
			look.Search = append(look.Search, half)
		}
	}
	scan.Look = &look
	switch pages := (look.Rows + scan.PerPage - 1) / scan.PerPage; {
	case len(look.Search) == 0:
		return &pipeline.End{Outcome: pipeline.OutcomeDone, Note: outside.Plainf(noteFound, look.Read)}
	case look.Pages >= max(fewPages, pages*lookShare/lookOf):
		return &pipeline.End{Outcome: pipeline.OutcomeDone, Sweep: true, Note: outside.Plainf(noteTooLong, look.Pages)}
	default:
		return nil
	}
}

// Undivided ends a search that no filter helps.
func Undivided() *pipeline.End {
	return &pipeline.End{Outcome: pipeline.OutcomeDone, Sweep: true, Note: noteUncut}
}
