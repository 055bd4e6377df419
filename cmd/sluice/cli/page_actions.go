package cli

import (
	"context"
	"strconv"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline/warehouse/actions"
)

// actionsPage shows what operators did in the console.
func (p *pages) actionsPage(ctx context.Context, r *console.Request) (console.Page, error) {
	before, _ := strconv.ParseInt(r.Query.Get(inBefore), 10, 64) // none: from the newest on
	done, err := actions.List(ctx, p.app.DB.Pool(), actions.Filter{Limit: pageRows, Before: before})
	if err != nil {
		return console.Page{}, err
	}
	table := console.List("Actions, the newest first", "Nothing was done here yet.",
		"Number  When  Who  What  Target  Organization  Before  After  Outcome", done, func(a *actions.Action) view.Row {
			outcome := console.Word(string(a.Outcome), console.Good)
			if a.Outcome == actions.Failed {
				outcome = console.Word(string(a.Outcome)+": "+string(a.Error), console.Bad)
			}
			return view.Row{
				console.ID(a.ID, ""), console.Moment(&a.At, zoneOf(p.app, a.Organization)), a.Actor, a.Action, a.Target, a.Organization,
				console.Code(string(a.Before)), console.Code(string(a.After)), outcome,
			}
		})
	if len(done) == pageRows {
		table.More = &console.Link{Text: "Older ones", Href: with(r, inBefore, view.ID(done[len(done)-1].ID))}
	}
	return console.Page{
		Title: "Actions", Sentence: "What operators did in the console. What commands do stands in no such list.",
		Parts: []console.Part{table}, Document: done,
	}, nil
}
