package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/schema"
	"sluice/schema/custom"
	"sluice/schema/ddl"
)

// The names of what narrows the quarantine, in addresses and forms.
const (
	inOrganization = "org"
	inStream       = "stream"
	inCode         = "code"
	inField        = "field"
	inBefore       = "before"
)

// entriesPage is the address of the entries of a cause.
const entriesPage = "/quarantine/entries"

// quarantinedBy selects what an address or a form names.
func quarantinedBy(query url.Values) quarantine.Filter {
	f := quarantine.Filter{State: "open", Organization: query.Get(inOrganization), Code: query.Get(inCode)}
	if stream := query.Get(inStream); stream != "" {
		f.Service, f.Resource = splitName(stream)
	}
	if query.Has(inField) {
		f.Field = new(query.Get(inField))
	}
	if before, err := strconv.ParseInt(query.Get(inBefore), 10, 64); err == nil && before > 0 {
		f.Before = before
	}
	return f
}

// oneCause says that a filter selects the records of one cause.
func oneCause(f quarantine.Filter) bool {
	return f.Organization != "" && f.Service != "" && f.Code != "" && f.Field != nil
}

// quarantine sums up why records do not fit.
func (p *pages) quarantine(ctx context.Context, r *console.Request) (console.Page, error) {
	filter := quarantinedBy(r.Query)
	filter.Field, filter.Before = nil, 0
	causes, err := causesOf(ctx, p.app, filter)
	if err != nil {
		return console.Page{}, err
	}
	page := console.Page{Title: "Quarantine", Document: causes}
	page.Sentence, page.Mood = causesSentence(causes)
	page.Parts = []console.Part{
		console.Filters{
			choice(inOrganization, headOfOrganization, r, causes, func(g *quarantine.Cause) string { return g.Organization }),
			choice(inStream, "Stream", r, causes, func(g *quarantine.Cause) string { return g.Service + "." + g.Resource }),
			choice(inCode, "Code", r, causes, func(g *quarantine.Cause) string { return g.Code }),
		},
		some(r, "causes", console.List("Causes: those of the last day first, then the largest",
			"No record waits here. Records that do not fit their declaration come here whole, and the rest of their list is loaded.",
			"Stream  Organization  Code  Field  Records  First seen  Last seen  Example", causes, p.causeRow)),
		console.Note{
			Text:    "sluice asks for these records again by itself, and closes the entries of those that fit or are gone. The same on a terminal:",
			Command: "sluice quarantine causes",
		},
	}
	return page, nil
}

func (p *pages) causeRow(g *quarantine.Cause) view.Row {
	zone := p.app.Zone(g.Organization)
	since := console.Moment(&g.FirstSeenAt, zone)
	if g.New {
		since.Mood = console.Warn
	}
	return view.Row{
		console.To(g.Service+"."+g.Resource, entriesOfCause(g)), g.Organization, console.Code(g.Code), console.Code(g.Field), g.Entries,
		since, console.Moment(&g.LastSeenAt, zone), console.To("entry "+view.ID(g.Example), addressOfEntry(g.Example)),
	}
}

func causesSentence(causes []quarantine.Cause) (string, console.Mood) {
	if len(causes) == 0 {
		return "Nothing is in quarantine.", console.Good
	}
	entries := sumOf(causes, func(g *quarantine.Cause) int64 { return g.Entries })
	fresh := howMany(causes, func(g *quarantine.Cause) bool { return g.New })
	text := fmt.Sprintf("%s of %s in quarantine; %s of the last day.", view.Plural(entries, "record"), view.Plural(len(causes), "cause"),
		view.Plural(fresh, "cause"))
	if len(causes) == mostCauses {
		text = "More than " + text
	}
	return text, console.Warn
}

func causeName(code, field string) string {
	if field == "" {
		return code
	}
	return code + " in " + field
}

func entriesOfCause(g *quarantine.Cause) string {
	return entriesPage + "?" + url.Values{
		inOrganization: {g.Organization}, inStream: {g.Service + "." + g.Resource}, inCode: {g.Code}, inField: {g.Field},
	}.Encode()
}

// quarantineEntries are the records of a cause, newest first.
func (p *pages) quarantineEntries(ctx context.Context, r *console.Request) (console.Page, error) {
	filter := quarantinedBy(r.Query)
	entries, err := entriesOf(ctx, p.app, filter)
	if err != nil {
		return console.Page{}, err
	}
	p.hideDetails(r, entries)
	waiting, err := p.waiting(ctx, filter)
	if err != nil {
		return console.Page{}, err
	}
	what := []string{view.Plural(waiting, "record") + " in quarantine"}
	if filter.Before > 0 {
		what[0] += " before entry " + view.ID(filter.Before)
	}
	for _, by := range []string{r.Query.Get(inStream), causeName(filter.Code, r.Query.Get(inField))} {
		if by != "" {
			what = append(what, by)
		}
	}
	page := console.Page{
		Title: "Records in quarantine", Document: entries, Sentence: strings.Join(what, ", ") + ".", Mood: console.Warn,
	}
	switch {
	case waiting == 0:
		page.Mood = console.Good
	case oneCause(filter):
		page.Parts = append(page.Parts, console.Note{Text: whatToDoAbout(filter.Code)})
		page.Parts = append(page.Parts, causeForms(r, filter, waiting)...)
	default:
		causes := "/quarantine?" + url.Values{inStream: r.Query[inStream]}.Encode()
		page.Parts = append(page.Parts, console.Links{{Text: "Causes, to decide about all records of one", Href: causes}})
	}
	table := console.List("Records, newest first", "No record waits here.",
		"Entry  Record  Stream  Code  Field  Times seen  First seen  Last seen  Why", entries, func(e *quarantine.Entry) view.Row {
			zone := p.app.Zone(e.Organization)
			return view.Row{
				console.ID(e.ID, addressOfEntry(e.ID)), e.Record, e.Service + "." + e.Resource, console.Code(e.Code), console.Code(e.Path),
				e.Seen, console.Moment(&e.FirstSeenAt, zone), console.Moment(&e.LastSeenAt, zone), e.Detail,
			}
		})
	if n := len(entries); n > 0 && int64(n) < waiting {
		table.More = &console.Link{Text: "Older ones: " + view.Count(waiting-int64(n)), Href: with(r, inBefore, view.ID(entries[n-1].ID))}
	}
	page.Parts = append(page.Parts, table)
	return page, nil
}

// waiting counts the open entries that a filter selects.
func (p *pages) waiting(ctx context.Context, filter quarantine.Filter) (int64, error) {
	causes, err := causesOf(ctx, p.app, filter)
	return sumOf(causes, func(g *quarantine.Cause) int64 { return g.Entries }), err
}

func causeForms(r *console.Request, filter quarantine.Filter, waiting int64) []console.Part {
	these := "all " + view.Count(waiting)
	if waiting > mostAtOnce {
		these = "the newest " + view.Count(mostAtOnce) + " of " + view.Count(waiting)
	}
	return decisions("/quarantine", these, []console.Hidden{
		{Name: inOrganization, Value: filter.Organization}, {Name: inStream, Value: r.Query.Get(inStream)}, {Name: inCode, Value: filter.Code},
		{Name: inField, Value: *filter.Field}, {Name: inBefore, Value: view.ID(filter.Before)},
	})
}

// decisions are what a person can do about entries.
func decisions(at, these string, hidden []console.Hidden) []console.Part {
	return []console.Part{
		console.Form{Path: at + "/retry", Label: strings.TrimSpace("Retry " + these), Hidden: hidden},
		console.Form{
			Path: at + "/accept", Label: strings.TrimSpace("Accept " + these), Hidden: hidden,
			Warning: "What is accepted is closed for good, and the same bytes do not open it again. The records stay out of the warehouse.",
			Inputs:  []console.Input{{Name: "note", Label: "Why"}},
		},
	}
}

// quarantineEntry shows one record, and what does not fit.
func (p *pages) quarantineEntry(ctx context.Context, r *console.Request, id int64) (console.Page, error) {
	e, err := entryOf(ctx, p.app, id)
	if errors.Is(err, warehouse.ErrNotFound) {
		return console.Page{}, fmt.Errorf("%w: the quarantine has no entry %d", console.ErrNotFound, id)
	}
	if err != nil {
		return console.Page{}, err
	}
	source, came := p.sourceOf(r, e.Raw, e.Path)
	shown := wholeOf(e)
	if !p.shows(r) {
		e.Detail = hiddenValue // as in hideDetails
		shown.Detail, shown.Raw, shown.RawBase64 = hiddenValue, hiddenRecord(e), nil
	}
	page := console.Page{Title: "Record in quarantine", Document: shown, Mood: console.Warn}
	page.Sentence = fmt.Sprintf("%s: %s.", causeName(e.Code, e.Path), strings.TrimSuffix(e.Detail, "."))
	switch e.State {
	case "retried":
		page.Sentence, page.Mood = "Closed: the record was loaded since, or is not upstream any more.", console.Good
	case "resolved":
		page.Sentence, page.Mood = "Closed: an operator decided that the record stays out of the warehouse.", console.Plain
	default:
		page.Parts = append(append(page.Parts, console.Note{Text: whatToDoAbout(e.Code)}), decisions(addressOfEntry(id), "", nil)...)
	}
	page.Parts = append(page.Parts, console.Heading{Text: "What is declared"}, p.declaration(&e, came),
		console.Heading{Text: "The record"}, source, console.Heading{Text: "The entry"}, p.entryFacts(&e),
		console.Note{Text: "The same on a terminal:", Command: "sluice quarantine show " + view.ID(id)})
	return page, nil
}

func (p *pages) entryFacts(e *quarantine.Entry) console.Fields {
	zone, name := p.app.Zone(e.Organization), e.Service+"."+e.Resource
	record := console.Word("its identifier could not be read", console.Muted)
	if e.Record != "" {
		record = console.To(e.Record, addressOfRecord(e.Organization, name, e.Record))
	}
	call, run := console.Word("not known", console.Muted), console.Word("not known", console.Muted)
	if e.Call != 0 {
		call = console.Text(view.ID(e.Call))
	}
	if e.Run != 0 {
		run = console.To(view.ID(e.Run), addressOfRun(e.Run))
	}
	cause := quarantine.Cause{Organization: e.Organization, Service: e.Service, Resource: e.Resource, Code: e.Code, Field: withoutPositions(e.Path)}
	return console.Facts(
		"Number", view.ID(e.ID),
		"Stream", console.To(name, addressOfStream(e.Organization, name)),
		headOfOrganization, e.Organization,
		"Record", record,
		"Cause", console.To(causeName(e.Code, e.Path), entriesOfCause(&cause)),
		"Why", e.Detail,
		"Times seen", e.Seen,
		"First seen", console.Moment(&e.FirstSeenAt, zone),
		"Last seen", console.Moment(&e.LastSeenAt, zone),
		"Call", call,
		"Run", run,
		"State", e.State,
		"Decided", console.Moment(e.DecidedAt, zone),
		"Note", e.Note,
	)
}

// hiddenRecord is a record without its values.
func hiddenRecord(e quarantine.Entry) string {
	record, err := layOut(e.Raw, e.Path, false)
	if err != nil {
		return view.Count(e.Bytes) + " bytes that are no JSON"
	}
	return strings.Join(record.lines, "\n")
}

// declaration shows the column that the path names, beside what came.
func (p *pages) declaration(e *quarantine.Entry, came string) console.Part {
	stream, ok := p.app.Stream(engine.Key{Organization: e.Organization, Service: e.Service, Resource: e.Resource})
	if !ok {
		return console.Note{Text: "The configuration does not have this resource any more: no declaration is there to compare with."}
	}
	table, column := declaredAt(stream, e.Path)
	switch {
	case e.Path == "":
		return console.Note{Text: "The record as a whole does not fit, not one of its values."}
	case table == nil:
		return console.Note{Text: "No column is declared for this key."}
	case came == "" && e.Bytes <= largestShown:
		came = "missing, or not where it was"
	}
	name := console.Code(stream.Resource.SchemaName(stream.Service) + "." + table.Name)
	if column == nil {
		return console.Facts("Table", name, "Rows", table.Doc, "Came as", console.Word(came, console.Bad))
	}
	return console.Facts(
		"Table", name,
		"Column", console.Code(column.ColumnName()),
		"Kind", custom.KindWord(column.Kind)+" ("+ddl.TypeOf(column.Kind)+")",
		"Meaning", column.Doc,
		"Documented values", strings.Join(column.Values, ", "),
		"Came as", console.Word(came, console.Bad),
	)
}

// declaredAt finds the column that a path names, or only the table; nil if there is none.
func declaredAt(stream pipeline.Stream, path string) (*schema.Table, *schema.Column) {
	plain := strings.ReplaceAll(withoutPositions(path), "[]", "")
	var of *schema.Table
	tables := stream.Resource.Tables()
	for i := range tables {
		t := &tables[i]
		at := strings.Join(t.Path, ".")
		if at == plain && at != "" {
			of = t
		}
		for j := range t.Columns {
			c := &t.Columns[j]
			scalar := t.Child != nil && t.Child.Scalar && at == plain
			if scalar || plain != "" && (under(at, c.Wire) == plain || at != "" && at+"."+c.Wire == plain || c.Also != "" && under(at, c.Also) == plain) {
				return t, c
			}
		}
	}
	return of, nil
}
