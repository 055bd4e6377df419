package cli

import (
	"context"
	"strconv"

	"sluice/cmd/sluice/console"
	"sluice/pipeline/warehouse/actions"
)

// actionsPage shows what operators did in the console.
func (p *pages) actionsPage(ctx context.Context, r *console.Request) (console.Page, error) {
	before, err := strconv.ParseInt(r.Query.Get("before"), 10, 64)
	if err != nil {
		before = 0 // from the newest on
	}
	done, err := actions.List(ctx, p.app.DB.Pool(), actions.Filter{Limit: pageRows, Before: before})
	if err != nil {
		return console.Page{}, err
	}
	table := console.Table{
		Caption: "Actions, the newest first", None: "Nothing was done here yet.",
		Head: []string{"Number", "When", "Who", "What", "Target", headOfOrganization, "Before", "After", "Outcome"},
	}
	for i := range done {
		a := &done[i]
		outcome := console.Word(string(a.Outcome), console.Good)
		if a.Outcome == actions.Failed {
			outcome = console.Word(string(a.Outcome)+": "+string(a.Error), console.Bad)
		}
		table.Rows = append(table.Rows, []console.Cell{
			console.ID(a.ID, ""), console.Moment(&a.At, zoneOf(p.app, a.Organization)), console.Text(a.Actor), console.Text(a.Action), console.Text(a.Target),
			console.Text(a.Organization), console.Code(string(a.Before)), console.Code(string(a.After)), outcome,
		})
	}
	if len(done) == pageRows {
		table.More = &console.Link{Text: "Older ones", Href: with(r, "before", strconv.FormatInt(done[len(done)-1].ID, 10))}
	}
	return console.Page{
		Title: "Actions", Sentence: "What operators did in the console. What commands do stands in no such list.",
		Parts: []console.Part{table}, Document: done,
	}, nil
}
