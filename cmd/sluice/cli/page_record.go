package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/cmd/sluice/cli/explain"
	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/outside"
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

func addressOfRun(id int64) string { return "/runs/" + strconv.FormatInt(id, 10) }

func addressOfStream(organization, name string) string {
	return "/streams/" + url.PathEscape(organization) + "/" + url.PathEscape(name)
}

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
	page := console.Page{Title: outside.Visible(name + " " + e.Record), Document: e.explainView, Sentence: e.Conclusions[0], Mood: e.mood()}
	for _, sentence := range e.Conclusions[1:] {
		page.Parts = append(page.Parts, console.Note{Text: outside.Visible(sentence)})
	}
	about := console.Fields{
		{Label: "Organization", Value: console.Text(e.Organization)},
		{Label: "Stream", Value: console.To(name, addressOfStream(e.Organization, name))},
		{Label: "Table", Value: console.To(e.stream.Resource.SchemaName(e.stream.Service)+"."+e.Resource, addressOfTable(e.Service, e.Resource))},
		{Label: "Identifier", Value: console.Code(outside.Visible(e.Record))},
	}
	if e.Row != nil {
		about = append(about, console.Field{Label: "First seen", Value: console.Moment(&e.Row.FirstSeenAt, e.zone)},
			console.Field{Label: "Last changed here", Value: console.Moment(&e.Row.ChangedAt, e.zone)},
			console.Field{Label: "Last modified upstream", Value: console.Moment(e.Row.Modified, e.zone)})
	}
	if e.List != nil {
		about = append(about, console.Field{Label: "List complete up to", Value: console.Moment(e.List.Watermark, e.zone)},
			console.Field{Label: "List read again", Value: console.Moment(&e.List.NextDueAt, e.zone)})
	}
	page.Parts = append(page.Parts, about)
	if !e.pages.shows(e.request) {
		page.Parts = append(page.Parts, console.Note{Text: "Operators see the values of records. Here are their kinds and lengths.", Mood: console.Muted})
	}
	page.Parts = append(page.Parts, e.versions()...)
	page.Parts = append(page.Parts, e.row()...)
	page.Parts = append(page.Parts, e.raw()...)
	page.Parts = append(page.Parts, e.tombstone()...)
	page.Parts = append(page.Parts, e.quarantine()...)
	return page
}

// mood is bad where something is open, and warns where there is no row.
func (e *shownRecord) mood() console.Mood {
	open := slices.ContainsFunc(e.Quarantine, func(entry lineage.Entry) bool { return entry.State == "open" })
	switch {
	case open, e.Tombstone != nil && e.Tombstone.State == "needs_review":
		return console.Bad
	case e.Row == nil, e.Tombstone != nil && e.Tombstone.State != "restored":
		return console.Warn
	default:
		return console.Good
	}
}

// versions are the calls that brought the record, and what each changed.
func (e *shownRecord) versions() []console.Part {
	table := console.Table{
		Caption: "Versions, newest first: which call brought each", None: "No raw record of it is kept in the answers that were looked through.",
		Head: []string{"Loaded", "Out of", "Modified", "Call", "Request", "Answer", "Run", "Bytes"},
	}
	for i := range e.Versions {
		v := &e.Versions[i]
		run, answer := console.Text("–"), console.Text("not known")
		if v.Call.Run != 0 {
			run = console.ID(v.Call.Run, addressOfRun(v.Call.Run))
		}
		if v.Call.Status != 0 {
			answer = console.Text("HTTP " + strconv.Itoa(v.Call.Status))
		}
		table.Rows = append(table.Rows, []console.Cell{
			console.Moment(&v.KeptAt, e.zone), console.Text(kindOfVersion(v)), console.Text(outside.Visible(v.Modified)), console.ID(v.Call.ID, ""),
			console.Code(outside.Visible(explain.Request(v.Call))), answer, run, console.Number(v.Bytes),
		})
	}
	parts := []console.Part{console.Heading{ID: "versions", Text: "How it came about"}, some(e.request, "versions", table)}
	if !e.AllArchives {
		searched := "The newest " + view.Plural(e.Archives, "answer") + " of the list were looked through. Older versions may be there."
		parts = append(parts, console.Note{Text: searched})
		if e.request.Query.Get("answers") == "" {
			parts = append(parts, console.Links{{Text: "Look through more answers", Href: with(e.request, "answers", "all")}})
		}
	}
	return append(parts, e.changes()...)
}

func kindOfVersion(v *lineage.Version) string {
	if v.Single {
		return "single record"
	}
	return "list"
}

// changes hold each version against the one before it of the same kind, value by value.
func (e *shownRecord) changes() []console.Part {
	table := console.Table{
		Caption: "What changed from version to version, newest first", None: "No two versions of one kind are kept: there is nothing to compare.",
		Head: []string{"Field", "Before", "After", "Loaded", "Call", "Out of"},
	}
	for i := range min(len(e.records), versionsCompared) {
		before := e.previous(i)
		if before < 0 || e.records[i] == nil || e.records[before] == nil {
			continue
		}
		v := &e.Versions[i]
		for _, c := range changesOf(e.records[before], e.records[i]) {
			table.Rows = append(table.Rows, []console.Cell{
				console.Code(outside.Visible(c.path)), e.value(c.before), e.value(c.after),
				console.Moment(&v.KeptAt, e.zone), console.ID(v.Call.ID, ""), console.Text(kindOfVersion(v)),
			})
		}
	}
	return []console.Part{console.Heading{ID: "changes", Text: "What changed"}, some(e.request, "changes", table)}
}

// previous is the index of the version before the one at i of the same kind; -1 if there is none.
func (e *shownRecord) previous(i int) int {
	for before := i + 1; before < len(e.records); before++ {
		if e.Versions[before].Single == e.Versions[i].Single {
			return before
		}
	}
	return -1
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
	if value.Kind() == '"' {
		if plain, err := jsontext.AppendUnquote(nil, value); err == nil {
			text = string(plain)
		}
	}
	cell := console.Code(outside.Visible(shortened(text)))
	if value.Kind() == 'n' {
		cell.Mood = console.Muted
	}
	return cell
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
	table := console.Table{Caption: "The row, column by column", Head: []string{"Column", "Value", "Meaning"}}
	for _, column := range ddl.Tables(e.stream.Service, e.stream.Resource)[0].Columns {
		value, ok := e.Row.Values[column.Name]
		if !ok {
			continue // the table lacks it: sluice check names it
		}
		cell := e.value(jsontext.Value(value))
		if strings.HasPrefix(column.Name, "_") && column.Name != "_extra" || column.Name == ddl.OrganizationID {
			cell = console.Code(strings.Trim(string(value), `"`)) // ours, and no value of the record
		}
		table.Rows = append(table.Rows, []console.Cell{console.Code(column.Name), cell, console.Text(shortened(column.Comment))})
	}
	parts := []console.Part{console.Heading{ID: "row", Text: "The row"}, table}
	arrays := console.Table{Caption: "Rows of its arrays", Head: []string{"Table", "Rows"}}
	for _, name := range slices.Sorted(maps.Keys(e.Row.Arrays)) {
		arrays.Rows = append(arrays.Rows, []console.Cell{console.To(name, addressOfTable(e.Service, name)), console.Number(e.Row.Arrays[name])})
	}
	if len(arrays.Rows) > 0 {
		parts = append(parts, arrays)
	}
	return parts
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
	fields := console.Fields{
		{Label: "State", Value: console.Text(strings.ReplaceAll(t.State, "_", " "))},
		{Label: "First missed", Value: console.Moment(&t.SuspectedAt, e.zone)},
		{Label: "By run", Value: console.ID(t.SuspectedRun, addressOfRun(t.SuspectedRun))},
		{Label: "Proof", Value: console.Text(cmp.Or(strings.ReplaceAll(t.Proof, "_", " "), "none yet"))},
		{Label: "Proven", Value: console.Moment(t.ProofAt, e.zone)},
		{Label: "Tombstone", Value: console.Moment(t.DeletedAt, e.zone)},
		{Label: "Decided by", Value: console.Text(cmp.Or(t.DecidedBy, "–"))},
	}
	if t.RestoredAt != nil {
		fields = append(fields, console.Field{Label: "Came back", Value: console.Moment(t.RestoredAt, e.zone)})
	}
	return []console.Part{console.Heading{ID: "tombstone", Text: "Its end upstream"}, fields}
}

func (e *shownRecord) quarantine() []console.Part {
	if len(e.Quarantine) == 0 {
		return nil
	}
	table := console.Table{
		Caption: "Versions that did not fit, newest first", Head: []string{"Entry", "State", "Cause", "Field", "Why", "First seen", "Last seen", "Seen"},
	}
	for i := range e.Quarantine {
		q := &e.Quarantine[i]
		table.Rows = append(table.Rows, []console.Cell{
			console.ID(q.ID, "/quarantine/"+view.ID(q.ID)), console.Text(q.State), console.Text(q.Code), console.Code(outside.Visible(q.Path)),
			console.Text(outside.Visible(shortened(q.Detail))),
			console.Moment(&q.FirstSeenAt, e.zone), console.Moment(&q.LastSeenAt, e.zone), console.Number(q.Seen),
		})
	}
	return []console.Part{console.Heading{ID: "quarantine", Text: "In quarantine"}, some(e.request, "entries", table)}
}
