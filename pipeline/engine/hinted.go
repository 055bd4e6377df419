package engine

import (
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/hints"
)

// answer says how the hints of a resource are answered.
func (a *App) answer(due hints.Due) warehouse.HintAnswer {
	stream, known := a.Stream(due.Key)
	if !known || !a.Enabled(stream) || !a.toldOf(stream) {
		return warehouse.HintAnswer{Unknown: true}
	}
	if stream.Resource.ToldByParent() != "" { // a list of a parent is one call, and no other list answers for it
		return warehouse.HintAnswer{Work: pipeline.WorkHinted, Parents: true, Pause: max(a.Config.Schedule.Floor-due.SinceList, 0)}
	}
	told := planning.Hints{
		Records: len(due.Records) + due.Waiting, List: due.List,
		AtOnce: stream.Resource.SinglesAtOnce(), Headers: stream.Resource.Details != nil,
		ListCalls: due.ListCalls, SinceList: due.SinceList, ListRest: a.Config.Schedule.Floor,
		Recent: due.Recent, PerMinute: a.Config.Notifications.HintedPerMinute,
	}
	answer := warehouse.HintAnswer{Work: pipeline.WorkHinted, Deletions: a.findsDeletions(stream)}
	switch told.Read() {
	case planning.ReadListLater:
		answer.Work, answer.Pause = pipeline.WorkList, told.ListRest-told.SinceList
	case planning.ReadList:
		answer.Work = pipeline.WorkList
	case planning.ReadSingles:
	}
	since, rest := due.SinceLook, told.ListRest
	switch answer.Deletions { //nolint:exhaustive // the other works find no deletions
	case pipeline.WorkSweep:
		rest = sweepRest
	case pipeline.WorkList:
		since = due.SinceList
	}
	answer.DeletionsPause = max(rest-since, 0)
	return answer
}

// sweepRest is the least time between two sweeps that hints request: a sweep reads the whole list.
const sweepRest = 6 * time.Hour

// findsDeletions is the work that finds deletions in a list with the fewest calls.
func (a *App) findsDeletions(list pipeline.Stream) pipeline.Work {
	switch chosen := a.resource(list); {
	case chosen.Look > 0:
		return pipeline.WorkLook
	case chosen.Sweep > 0:
		return pipeline.WorkSweep
	default:
		return pipeline.WorkList
	}
}

// toldOf reports whether change notifications tell of the records of a stream.
func (a *App) toldOf(stream pipeline.Stream) bool {
	o := a.organization(stream.Organization)
	return o != nil && o.Notifies()
}
