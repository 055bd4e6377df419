package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/streams"
)

// streams is the first page: each stream by how late it is against its own bound, the worst first.
func (p *pages) streams(ctx context.Context, r *console.Request) (console.Page, error) {
	shown, err := p.statusFor(ctx, r)
	if err != nil {
		return console.Page{}, err
	}
	lines := latestFirst(shown.Streams, r.Now, p.app.Alarm)
	page := console.Page{Title: "Streams", Document: shown}
	page.Sentence, page.Mood = sentenceOf(lines)
	steps, err := p.setupOf(ctx, shown.Streams)
	if err != nil {
		return console.Page{}, err
	}
	if len(steps.Steps) > 0 && page.Mood != console.Bad {
		page.Mood = console.Plain
		steps.onto(&page)
	}
	for _, trouble := range shown.troubles() {
		page.Parts = append(page.Parts, console.Note{Text: trouble, Mood: console.Bad})
	}
	table := func(caption, head string, list bool, row func(*streamLine, time.Time) view.Row) console.Table {
		return some(r, caption, console.List(caption, "No stream matches.", head, lines, func(l *streamLine) view.Row {
			if l.list() != list || !matches(r.Query.Get("org"), l.Organization) || !matches(r.Query.Get("service"), l.Service) ||
				!matches(r.Query.Get("state"), l.State) {
				return nil
			}
			return row(l, r.Now)
		}))
	}
	page.Parts = append(page.Parts,
		console.Filters{
			choice("org", headOfOrganization, r, lines, func(l *streamLine) string { return l.Organization }),
			choice("service", "Service", r, lines, func(l *streamLine) string { return l.Service }),
			choice("state", "State", r, lines, func(l *streamLine) string { return l.State }),
		},
		table("Lists, the latest against its own bound first",
			"Stream  Organization  Freshness  Complete up to  State  Next run  Quarantined  Remark", true, p.listRow),
		console.Heading{Text: "Work beside the lists"},
		console.Note{Text: "Details read single records, sweeps and looks find deletions, hinted streams read what notifications told of."},
		table("Details, sweeps, looks and hinted streams", "Stream  Organization  Last done  State  Next run  Remark", false, p.workRow))
	return page, nil
}

// statusFor is the status for a page, or for its document. The page needs the streams and the
// troubles beside them; budgets and backfills, which have pages of their own, cost a query for each
// service.
func (p *pages) statusFor(ctx context.Context, r *console.Request) (*statusView, error) {
	if r.Query.Get("format") != "" {
		return p.cli.statusOf(ctx, p.app)
	}
	streams, err := streamViews(ctx, p.app)
	if err != nil {
		return nil, err
	}
	shown := &statusView{Streams: streams}
	return shown, shown.readTroubles(ctx, p.app)
}

// streamLine is a stream with its age.
type streamLine struct {
	streamView

	age   time.Duration
	bound time.Duration
	// alarm is what the quarantine alarms about; empty for nothing.
	alarm string
}

// list says that the stream reads a list. Only such a stream has a watermark.
func (l *streamLine) list() bool { return !strings.Contains(l.Resource, ".") }

func (l *streamLine) denied() bool { return l.State == string(pipeline.StateDenied) }

// lateness is the age of the watermark in bounds: above 1 the stream is late. A stream that was
// never complete is the latest of all.
func (l *streamLine) lateness() float64 {
	switch {
	case l.bound == 0 || !l.list():
		return -1
	case l.Watermark == nil || l.WatermarkAhead:
		return 1e9
	default:
		return float64(l.age) / float64(l.bound)
	}
}

func latestFirst(shown []streamView, now time.Time, alarm func(*streams.Status) string) []streamLine {
	var lines []streamLine
	for i := range shown {
		s := &shown[i]
		if !s.Enabled || strings.HasSuffix(s.Resource, "."+string(pipeline.WorkBackfill)) {
			continue // backfills have a page of their own
		}
		line := streamLine{streamView: *s, bound: time.Duration(s.BoundSeconds * float64(time.Second)), alarm: alarm(&s.Status)}
		if s.Watermark != nil {
			line.age = now.Sub(*s.Watermark)
		}
		lines = append(lines, line)
	}
	slices.SortStableFunc(lines, func(a, b streamLine) int { return cmp.Compare(b.lateness(), a.lateness()) })
	return lines
}

// sentenceOf says first what needs a person.
func sentenceOf(lines []streamLine) (string, console.Mood) {
	lists := slices.DeleteFunc(slices.Clone(lines), func(l streamLine) bool { return !l.list() })
	denied := howMany(lines, (*streamLine).denied)
	never := howMany(lists, func(l *streamLine) bool { return !l.denied() && l.Watermark == nil })
	late := howMany(lists, func(l *streamLine) bool { return !l.denied() && l.Watermark != nil && l.lateness() > 1 })
	alarms := howMany(lines, func(l *streamLine) bool { return l.alarm != "" })
	var oldest time.Duration
	for i := range lists {
		oldest = max(oldest, lists[i].age)
	}
	total := view.Plural(len(lists), "list")
	switch {
	case len(lines) == 0:
		return "No stream is registered yet: sluice serve or sluice sync registers them.", console.Plain
	case denied > 0:
		return fmt.Sprintf("Upstream denies %s. Late: %s of %s.", view.Plural(denied, "stream"), view.Count(late), total), console.Bad
	case late > 0:
		return fmt.Sprintf("Late against their own bounds: %s of %s; the oldest is %s old.", view.Count(late), total, view.Age(oldest)), console.Bad
	case alarms > 0:
		return fmt.Sprintf("No list is late; the quarantine alarms for %s.", view.Plural(alarms, "stream")), console.Bad
	case never > 0:
		return fmt.Sprintf("Never complete yet: %s of %s. Their first runs go on.", view.Count(never), total), console.Warn
	default:
		return fmt.Sprintf("No list is late: %s, the oldest %s old.", total, view.Age(oldest)), console.Good
	}
}

func (p *pages) listRow(l *streamLine, now time.Time) view.Row {
	watermark := console.Moment(l.Watermark, p.app.Zone(l.Organization))
	if l.WatermarkAhead {
		watermark = console.Word("not known", console.Bad)
	}
	return view.Row{
		addressOf(l), l.Organization, ageAgainstBound(l), watermark, console.Word(l.State, moodOf(l.State)),
		next(&l.Status, now), quarantined(l), remark(&l.Status, l.alarm, now),
	}
}

func (p *pages) workRow(l *streamLine, now time.Time) view.Row {
	return view.Row{
		addressOf(l), l.Organization, console.Moment(l.LastDoneAt, p.app.Zone(l.Organization)), console.Word(l.State, moodOf(l.State)),
		next(&l.Status, now), remark(&l.Status, l.alarm, now),
	}
}

func addressOf(l *streamLine) console.Cell {
	name := l.Service + "." + l.Resource
	return console.To(name, addressOfStream(l.Organization, name))
}

func ageAgainstBound(l *streamLine) console.Cell {
	switch late := l.lateness(); {
	case late < 0:
		return console.Word("no bound", console.Muted)
	case l.Watermark == nil:
		return console.Word("never complete", console.Warn)
	case late > 1:
		return console.Word(fmt.Sprintf("%s, bound %s", view.Age(l.age), view.Age(l.bound)), console.Bad)
	default:
		return console.Word(fmt.Sprintf("%s of %s", view.Age(l.age), view.Age(l.bound)), console.Good)
	}
}

func quarantined(l *streamLine) console.Cell {
	cell := console.Number(l.Quarantined)
	if l.Quarantined > 0 {
		cell.Href = "/quarantine?stream=" + l.Service + "." + l.Resource
	}
	return cell
}

// moodOf says which states need a look.
func moodOf(state string) console.Mood {
	return map[pipeline.State]console.Mood{
		pipeline.StateDenied: console.Bad, pipeline.StateFailed: console.Bad,
		pipeline.StateRetrying: console.Warn, pipeline.StateWaiting: console.Warn,
	}[pipeline.State(state)]
}
