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

// The heads of columns with instants.
const (
	headFirst = "First seen"
	headLast  = "Last seen"
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
	rows := make([][]console.Cell, len(causes))
	for i := range causes {
		g := &causes[i]
		zone := p.app.Zone(g.Organization)
		since := console.Moment(&g.FirstSeenAt, zone)
		if g.New {
			since.Mood = console.Warn
		}
		rows[i] = []console.Cell{
			console.To(g.Service+"."+g.Resource, entriesOfCause(g)), console.Text(g.Organization), console.Code(g.Code), console.Code(g.Field),
			console.Number(g.Entries), since, console.Moment(&g.LastSeenAt, zone), console.To("entry "+strconv.FormatInt(g.Example, 10), entryPage(g.Example)),
		}
	}
	page.Parts = append(page.Parts,
		console.Filters{
			choice(inOrganization, headOfOrganization, r, causes, func(g *quarantine.Cause) string { return g.Organization }),
			choice(inStream, "Stream", r, causes, func(g *quarantine.Cause) string { return g.Service + "." + g.Resource }),
			choice(inCode, "Code", r, causes, func(g *quarantine.Cause) string { return g.Code }),
		},
		some(r, "causes", console.Table{
			Caption: "Causes: those of the last day first, then the largest", Rows: rows,
			None: "No record waits here. Records that do not fit their declaration come here whole, and the rest of their list is loaded.",
			Head: []string{"Stream", headOfOrganization, "Code", "Field", "Records", headFirst, headLast, "Example"},
		}),
		console.Note{
			Text:    "sluice asks for these records again by itself, and closes the entries of those that fit or are gone. The same on a terminal:",
			Command: "sluice quarantine causes",
		})
	return page, nil
}

func causesSentence(causes []quarantine.Cause) (string, console.Mood) {
	if len(causes) == 0 {
		return "Nothing is in quarantine.", console.Good
	}
	var entries int64
	fresh, largest := 0, &causes[0]
	for i := range causes {
		entries += causes[i].Entries
		if causes[i].New {
			fresh++
		}
		if causes[i].Entries > largest.Entries {
			largest = &causes[i]
		}
	}
	text := fmt.Sprintf("%s of %s in quarantine", view.Plural(entries, "record"), view.Plural(len(causes), "cause"))
	if len(causes) == mostCauses {
		text = "More than " + text
	}
	if fresh > 0 {
		text += fmt.Sprintf("; %s of the last day", view.Plural(fresh, "cause"))
	}
	if len(causes) > 1 {
		text += fmt.Sprintf("; the largest has %s of %s.%s: %s", view.Count(largest.Entries), largest.Service, largest.Resource,
			causeName(largest.Code, largest.Field))
	}
	return text + ".", console.Warn
}

// causeName is a cause in words.
func causeName(code, field string) string {
	if field == "" {
		return code
	}
	return code + " in " + field
}

func entryPage(id int64) string { return "/quarantine/" + strconv.FormatInt(id, 10) }

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
	page := console.Page{Title: "Records in quarantine", Document: entries}
	what := r.Query.Get(inStream)
	if filter.Code != "" {
		what = strings.TrimPrefix(what+", "+causeName(filter.Code, r.Query.Get(inField)), ", ")
	}
	page.Sentence, page.Mood = view.Plural(waiting, "record")+" in quarantine"+after(": ", what)+".", console.Warn
	switch {
	case waiting == 0 && filter.Before == 0:
		page.Sentence, page.Mood = "No record is in quarantine"+after(": ", what)+".", console.Good
	case filter.Before > 0:
		page.Sentence = fmt.Sprintf("%s before entry %d in quarantine%s.", view.Plural(waiting, "record"), filter.Before, after(": ", what))
	}
	rows := make([][]console.Cell, len(entries))
	for i := range entries {
		e := &entries[i]
		zone := p.app.Zone(e.Organization)
		rows[i] = []console.Cell{
			console.ID(e.ID, entryPage(e.ID)), console.Text(e.Record), console.Text(e.Service + "." + e.Resource), console.Code(e.Code), console.Code(e.Path),
			console.Number(e.Seen), console.Moment(&e.FirstSeenAt, zone), console.Moment(&e.LastSeenAt, zone), console.Text(e.Detail),
		}
	}
	table := console.Table{
		Caption: "Records, newest first", Rows: rows, None: "No record waits here.",
		Head: []string{"Entry", "Record", "Stream", "Code", "Field", "Times seen", headFirst, headLast, "Why"},
	}
	if n := len(entries); n > 0 && int64(n) < waiting {
		table.More = &console.Link{
			Text: "Older ones: " + view.Count(waiting-int64(n)), Href: with(r, inBefore, strconv.FormatInt(entries[n-1].ID, 10)),
		}
	}
	if cause := filter.Code != "" && filter.Service != "" && filter.Organization != "" && filter.Field != nil; cause && waiting > 0 {
		page.Parts = append(page.Parts, console.Note{Text: whatToDoAbout(filter.Code)})
		page.Parts = append(page.Parts, p.causeForms(r, filter, waiting)...)
	} else if waiting > 0 {
		causes := "/quarantine?" + url.Values{inStream: r.Query[inStream]}.Encode()
		page.Parts = append(page.Parts, console.Links{{Text: "Causes, to decide about all records of one", Href: causes}})
	}
	page.Parts = append(page.Parts, table)
	return page, nil
}

// after is a text behind a sign, or nothing.
func after(sign, text string) string {
	if text == "" {
		return ""
	}
	return sign + text
}

// waiting counts the open entries that a filter selects.
func (p *pages) waiting(ctx context.Context, filter quarantine.Filter) (int64, error) {
	causes, err := causesOf(ctx, p.app, filter)
	var n int64
	for i := range causes {
		n += causes[i].Entries
	}
	return n, err
}

func (p *pages) causeForms(r *console.Request, filter quarantine.Filter, waiting int64) []console.Part {
	hidden := []console.Hidden{
		{Name: inOrganization, Value: filter.Organization}, {Name: inStream, Value: r.Query.Get(inStream)}, {Name: inCode, Value: filter.Code},
		{Name: inField, Value: *filter.Field}, {Name: inBefore, Value: strconv.FormatInt(filter.Before, 10)},
	}
	these := "all " + view.Count(waiting)
	if waiting > mostAtOnce {
		these = "the newest " + view.Count(mostAtOnce) + " of " + view.Count(waiting)
	}
	return []console.Part{
		console.Form{Path: "/quarantine/retry", Label: "Retry " + these, Hidden: hidden},
		console.Form{
			Path: "/quarantine/accept", Label: "Accept " + these, Hidden: hidden,
			Warning: "Their entries are closed for good, and the same bytes do not open them again. The records stay out of the warehouse.",
			Inputs:  []console.Input{{Name: "note", Label: "Why", Required: true}},
		},
	}
}

// quarantineEntry shows one record, and what does not fit.
func (p *pages) quarantineEntry(ctx context.Context, r *console.Request) (console.Page, error) {
	id, err := entryID(r)
	if err != nil {
		return console.Page{}, err
	}
	e, err := entryOf(ctx, p.app, id)
	if errors.Is(err, warehouse.ErrNotFound) {
		return console.Page{}, fmt.Errorf("%w: the quarantine has no entry %d", console.ErrNotFound, id)
	}
	if err != nil {
		return console.Page{}, err
	}
	source, came := p.sourceOf(r, e.Raw, e.Path)
	if !p.shows(r) {
		e.Detail = hiddenValue // as in hideDetails
	}
	shown := wholeOf(e)
	if !p.shows(r) {
		shown.Raw, shown.RawBase64 = hiddenRecord(e), nil
	}
	name := e.Service + "." + e.Resource
	page := console.Page{Title: "Record in quarantine", Document: shown, Mood: console.Warn}
	page.Sentence = fmt.Sprintf("%s: %s.", causeName(e.Code, e.Path), strings.TrimSuffix(e.Detail, "."))
	switch e.State {
	case "retried":
		page.Sentence, page.Mood = "Closed: the record was loaded since, or is not upstream any more.", console.Good
	case "resolved":
		page.Sentence, page.Mood = "Closed: an operator decided that the record stays out of the warehouse.", console.Plain
	default:
		page.Parts = append(append(page.Parts, console.Note{Text: whatToDoAbout(e.Code)}), entryForms(id)...)
	}
	zone := p.app.Zone(e.Organization)
	fields := console.Fields{
		{Label: "Number", Value: console.Text(strconv.FormatInt(e.ID, 10))},
		{Label: "Stream", Value: console.To(name, "/streams/"+url.PathEscape(e.Organization)+"/"+url.PathEscape(name))},
		{Label: headOfOrganization, Value: console.Text(e.Organization)},
		{Label: "Record", Value: recordCell(&e, name)},
		{Label: "Cause", Value: console.To(causeName(e.Code, e.Path), entriesOfCause(&quarantine.Cause{
			Organization: e.Organization, Service: e.Service, Resource: e.Resource, Code: e.Code, Field: withoutPositions(e.Path),
		}))},
		{Label: "Why", Value: console.Text(e.Detail)},
		{Label: "Times seen", Value: console.Number(e.Seen)},
		{Label: headFirst, Value: console.Moment(&e.FirstSeenAt, zone)},
		{Label: headLast, Value: console.Moment(&e.LastSeenAt, zone)},
		{Label: "Call", Value: numbered(e.Call, "")},
		{Label: "Run", Value: numbered(e.Run, "/runs/")},
		{Label: "State", Value: console.Text(e.State)},
	}
	if e.DecidedAt != nil {
		fields = append(fields, console.Field{Label: "Decided", Value: console.Moment(e.DecidedAt, zone)})
	}
	if e.Note != "" {
		fields = append(fields, console.Field{Label: "Note", Value: console.Text(e.Note)})
	}
	page.Parts = append(page.Parts, console.Heading{Text: "What is declared"})
	page.Parts = append(page.Parts, p.declaration(&e, came)...)
	page.Parts = append(page.Parts, console.Heading{Text: "The record"}, source, console.Heading{Text: "The entry"}, fields,
		console.Note{Text: "The same on a terminal:", Command: "sluice quarantine show " + strconv.FormatInt(id, 10)})
	return page, nil
}

// hiddenRecord is a record without its values.
func hiddenRecord(e quarantine.Entry) string {
	record, ok := layOut(e.Raw, e.Path, false)
	if !ok {
		return view.Count(e.Bytes) + " bytes that are no JSON"
	}
	return strings.Join(record.lines, "\n")
}

func recordCell(e *quarantine.Entry, name string) console.Cell {
	if e.Record == "" {
		return console.Word("its identifier could not be read", console.Muted)
	}
	return console.To(e.Record, addressOfRecord(e.Organization, name, e.Record))
}

// numbered leads to what has a number, on the pages under an address.
func numbered(id int64, under string) console.Cell {
	number := strconv.FormatInt(id, 10)
	switch {
	case id == 0:
		return console.Word("not known", console.Muted)
	case under == "":
		return console.Text(number)
	default:
		return console.To(number, under+number)
	}
}

// declaration shows the column that the path names, beside what came.
func (p *pages) declaration(e *quarantine.Entry, came string) []console.Part {
	stream, ok := p.app.Stream(engine.Key{Organization: e.Organization, Service: e.Service, Resource: e.Resource})
	if !ok {
		return []console.Part{console.Note{Text: "The configuration does not have this resource any more: no declaration is there to compare with."}}
	}
	table, column := declaredAt(stream, e.Path)
	switch {
	case e.Path == "":
		return []console.Part{console.Note{Text: "The record as a whole does not fit, not one of its values."}}
	case table == nil:
		return []console.Part{console.Note{Text: "No column is declared for this key."}}
	}
	fields := console.Fields{{Label: "Table", Value: console.Code(stream.Resource.SchemaName(stream.Service) + "." + table.Name)}}
	if column != nil {
		fields = append(fields,
			console.Field{Label: "Column", Value: console.Code(column.ColumnName())},
			console.Field{Label: "Kind", Value: console.Text(custom.KindWord(column.Kind) + " (" + ddl.TypeOf(column.Kind) + ")")},
			console.Field{Label: "Meaning", Value: console.Text(column.Doc)})
		if len(column.Values) > 0 {
			fields = append(fields, console.Field{Label: "Documented values", Value: console.Text(strings.Join(column.Values, ", "))})
		}
	} else {
		fields = append(fields, console.Field{Label: "Rows", Value: console.Text(table.Doc)})
	}
	if came == "" {
		came = "missing, or not where it was"
	}
	if e.Bytes <= largestShown {
		fields = append(fields, console.Field{Label: "Came as", Value: console.Word(came, console.Bad)})
	}
	return []console.Part{fields}
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
