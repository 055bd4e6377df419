package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	page.Parts = []console.Part{
		some(r, "tellers", console.List("Channels and rules, and when each last told something",
			"No channel is configured, and nothing was told yet: docs/notifications.md says how to begin.",
			"Organization  Dialect  Module  Operations  Tells of  State  Granted until  Callbacks  Last", shown.Tellers, p.tellerRow)),
		console.Heading{Text: "Self-test"},
		console.List("The last test callback of each organization that reached the inbox",
			"No organization has notifications in the configuration.", "Organization  Arrived  Way from the public address  Test",
			p.app.Config.Organizations, func(o *config.Organization) view.Row { return p.selfTest(o, shown) }),
		console.Note{
			Text: "The test goes from this process through the public address, and needs notifications.secret here. " +
				"From another machine the way is that of upstream:",
			Command: "sluice notifications check",
		},
		console.List("Gaps, the newest first: times in which upstream could not tell of a change", "There was no gap.",
			"Organization  Channel  From  Until  Reason", shown.Gaps, p.gapRow),
		console.Heading{Text: "Inbox"}, p.inboxOf(r, entries),
		console.Links{{Text: "The last callbacks", Href: "/notifications/callbacks"}},
		console.Note{Text: "A callback is a hint that something should be read, and never data. What the receiver refuses is not stored: " +
			"the metric sluice_callbacks_total counts it by verdict."},
	}
	return page, nil
}

// sentenceOfNotifications says first what keeps upstream from telling.
func (p *pages) sentenceOfNotifications(shown *notificationsView) (string, console.Mood) {
	open := howMany(shown.Gaps, func(g *channels.Gap) bool { return g.ClosedAt == nil })
	refused := howMany(shown.Tellers, func(v *tellerView) bool {
		return v.State == channels.Refused || v.State == channels.Denied
	})
	channel := howMany(shown.Tellers, func(v *tellerView) bool { return v.Dialect == notifications.Watch })
	rules := howMany(shown.Tellers, func(v *tellerView) bool { return v.Dialect == notifications.Rule })
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

func (p *pages) tellerRow(v *tellerView) view.Row {
	if v.Dialect == notifications.Test {
		return nil
	}
	state := console.Word(string(v.State), map[channels.State]console.Mood{
		channels.Refused: console.Bad, channels.Denied: console.Bad, channels.Wanted: console.Warn, channels.Disabled: console.Warn,
		channels.Active: console.Good,
	}[v.State])
	if v.Reason != "" {
		state.Text += ": " + v.Reason
	}
	zone := p.app.Zone(v.Organization)
	return view.Row{
		v.Organization, v.Dialect, v.Module, strings.Join(v.Operations, ", "), strings.Join(v.Tells, ", "), state,
		console.Moment(v.ExpiresAt, zone), v.Callbacks, console.Moment(v.LastAt, zone),
	}
}

// selfTest is the last test callback of an organization, whether callbacks can arrive now, and a
// button for another one. An open gap that is not about one channel says that they cannot.
func (p *pages) selfTest(o *config.Organization, shown *notificationsView) view.Row {
	if !o.Notifies() {
		return nil
	}
	last, way := console.Word("never", console.Warn), console.Word("not tried yet", console.Muted)
	for i := range shown.Tellers {
		if v := &shown.Tellers[i]; v.Organization == o.Key && v.Dialect == notifications.Test {
			last, way = console.Moment(v.LastAt, p.app.Zone(o.Key)), console.Word("worked then", console.Good)
		}
	}
	for i := range shown.Gaps {
		if g := &shown.Gaps[i]; g.Organization == o.Key && g.Channel == "" && g.ClosedAt == nil {
			way = console.Word("broken: "+g.Reason, console.Bad)
		}
	}
	test := console.Form{Path: "/notifications/" + o.Key + "/check", Label: "Send a test callback"}
	return view.Row{o.Key, last, way, console.Buttons(test)}
}

func (p *pages) gapRow(g *channels.Gap) view.Row {
	zone := p.app.Zone(g.Organization)
	until, channel := console.Word("still open", console.Bad), g.Channel
	if g.ClosedAt != nil {
		until = console.Moment(g.ClosedAt, zone)
	}
	if channel == "" {
		channel = "all"
	}
	return view.Row{g.Organization, channel, console.Moment(&g.OpenedAt, zone), until, g.Reason}
}

func (p *pages) inboxOf(r *console.Request, entries []hints.Entry) console.Table {
	return console.List("The last callbacks, newest first; the same content is one callback", "No callback has arrived.",
		"Callback  Arrived  Organization  Dialect  Module  Operation  Times  Records", entries, func(e *hints.Entry) view.Row {
			id := console.ID(e.ID, "")
			if r.User.Operator {
				id.Href = "/notifications/callbacks/" + view.ID(e.ID)
			}
			return view.Row{
				id, console.Moment(&e.RepeatedAt, p.app.Zone(e.Organization)), e.Organization, e.Dialect, e.Module, e.Operation, e.Times, recordsOf(e),
			}
		})
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
func (p *pages) callback(ctx context.Context, _ *console.Request, id int64) (console.Page, error) {
	e, err := hints.NewInbox(p.app.DB.Pool()).Entry(ctx, id)
	if errors.Is(err, postgres.ErrNotFound) {
		return console.Page{}, fmt.Errorf("there is no callback %d: %w", id, console.ErrNotFound)
	}
	if err != nil {
		return console.Page{}, fmt.Errorf("read callback %d: %w", id, err)
	}
	zone, body := p.app.Zone(e.Organization), []string{"It is not kept: notifications.keep_bodies."}
	if e.Body != nil {
		body = strings.Split(*e.Body, "\n")
	}
	return console.Page{
		Title: fmt.Sprintf("Callback %d", e.ID), Document: e,
		Sentence: fmt.Sprintf("It names %s and arrived %s.", view.Plural(len(e.IDs), "record"), view.Plural(e.Times, "time")),
		Parts: []console.Part{
			console.Facts(
				"Organization", e.Organization,
				"From", e.Dialect+" "+e.Module,
				"Operation", e.Operation,
				"Records", strings.Join(e.IDs, ", "),
				"First arrived", console.Moment(&e.ReceivedAt, zone),
				"Last arrived", console.Moment(&e.RepeatedAt, zone),
				"Sent, as it says itself", console.Moment(e.SentAt, zone),
				"Bytes", e.Bytes,
			),
			console.Source{Caption: "Body", Lines: body},
		},
	}, nil
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
