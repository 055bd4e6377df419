package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/notifications"
	"sluice/pipeline/warehouse/channels"
	"sluice/pipeline/warehouse/hints"
	"sluice/pipeline/warehouse/postgres"
)

// lastCallbacks is how many callbacks the pages show.
const lastCallbacks = 20

// notifications shows what upstream tells of changes, and when it could not.
func (p *pages) notifications(ctx context.Context, r *console.Request) (console.Page, error) {
	shown, err := notificationsOf(ctx, p.app)
	if err != nil {
		return console.Page{}, err
	}
	entries, err := hints.NewInbox(p.app.DB.Pool()).Entries(ctx, hints.Filter{Limit: lastCallbacks})
	if err != nil {
		return console.Page{}, fmt.Errorf("read the inbox: %w", err)
	}
	page := console.Page{Title: "Notifications", Document: shown}
	page.Sentence, page.Mood = p.sentenceOfNotifications(shown)
	var tellers [][]console.Cell
	for i := range shown.Tellers {
		if v := &shown.Tellers[i]; v.Dialect != notifications.Test {
			tellers = append(tellers, p.tellerRow(v))
		}
	}
	page.Parts = append(page.Parts,
		some(r, "tellers", console.Table{
			Caption: "Channels and rules, and when each last told something", Rows: tellers,
			None: "No channel is configured, and nothing was told yet: docs/notifications.md says how to begin.",
			Head: []string{"Organization", "Dialect", "Module", "Operations", "Tells of", "State", "Granted until", "Callbacks", "Last"},
		}))
	page.Parts = append(page.Parts, p.selfTests(shown)...)
	page.Parts = append(page.Parts, p.gaps(shown.Gaps), console.Heading{Text: "Inbox"}, p.inboxOf(r, entries),
		console.Links{{Text: "The last callbacks", Href: "/notifications/callbacks"}},
		console.Note{Text: "A callback is a hint that something should be read, and never data. What the receiver refuses is not stored: " +
			"the metric sluice_callbacks_total counts it by verdict."})
	return page, nil
}

// sentenceOfNotifications says first what keeps upstream from telling.
func (p *pages) sentenceOfNotifications(shown *notificationsView) (string, console.Mood) {
	var open, refused, channel, rules int
	for i := range shown.Gaps {
		if shown.Gaps[i].ClosedAt == nil {
			open++
		}
	}
	for i := range shown.Tellers {
		v := &shown.Tellers[i]
		switch v.Dialect {
		case notifications.Watch:
			channel++
		case notifications.Rule:
			rules++
		}
		if v.State == channels.Refused || v.State == channels.Denied {
			refused++
		}
	}
	switch notified := slices.ContainsFunc(p.app.Config.Organizations, func(o config.Organization) bool { return o.Notifies() }); {
	case !notified && len(shown.Tellers) == 0:
		return "No organization has notifications. Runs by interval and sweeps find every change without them, later.", console.Plain
	case open > 0:
		return fmt.Sprintf("Upstream cannot tell of changes at present: %s open. Runs by interval find them, later.", view.Plural(open, "gap")), console.Bad
	case refused > 0:
		return fmt.Sprintf("Upstream refuses %s of %s.", view.Count(refused), view.Plural(channel, "channel")), console.Bad
	default:
		return fmt.Sprintf("No gap is open. Upstream tells by %s and %s.", view.Plural(channel, "channel"), view.Plural(rules, "rule")), console.Good
	}
}

func (p *pages) tellerRow(v *tellerView) []console.Cell {
	state := console.Word(string(v.State), moodOfChannel(v.State))
	if v.Reason != "" {
		state.Text += ": " + v.Reason
	}
	zone := p.app.Zone(v.Organization)
	return []console.Cell{
		console.Text(v.Organization), console.Text(v.Dialect), console.Text(v.Module), console.Text(strings.Join(v.Operations, ", ")),
		console.Text(strings.Join(v.Tells, ", ")), state, console.Moment(v.ExpiresAt, zone), console.Number(v.Callbacks), console.Moment(v.LastAt, zone),
	}
}

func moodOfChannel(state channels.State) console.Mood {
	switch state {
	case channels.Refused, channels.Denied:
		return console.Bad
	case channels.Wanted, channels.Disabled:
		return console.Warn
	case channels.Active:
		return console.Good
	default:
		return console.Plain
	}
}

// selfTests show the last test callback of each organization, and send another one.
func (p *pages) selfTests(shown *notificationsView) []console.Part {
	table := console.Table{
		Caption: "The last test callback of each organization that reached the inbox", None: "No organization has notifications in the configuration.",
		Head: []string{"Organization", "Arrived", "Way from the public address", "Test"},
	}
	for i := range p.app.Config.Organizations {
		o := &p.app.Config.Organizations[i]
		if !o.Notifies() {
			continue
		}
		last := console.Word("never", console.Warn)
		at := slices.IndexFunc(shown.Tellers, func(v tellerView) bool { return v.Organization == o.Key && v.Dialect == notifications.Test })
		if at >= 0 {
			last = console.Moment(shown.Tellers[at].LastAt, p.app.Zone(o.Key))
		}
		table.Rows = append(table.Rows, []console.Cell{
			console.Text(o.Key), last, wayOf(o.Key, at >= 0, shown.Gaps),
			console.Buttons(console.Form{
				Path: "/notifications/" + o.Key + "/check", Label: "Send a test callback", Hidden: []console.Hidden{{Name: "from", Value: "/notifications"}},
			}),
		})
	}
	return []console.Part{
		console.Heading{Text: "Self-test"}, table,
		console.Note{
			Text: "The test goes from this process through the public address, and needs notifications.secret here. " +
				"From another machine the way is that of upstream:",
			Command: "sluice notifications check",
		},
	}
}

// wayOf says whether callbacks of an organization can arrive: an open gap that is not about one
// channel says that they cannot.
func wayOf(organization string, arrived bool, gaps []channels.Gap) console.Cell {
	for i := range gaps {
		if g := &gaps[i]; g.Organization == organization && g.Channel == "" && g.ClosedAt == nil {
			return console.Word("broken: "+g.Reason, console.Bad)
		}
	}
	if !arrived {
		return console.Word("not tried yet", console.Muted)
	}
	return console.Word("worked then", console.Good)
}

func (p *pages) gaps(gaps []channels.Gap) console.Table {
	table := console.Table{
		Caption: "Gaps, the newest first: times in which upstream could not tell of a change", None: "There was no gap.",
		Head: []string{"Organization", "Channel", "From", "Until", "Reason"},
	}
	for i := range gaps {
		g := &gaps[i]
		zone := p.app.Zone(g.Organization)
		until, channel := console.Word("still open", console.Bad), console.Text(g.Channel)
		if g.ClosedAt != nil {
			until = console.Moment(g.ClosedAt, zone)
		}
		if g.Channel == "" {
			channel = console.Word("all", console.Muted)
		}
		table.Rows = append(table.Rows, []console.Cell{
			console.Text(g.Organization), channel, console.Moment(&g.OpenedAt, zone), until, console.Text(g.Reason),
		})
	}
	return table
}

func (p *pages) inboxOf(r *console.Request, entries []hints.Entry) console.Table {
	table := console.Table{
		Caption: "The last callbacks, newest first; the same content is one callback", None: "No callback has arrived.",
		Head: []string{"Callback", "Arrived", "Organization", "Dialect", "Module", "Operation", "Times", "Records"},
	}
	for i := range entries {
		e := &entries[i]
		id := console.ID(e.ID, "")
		if r.User.Operator {
			id.Href = "/notifications/callbacks/" + strconv.FormatInt(e.ID, 10)
		}
		table.Rows = append(table.Rows, []console.Cell{
			id, console.Moment(&e.RepeatedAt, p.app.Zone(e.Organization)), console.Text(e.Organization), console.Text(e.Dialect), console.Text(e.Module),
			console.Text(e.Operation), console.Number(e.Times), console.Text(recordsOf(e)),
		})
	}
	return table
}

// callbacks are the last callbacks, whose document is that of the inbox.
func (p *pages) callbacks(ctx context.Context, r *console.Request) (console.Page, error) {
	entries, err := hints.NewInbox(p.app.DB.Pool()).Entries(ctx, hints.Filter{Limit: lastCallbacks})
	if err != nil {
		return console.Page{}, fmt.Errorf("read the inbox: %w", err)
	}
	return console.Page{
		Title: "Inbox", Sentence: "What upstream told last.", Document: entries,
		Parts: []console.Part{
			p.inboxOf(r, entries), console.Note{Text: "More, and of one organization:", Command: "sluice notifications inbox --since 24h --limit 500"},
		},
	}, nil
}

// callback shows one callback. A body has values of records, so that viewers do not see this page.
func (p *pages) callback(ctx context.Context, r *console.Request) (console.Page, error) {
	id, err := strconv.ParseInt(r.Value("id"), 10, 64)
	if err != nil {
		return console.Page{}, fmt.Errorf("there is no callback %q: %w", r.Value("id"), console.ErrNotFound)
	}
	e, err := hints.NewInbox(p.app.DB.Pool()).Entry(ctx, id)
	if errors.Is(err, postgres.ErrNotFound) {
		return console.Page{}, fmt.Errorf("there is no callback %d: %w", id, console.ErrNotFound)
	}
	if err != nil {
		return console.Page{}, fmt.Errorf("read callback %d: %w", id, err)
	}
	zone := p.app.Zone(e.Organization)
	page := console.Page{
		Title: fmt.Sprintf("Callback %d", e.ID), Document: e,
		Sentence: fmt.Sprintf("It names %s and arrived %s.", view.Plural(len(e.IDs), "record"), view.Plural(e.Times, "time")),
		Parts: []console.Part{console.Fields{
			{Label: "Organization", Value: console.Text(e.Organization)},
			{Label: "From", Value: console.Text(e.Dialect + " " + e.Module)},
			{Label: "Operation", Value: console.Text(e.Operation)},
			{Label: "Records", Value: console.Text(strings.Join(e.IDs, ", "))},
			{Label: "First arrived", Value: console.Moment(&e.ReceivedAt, zone)},
			{Label: "Last arrived", Value: console.Moment(&e.RepeatedAt, zone)},
			{Label: "Sent, as it says itself", Value: console.Moment(e.SentAt, zone)},
			{Label: "Bytes", Value: console.Number(e.Bytes)},
		}},
	}
	if e.Body == nil {
		page.Parts = append(page.Parts, console.Note{Text: "Its body is not kept: notifications.keep_bodies."})
	} else {
		page.Parts = append(page.Parts, console.Source{Caption: "Body", Lines: strings.Split(*e.Body, "\n")})
	}
	return page, nil
}

// errBroken says that a test callback did not arrive.
var errBroken = errors.New("the test callback did not arrive")

// checkNotifications sends a test callback and waits for it.
func (p *pages) checkNotifications(ctx context.Context, r *console.Request) (console.Deed, error) {
	deed := console.Deed{What: "notifications check", Target: r.Value("org"), Organization: r.Value("org")}
	organization := organizationFlag(r.Value("org"))
	keys, err := notifiedOrganizations(p.app, &organization)
	if err != nil {
		return deed, err
	}
	knocked, err := knockOn(ctx, p.app, keys[0])
	if err != nil {
		return deed, err
	}
	deed.After = knocked
	if !knocked.OK {
		return deed, fmt.Errorf("%w: %s: %s. %s", errBroken, knocked.Broken, knocked.Detail, knocked.Next)
	}
	return deed, nil
}
