package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/cmd/sluice/cli/explain"
	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/lineage"
	"sluice/schema/ddl"
)

const (
	// answersSearched is how many answers a page looks through for versions, as it is made again
	// and again while it is watched; allAnswers is how many the command looks through.
	answersSearched, allAnswers = 40, 2000
	// versionsCompared is how many versions a page holds against those before them.
	versionsCompared = 8
	// valueShown is how many characters of a value a page shows.
	valueShown = 160
)

// explainRecord shows one record: why its row is as it is.
func (p *pages) explainRecord(ctx context.Context, r *console.Request) (console.Page, error) {
	name, id := r.Value("resource"), cmp.Or(r.Value("id"), strings.TrimSpace(r.Query.Get("id")))
	if id == "" {
		return console.Page{}, fmt.Errorf("%w: the address names no record", console.ErrNotFound)
	}
	if r.Query.Get("org") == "" && len(p.app.Config.Organizations) > 1 {
		return p.recordOfWhom(name, id)
	}
	chosen, err := p.app.ChooseOrganization(r.Query.Get("org"))
	archives := answersSearched
	if r.Query.Get("answers") == "all" {
		archives = allAnswers
	}
	var shown explainView
	var stream pipeline.Stream
	if err == nil {
		shown, stream, err = explanationOf(ctx, p.app, name, id, chosen.Key, archives)
	}
	switch {
	case errors.Is(err, engine.ErrUsage):
		return console.Page{}, fmt.Errorf("%w: %w", console.ErrNotFound, err)
	case err != nil:
		return console.Page{}, err
	case shown.Row == nil && len(shown.Versions) == 0 && len(shown.Quarantine) == 0 && shown.Tombstone == nil:
		return p.neverSeen(ctx, r, &shown, stream)
	}
	records, err := p.app.RawRecords(ctx, stream, shown.Versions[:min(len(shown.Versions), versionsCompared+1)])
	if err != nil {
		return console.Page{}, err
	}
	if !p.shows(r) {
		for i := range shown.Quarantine {
			shown.Quarantine[i].Detail = hiddenValue // as in hideDetails
		}
	}
	e := shownRecord{pages: p, request: r, explainView: &shown, stream: stream, records: records, zone: p.app.Zone(shown.Organization)}
	return e.page(), nil
}

// shownRecord is a record, as its page shows it.
type shownRecord struct {
	*explainView

	pages   *pages
	request *console.Request
	stream  pipeline.Stream
	// records are the raw records of the first versions.
	records [][]byte
	zone    *time.Location
}

func (e *shownRecord) page() console.Page {
	name := e.Service + "." + e.Resource
	page := console.Page{Title: name + " " + e.Record, Document: e.explainView, Sentence: e.Conclusions[0], Mood: e.mood()}
	for _, sentence := range e.Conclusions[1:] {
		page.Parts = append(page.Parts, console.Note{Text: sentence})
	}
	about := []any{
		"Organization", e.Organization,
		"Stream", console.To(name, addressOfStream(e.Organization, name)),
		"Table", console.To(e.stream.Resource.SchemaName(e.stream.Service)+"."+e.Resource, addressOfTable(e.Service, e.Resource)),
		"Identifier", console.Code(e.Record),
	}
	if e.Row != nil {
		about = append(about, "First seen", console.Moment(&e.Row.FirstSeenAt, e.zone),
			"Last changed here", console.Moment(&e.Row.ChangedAt, e.zone), "Last modified upstream", console.Moment(e.Row.Modified, e.zone))
	}
	if e.List != nil {
		about = append(about, "List complete up to", console.Moment(e.List.Watermark, e.zone),
			"List read again", console.Moment(&e.List.NextDueAt, e.zone))
	}
	page.Parts = append(page.Parts, console.Facts(about...))
	if !e.pages.shows(e.request) {
		page.Parts = append(page.Parts, console.Note{Text: "Operators see the values of records. Here are their kinds and lengths.", Mood: console.Muted})
	}
	for _, parts := range [][]console.Part{e.versions(), e.row(), e.raw(), e.tombstone(), e.quarantine()} {
		page.Parts = append(page.Parts, parts...)
	}
	return page
}

// mood is bad where something is open, and warns where there is no row.
func (e *shownRecord) mood() console.Mood {
	open := slices.ContainsFunc(e.Quarantine, func(entry lineage.Entry) bool { return entry.State == "open" })
	switch {
	case open, e.Tombstone != nil && e.Tombstone.State == stateOfReview:
		return console.Bad
	case e.Row == nil, e.Tombstone != nil && e.Tombstone.State != "restored":
		return console.Warn
	default:
		return console.Good
	}
}

// versions are the calls that brought the record, and what each changed.
func (e *shownRecord) versions() []console.Part {
	parts := []console.Part{
		console.Heading{ID: "versions", Text: "How it came about"},
		some(e.request, "versions", console.List("Versions, newest first: which call brought each",
			"No raw record of it is kept in the answers that were looked through.",
			"Loaded  Out of  Modified  Call  Request  Answer  Run  Bytes", e.Versions, func(v *lineage.Version) view.Row {
				run, answer := console.None(), console.None()
				if v.Call.Run != 0 {
					run = runCell(v.Call.Run)
				}
				if v.Call.Status != 0 {
					answer = console.Text(fmt.Sprintf("HTTP %d", v.Call.Status))
				}
				return view.Row{
					console.Moment(&v.KeptAt, e.zone), kindOfVersion(v), v.Modified, console.ID(v.Call.ID, ""),
					console.Code(explain.Request(v.Call)), answer, run, v.Bytes,
				}
			})),
	}
	if !e.AllArchives {
		searched := "The newest " + view.Plural(e.Archives, "answer") + " of the list were looked through. Older versions may be there."
		parts = append(parts, console.Note{Text: searched})
		if e.request.Query.Get("answers") == "" {
			parts = append(parts, console.Links{{Text: "Look through more answers", Href: with(e.request, "answers", "all")}})
		}
	}
	return append(parts, console.Heading{ID: "changes", Text: "What changed"}, some(e.request, "changes", e.changes()))
}

func kindOfVersion(v *lineage.Version) string {
	if v.Single {
		return "single record"
	}
	return "list"
}

// changes hold each version against the one before it of the same kind, value by value.
func (e *shownRecord) changes() console.Table {
	table := console.Table{
		Caption: "What changed from version to version, newest first", None: "No two versions of one kind are kept: there is nothing to compare.",
		Head: []string{"Field", "Before", "After", "Loaded", "Call", "Out of"},
	}
	for i := range min(len(e.records), versionsCompared) {
		v := &e.Versions[i]
		before := i + 1
		for before < len(e.records) && e.Versions[before].Single != v.Single {
			before++
		}
		if before == len(e.records) || e.records[i] == nil || e.records[before] == nil {
			continue
		}
		for _, c := range changesOf(e.records[before], e.records[i]) {
			table.Rows = append(table.Rows, []console.Cell{
				console.Code(c.path), e.value(c.before), e.value(c.after),
				console.Moment(&v.KeptAt, e.zone), console.ID(v.Call.ID, ""), console.Text(kindOfVersion(v)),
			})
		}
	}
	return table
}

// value is a cell with a value of the record, for those who ask.
func (e *shownRecord) value(value jsontext.Value) console.Cell {
	switch {
	case value == nil:
		return console.Word("not there", console.Muted)
	case !e.pages.shows(e.request):
		return console.Word(kindOf(value), console.Muted)
	}
	text := string(value)
	if plain, err := jsontext.AppendUnquote(nil, value); value.Kind() == '"' && err == nil {
		text = string(plain)
	}
	return console.Code(shortened(text))
}

func shortened(text string) string {
	if runes := []rune(text); len(runes) > valueShown {
		return string(runes[:valueShown]) + "…"
	}
	return text
}

// row are the values that the warehouse has, ours last.
func (e *shownRecord) row() []console.Part {
	if e.Row == nil {
		return nil
	}
	columns := ddl.Tables(e.stream.Service, e.stream.Resource)[0].Columns
	return []console.Part{
		console.Heading{ID: "row", Text: "The row"},
		console.List("The row, column by column", "", "Column  Value  Meaning", columns, func(column *ddl.Column) view.Row {
			value, ok := e.Row.Values[column.Name]
			if !ok {
				return nil // the table lacks it: sluice check names it
			}
			cell := e.value(jsontext.Value(value))
			if strings.HasPrefix(column.Name, "_") && column.Name != "_extra" || column.Name == ddl.OrganizationID {
				cell = console.Code(strings.Trim(string(value), `"`)) // ours, and no value of the record
			}
			return view.Row{console.Code(column.Name), cell, shortened(column.Comment)}
		}),
		console.List("Rows of its arrays", "It has no arrays.", "Table  Rows", slices.Sorted(maps.Keys(e.Row.Arrays)), func(name *string) view.Row {
			return view.Row{console.To(*name, addressOfTable(e.Service, *name)), e.Row.Arrays[*name]}
		}),
	}
}

// raw is one version as it came: the newest, or the one that was chosen.
func (e *shownRecord) raw() []console.Part {
	at := slices.IndexFunc(e.records, func(record []byte) bool { return record != nil })
	var links console.Links
	for i, record := range e.records {
		if record == nil {
			continue
		}
		call := view.ID(e.Versions[i].Call.ID)
		if e.request.Query.Get("call") == call {
			at = i
		}
		links = append(links, console.Link{Text: "Call " + call, Href: with(e.request, "call", call) + "#raw"})
	}
	if at < 0 {
		return nil
	}
	heading := fmt.Sprintf("Raw record of call %d (%s)", e.Versions[at].Call.ID, kindOfVersion(&e.Versions[at]))
	source, _ := e.pages.sourceOf(e.request, e.records[at], "")
	return []console.Part{console.Heading{ID: "raw", Text: heading}, links, source}
}

func (e *shownRecord) tombstone() []console.Part {
	t := e.Tombstone
	if t == nil {
		return nil
	}
	return []console.Part{console.Heading{ID: "tombstone", Text: "Its end upstream"}, console.Facts(
		"State", strings.ReplaceAll(t.State, "_", " "),
		"First missed", console.Moment(&t.SuspectedAt, e.zone),
		"By run", runCell(t.SuspectedRun),
		"Proof", cmp.Or(strings.ReplaceAll(t.Proof, "_", " "), "none yet"),
		"Proven", console.Moment(t.ProofAt, e.zone),
		"Tombstone", console.Moment(t.DeletedAt, e.zone),
		"Decided by", t.DecidedBy,
		"Came back", console.Moment(t.RestoredAt, e.zone),
	)}
}

func (e *shownRecord) quarantine() []console.Part {
	if len(e.Quarantine) == 0 {
		return nil
	}
	return []console.Part{console.Heading{ID: "quarantine", Text: "In quarantine"}, some(e.request, "entries", console.List(
		"Versions that did not fit, newest first", "", "Entry  State  Cause  Field  Why  First seen  Last seen  Seen", e.Quarantine,
		func(q *lineage.Entry) view.Row {
			return view.Row{
				console.ID(q.ID, addressOfEntry(q.ID)), q.State, q.Code, console.Code(q.Path), shortened(q.Detail),
				console.Moment(&q.FirstSeenAt, e.zone), console.Moment(&q.LastSeenAt, e.zone), q.Seen,
			}
		}))}
}
