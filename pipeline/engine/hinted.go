package engine

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/hints"
)

// requestHinted requests runs of what change notifications told of, in the transaction of a tick.
func (a *App) requestHinted(ctx context.Context, tx pgx.Tx) error {
	return a.DB.RequestHinted(ctx, tx, a.answer)
}

// answer says how the hints of a resource are answered.
func (a *App) answer(due hints.Due) warehouse.HintAnswer {
	stream, known := a.Stream(due.Key)
	if !known || !a.Enabled(stream) || !a.toldOf(stream) {
		return warehouse.HintAnswer{Unknown: true}
	}
	told := planning.Hints{
		Records: len(due.Records) + due.Waiting, List: due.List,
		AtOnce: stream.Resource.SinglesAtOnce(), Headers: stream.Resource.Details != nil,
		ListCalls: due.ListCalls, SinceList: due.SinceList, ListRest: a.Config.Schedule.Floor,
		Recent: due.Recent, PerMinute: a.hintedPerMinute(),
	}
	switch told.Read() {
	case planning.ReadSingles:
		return warehouse.HintAnswer{Work: pipeline.WorkHinted}
	case planning.ReadListLater:
		return warehouse.HintAnswer{Work: pipeline.WorkList, Pause: told.ListRest - told.SinceList}
	case planning.ReadList:
	}
	return warehouse.HintAnswer{Work: pipeline.WorkList}
}

// toldOf reports whether change notifications tell of the records of a stream.
func (a *App) toldOf(pipeline.Stream) bool { return true }

func (a *App) hintedPerMinute() int { return 20 }
