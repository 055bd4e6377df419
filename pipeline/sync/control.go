package sync

import (
	"context"
	"fmt"
	"slices"

	"sluice/pipeline"
	"sluice/schema/record"
)

// control gives the identifier that rides along with a call for several records, if a scan missed
// some of them; "" if none does. A path that answers emptily proves nothing, so the answer has to
// show a record that upstream knows (invariant 7). While a faulty record is looked for, there is no
// control.
func (d *details) control(ctx context.Context, ids []string) (string, error) {
	if d.most < 2 || d.suspects > 0 {
		return "", nil
	}
	control, err := d.runner.Backlog.Control(ctx, d.claim.Stream, ids)
	if err != nil {
		return "", fmt.Errorf("control of %s: %w", d.claim.Stream, err)
	}
	return control, nil
}

// withControl gives the identifiers of a call that takes at most so many, without and with the
// control. The control comes last: an answer that is cut short lacks it.
//
//nolint:nonamedreturns // the names say which is which
func withControl(ids []string, control string, most int) (without, with []string) {
	if control == "" {
		return ids, ids
	}
	ids = ids[:min(len(ids), most-1)]
	return ids, append(slices.Clone(ids), control)
}

// believable says that an answer is upstream's word about the records that it leaves out: it shows
// the control, and each of its records has an identifier.
func believable(batch *pipeline.Batch, control string) bool {
	nameless := slices.ContainsFunc(batch.Rejected, func(r pipeline.RejectedRecord) bool { return r.ID == "" })
	return !nameless && slices.ContainsFunc(batch.Records, func(r record.Record) bool { return r.ID == control })
}
