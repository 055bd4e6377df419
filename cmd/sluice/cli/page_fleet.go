package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline/engine"
)

// fleet shows all cells, and the organizations between two of them: what sluice fleet status shows.
func (p *pages) fleet(ctx context.Context, r *console.Request) (console.Page, error) {
	shown := p.cli.fleet.Status(ctx)
	page := console.Page{Title: "Fleet", Document: shown}
	page.Sentence, page.Mood = sentenceOfFleet(shown)
	table := console.Table{
		Caption: "Cells", None: "The fleet has no cell.",
		Head: []string{"Cell", "Organizations", "Streams", "Late lists", "Calls of the day", "Quarantined", "Database", "Remark"},
	}
	for i := range shown.Cells {
		s := &shown.Cells[i]
		name := console.Text(s.Name)
		if s.Console != "" {
			name = console.To(s.Name, s.Console)
		}
		if s.Error != "" {
			unknown := console.Word("not known", console.Muted)
			table.Rows = append(table.Rows, []console.Cell{
				name, unknown, unknown, unknown, unknown, unknown, console.Code(cmp.Or(s.Database, s.Config)), console.Word(s.Error, console.Bad),
			})
			continue
		}
		table.Rows = append(table.Rows, append(append([]console.Cell{name}, figuresCells(&s.CellFigures)...), console.Code(s.Database), console.Text("")))
	}
	table.Rows = append(table.Rows, append(append([]console.Cell{console.Text("all")}, figuresCells(&shown.Sum)...), console.Text(""), console.Text("")))
	moves := console.Table{
		Caption: "Organizations between two cells", None: "No organization moves.",
		Head: []string{headOfOrganization, "From", "To", "State", "For", "Rows copied"},
	}
	for i := range shown.Moves {
		m := &shown.Moves[i]
		rows := console.Word("none yet", console.Muted)
		if m.Rows != nil {
			rows = console.Number(*m.Rows)
		}
		moves.Rows = append(moves.Rows, []console.Cell{
			console.Text(m.Organization), console.Text(m.From), console.Text(m.To), console.Text(m.String()), ageCell(r.Now.Sub(m.Since)), rows,
		})
	}
	page.Parts = append(page.Parts, some(r, "cells", table), console.Heading{ID: "moves", Text: "Moves"}, some(r, "moves", moves),
		console.Note{Text: "What does not fit together, and what to do:", Command: "sluice fleet check --fleet " + ofShell(p.cli.fleet.Path)})
	return page, nil
}

func ageCell(age time.Duration) console.Cell { return console.Text(view.Age(age)) }

func figuresCells(f *engine.CellFigures) []console.Cell {
	late := console.Number(f.Late)
	if f.Late > 0 {
		late.Mood = console.Bad
	}
	return []console.Cell{
		console.Number(f.Organizations), console.Number(f.Streams), late, console.Text(callsOf(f)), console.Number(f.Quarantined),
	}
}

// sentenceOfFleet says first what needs a person.
func sentenceOfFleet(shown *engine.FleetStatus) (string, console.Mood) {
	total := view.Plural(len(shown.Cells), "cell")
	switch {
	case shown.Out > 0:
		return fmt.Sprintf("Out of reach, or not ready: %s of %s.", view.Count(shown.Out), total), console.Bad
	case shown.Sum.Late > 0:
		return fmt.Sprintf("Late against their own bounds: %s in %s.", view.Plural(shown.Sum.Late, "list"), total), console.Bad
	default:
		return fmt.Sprintf("No list is late: %s in %s.", view.Plural(shown.Sum.Organizations, "organization"), total), console.Good
	}
}
