package main

import (
	"context"
	"time"

	"sluice/cmd/sluice-chaos/plan"
)

// breakLine injects one fault into a line of a process.
func (s *chaos) breakLine(ctx context.Context, slot *slot, step plan.Step) {
	switch step.Fault {
	case plan.DBReset:
		slot.database.Reset()
	case plan.HTTPReset:
		slot.http.Reset()
	case plan.DBCut:
		slot.database.Cut(step.Bytes)
	case plan.HTTPCut:
		slot.http.Cut(step.Bytes)
	case plan.DBHold:
		slot.database.Hold()
		s.later(ctx, step.Lasts, slot.database.Heal)
	case plan.DBSwallow:
		slot.database.Swallow()
		s.later(ctx, step.Lasts, slot.database.Heal)
	case plan.HTTPSwallow:
		slot.http.Swallow()
		s.later(ctx, step.Lasts, slot.http.Heal)
	case plan.DBDelay:
		slot.database.Delay(late)
		s.later(ctx, step.Lasts, slot.database.Heal)
	case plan.HTTPDelay:
		slot.http.Delay(late)
		s.later(ctx, step.Lasts, slot.http.Heal)
	default: // the other faults affect no line
	}
}

// late is the delay of a piece of bytes on a slow line.
const late = 30 * time.Millisecond
