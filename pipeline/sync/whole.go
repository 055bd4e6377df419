package sync

import "sluice/pipeline"

// doubtNameless is the doubt of a scan that saw a record whose identifier could not be read. That
// record may be any of those that the scan did not see.
const doubtNameless = "a record came whose identifier could not be read"

// doubtClash is the doubt of a scan in which several records had one identifier. All but one of
// them may be any of the records that the scan did not see.
const doubtClash = "several records of one answer had the same identifier"

// doubt notes why the scan is no evidence of absence (invariant 7). The note stays for the whole
// run: once a scan saw nonsense, it is unknown which of its pages were true.
func doubt(scan *pipeline.Scan, batch *pipeline.Batch) {
	for i := range batch.Rejected {
		switch reject := &batch.Rejected[i]; {
		case scan.Doubt != "":
		case reject.ID == "":
			scan.Doubt = doubtNameless
		case reject.Code == pipeline.CodeClash:
			scan.Doubt = doubtClash
		}
	}
}

// entire notes at the end of a run whether it read all that its list showed.
func entire(scan *pipeline.Scan, stream pipeline.Stream, end *pipeline.End) {
	if end == nil || stream.Work != pipeline.WorkList && stream.Work != pipeline.WorkSweep {
		return
	}
	end.Entire = end.Outcome == pipeline.OutcomeDone && !scan.Partial && scan.Bound.IsZero() && scan.Doubt == ""
}

// prove notes at the end of a run whether it was a clean scan of the whole list. A run is none if
// it ended provisionally, if upstream did otherwise than asked, or if it is in doubt. The end of
// the list of one parent is no end of a run.
func prove(scan *pipeline.Scan, stream pipeline.Stream, end *pipeline.End) {
	if end == nil || end.Outcome != pipeline.OutcomeDone || !stream.ProvesAbsence() || scan.Parent != "" {
		return
	}
	whole := scan.Mode == pipeline.ModeFull || scan.Mode == pipeline.ModeKeyset && scan.Bound.IsZero()
	if !whole || scan.Partial || scan.Note != "" || scan.Started.IsZero() {
		return
	}
	if scan.Doubt != "" {
		end.Note = noteInDoubt + scan.Doubt
		return
	}
	end.Whole = &pipeline.Whole{Started: scan.Started}
}

const noteInDoubt = "nothing is concluded from what was not seen: "

// proveParents notes at the end of a run over parents that it may have read the lists of some
// whole; which ones, their ends said. Those that are left to the next run, or could not be read,
// say nothing.
func proveParents(scan *pipeline.Scan, stream pipeline.Stream, end *pipeline.End) {
	switch {
	case !stream.ProvesAbsence() || scan.Started.IsZero():
	case scan.Doubt == "":
		end.Whole = &pipeline.Whole{Started: scan.Started}
	case end.Note == "":
		end.Note = noteInDoubt + scan.Doubt
	default:
		end.Note += "; " + noteInDoubt + scan.Doubt
	}
}
