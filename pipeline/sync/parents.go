package sync

import (
	"context"
	"errors"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/sync/scan"
)

// maxRejected is after how many unreadable answers in a row a run over parents or details stops.
// One is the fault of one parent or record, five are the fault of the service.
const maxRejected = 5

// statusNotFound is the HTTP status of a parent that upstream does not know, codeNoSuchRecord the
// code that says so. Other codes may be those of a wrong path or a gateway. Source:
// docs/upstream.md U65.
const (
	statusNotFound   = 404
	codeNoSuchRecord = "1002"
)

// parents reads one list after the other, each in the way of list, first that of the parent read
// longest ago; of what change notifications told, first that of the oldest hint. A list that was
// begun is read to its end; a killed run goes on within it (invariant 6).
type parents struct {
	*chunk

	list            reader
	rejectedRecords int
}

func (p *parents) step(ctx context.Context, scan *pipeline.Scan) (pipeline.Batch, error) {
	if scan.Parent == "" {
		end, err := p.next(ctx, scan)
		if end != nil || err != nil {
			return pipeline.Batch{Claim: p.claim, End: end}, err
		}
	}
	batch, err := p.list.step(ctx, scan)
	if err != nil {
		return p.rejectParent(scan, err)
	}
	p.rejectedRecords = 0
	if batch.End == nil {
		return batch, nil
	}
	var failed outside.Text
	var end *pipeline.End
	if batch.End.Outcome != pipeline.OutcomeDone {
		failed = batch.End.Note
		end, err = p.flooded(ctx) // a failed list ends only that list; a flood of rejected records ends the run
	}
	whole := failed == "" && scan.Mode == pipeline.ModeFull && p.claim.Stream.ProvesAbsence()
	batch.Parent, batch.End = leave(scan, failed), end
	batch.Parent.Whole = whole
	return batch, err
}

// next goes to the next parent. It ends the run if no parent is left or the run's calls are spent.
func (p *parents) next(ctx context.Context, unfinished *pipeline.Scan) (*pipeline.End, error) {
	parent, left, err := p.runner.Backlog.NextParent(ctx, p.claim)
	hinted := p.claim.Stream.Work == pipeline.WorkHinted
	switch {
	case err != nil:
		return nil, fmt.Errorf("next parent of %s: %w", p.claim.Stream, err)
	case parent == "":
		end := endOf(unfinished, "parents read", 0)
		if unfinished.Done == 0 && !hinted {
			end.Again = pipeline.AgainNoParent
		}
		proveParents(unfinished, p.claim.Stream, end)
		return end, nil
	case p.spent(unfinished):
		end := endOf(unfinished, "parents read", left)
		if hinted {
			end.Again = pipeline.AgainHinted
		}
		proveParents(unfinished, p.claim.Stream, end)
		return end, nil
	}
	enter(unfinished, parent, p.runner.Rules)
	scan.Overlaps(unfinished, p.claim.Stream.Resource.Paging)
	return nil, nil //nolint:nilnil // the run goes on
}

// rejectParent tells the failure of one parent from the failure of all. A parent that upstream does
// not know, or whose list cannot be read, is skipped in this run (invariant 9, among parents). Any
// other error stops the run.
func (p *parents) rejectParent(scan *pipeline.Scan, err error) (pipeline.Batch, error) {
	failure, ok := errors.AsType[*pipeline.Error](err)
	if !ok || failure.Kind != pipeline.Unexpected {
		return pipeline.Batch{}, err
	}
	if failure.Status != statusNotFound {
		p.rejectedRecords++
	}
	if p.rejectedRecords >= maxRejected {
		return pipeline.Batch{}, err
	}
	batch := pipeline.Batch{Claim: p.claim, Parent: leave(scan, failure.Text())}
	batch.Parent.Whole = failure.Status == statusNotFound && failure.Code == codeNoSuchRecord && p.claim.Stream.ProvesAbsence()
	return batch, nil
}

// enter begins the list of one parent and keeps the run's own figures.
func enter(s *pipeline.Scan, parent string, rules pipeline.Rules) {
	*s = pipeline.Scan{
		Mode: s.Mode, Started: s.Started, Page: 1, PerPage: rules.PerPage, Pass: 1, Parent: parent,
		Spent: s.Spent, Done: s.Done, Failed: s.Failed, Total: s.Total, Partial: s.Partial, Note: s.Note,
		Once: s.Once, Doubt: s.Doubt,
	}
}

// leave ends the list of the scan's parent. A parent that could not be read keeps the watermark
// from moving (invariant 1).
func leave(s *pipeline.Scan, failed outside.Text) *pipeline.ParentRead {
	read := &pipeline.ParentRead{ID: s.Parent, Failed: failed}
	s.Parent = ""
	s.Done++
	if failed != "" {
		s.Failed++
		s.Partial, s.Note = true, failed
	}
	return read
}

// endOf ends a run that its calls bound; left is how many the next run has to read.
func endOf(scan *pipeline.Scan, what outside.Text, left int) *pipeline.End {
	end := &pipeline.End{Outcome: pipeline.OutcomeDone}
	if left > 0 {
		scan.Partial = true
		end.Note = outside.Number(scan.Done) + " of " + outside.Number(scan.Done+left) + " " + what + ", the rest is next"
	}
	if scan.Failed > 0 {
		if end.Note != "" {
			end.Note += "; "
		}
		end.Note += outside.Number(scan.Failed) + " could not be read, the last because of: " + scan.Note
	}
	return end
}
