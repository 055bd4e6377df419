package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/notifications"
	"sluice/pipeline/warehouse/channels"
	"sluice/pipeline/warehouse/hints"
	"sluice/pipeline/warehouse/postgres"
)

func (c *cli) notificationsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "notifications",
		Short: "Receive what upstream tells about changes, and look at what it told",
		Long: `Receive what upstream tells about changes, and look at what it told. A callback is a
hint that something should be read, and never data. Nothing depends on callbacks: runs
by interval and sweeps find every change without them, later.

Without a further word it lists what is configured, and when each last told something.`,
		Example: "  sluice notifications\n  sluice notifications setup --org acme\n  sluice notifications check",
		Args:    cobra.NoArgs,
		RunE:    c.offlineWork(c.listNotifications),
	}
	cmd.AddCommand(c.setupNotifications(), c.channelsCommand(enableChannels), c.channelsCommand(renewChannels), c.channelsCommand(disableChannels),
		c.checkNotifications(), c.inboxCommand(), c.showCallback(), c.serveNotifications())
	return cmd
}

// tellerView is one channel, or the webhooks of one resource.
type tellerView struct {
	Organization string `json:"organization"`
	Dialect      string `json:"dialect"`
	// Module is the module of a channel, or the resource of a rule.
	Module     string   `json:"module"`
	Channel    int64    `json:"channel,omitempty"`
	Operations []string `json:"operations,omitempty"`
	Tells      []string `json:"tells"`
	// State is that of the channel; ExpiresAt is until when upstream granted it. Reason is why it
	// was refused, with upstream's code and the place in the request.
	State     channels.State `json:"state,omitempty"`
	ExpiresAt *time.Time     `json:"expires_at,omitempty"`
	Reason    string         `json:"reason,omitempty"`
	// LastAt is when the last callback arrived; Callbacks is how many the inbox still has.
	LastAt    *time.Time `json:"last_at"`
	Callbacks int64      `json:"callbacks"`
}

// notificationsView is what a report about notifications has.
type notificationsView struct {
	Tellers []tellerView   `json:"tellers"`
	Gaps    []channels.Gap `json:"gaps"`
}

// notificationsOf reads the channels and rules, and when each last told something.
func notificationsOf(ctx context.Context, a *engine.App) (*notificationsView, error) {
	told, err := hints.NewInbox(a.DB.Pool()).Told(ctx)
	if err != nil {
		return nil, fmt.Errorf("read who told something: %w", err)
	}
	stored, gaps, err := a.Channels(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("read the channels: %w", err)
	}
	views := tellers(a)
	for i := range stored {
		at := slices.IndexFunc(views, func(v tellerView) bool {
			return v.Dialect == notifications.Watch && v.Organization == stored[i].Organization && v.Module == stored[i].Module
		})
		if at >= 0 {
			views[at].State, views[at].ExpiresAt = stored[i].State, stored[i].ExpiresAt
			said := []string{stored[i].Code, stored[i].Path, stored[i].Reason}
			views[at].Reason = strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), ": ")
		}
	}
	for i := range told {
		t := &told[i]
		at := slices.IndexFunc(views, func(v tellerView) bool {
			return v.Organization == t.Organization && v.Dialect == t.Dialect && v.Module == t.Module
		})
		if at < 0 { // a rule that upstream has, or what the configuration no longer has
			views, at = append(views, tellerView{Organization: t.Organization, Dialect: t.Dialect, Module: t.Module, Tells: []string{}}), len(views)
			if t.Dialect == notifications.Rule {
				views[at].Tells = append(views[at].Tells, t.Module)
			}
		}
		views[at].LastAt, views[at].Callbacks = &t.LastAt, t.Callbacks
	}
	return &notificationsView{Tellers: views, Gaps: gaps}, nil
}

func (c *cli) listNotifications(ctx context.Context, a *engine.App, _ []string) error {
	shown, err := notificationsOf(ctx, a)
	if err != nil {
		return err
	}
	const head = headOrganization + "  DIALECT  MODULE  OPERATIONS  TELLS OF  STATE  UNTIL  CALLBACKS  LAST"
	none := "No channel is configured, and nothing was told yet: docs/notifications.md says how to begin."
	table := view.Table(shown.Tellers, head, func(v *tellerView) view.Row {
		until, zone := "", a.Zone(v.Organization)
		if v.ExpiresAt != nil {
			until = view.Instant(v.ExpiresAt, zone)
		}
		operations, tells := strings.Join(v.Operations, ", "), strings.Join(v.Tells, ", ")
		return view.Row{v.Organization, v.Dialect, v.Module, operations, tells, v.State, until, v.Callbacks, view.Instant(v.LastAt, zone)}
	}).Or(none)
	return c.show(shown, table, remarks(a, shown.Tellers, shown.Gaps))
}

// remarks are the refusals of channels and the gaps, a line each.
func remarks(a *engine.App, views []tellerView, gaps []channels.Gap) view.Part {
	return view.Text(func(page *view.Page) {
		for i := range views {
			if v := &views[i]; v.Reason != "" {
				page.Linef("%s is %s: %s", v.Module, v.State, v.Reason)
			}
		}
		for i := range gaps {
			g := &gaps[i]
			zone, closed := a.Zone(g.Organization), "still open"
			if g.ClosedAt != nil {
				closed = "until " + view.Instant(g.ClosedAt, zone)
			}
			page.Linef("Nothing was told from %s, %s: %s", view.Instant(&g.OpenedAt, zone), closed, strings.TrimSpace(g.Channel+" "+g.Reason))
		}
	})
}

// tellers are the configured channels.
func tellers(a *engine.App) []tellerView {
	views := []tellerView{}
	for i := range a.Config.Organizations {
		o := &a.Config.Organizations[i]
		for _, watch := range o.Notifications.Watch {
			views = append(views, tellerView{
				Organization: o.Key, Dialect: notifications.Watch, Module: watch.Module, Operations: watch.Operations, Tells: append([]string{}, watch.Tells...),
				Channel: notifications.ChannelID(a.Config.Notifications.PublicURL, o.Key, watch.Module),
			})
		}
	}
	return views
}

// moment is an instant of a command line: how long ago (24h), an instant, or a day.
type moment string

func (m *moment) add(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVar((*string)(m), "since", "", usage+": 24h, 2026-01-31, or 2026-01-31T10:00:00Z")
}

// at is the instant; a day begins in the zone.
func (m *moment) at(now time.Time, zone *time.Location) (time.Time, error) {
	if *m == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(string(*m)); err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.ParseInLocation(layout, string(*m), zone); err == nil {
			return at, nil
		}
	}
	return time.Time{}, usage("--since %q is no instant: write 24h, 2026-01-31 or 2026-01-31T10:00:00Z", string(*m))
}

func (c *cli) inboxCommand() *cobra.Command {
	var organization organizationFlag
	var since moment
	filter := hints.Filter{}
	cmd := &cobra.Command{
		Use:   "inbox",
		Short: "List the last callbacks that arrived",
		Long: `List the last callbacks that arrived, newest first. The same content is one callback,
however often it arrives: TIMES counts. OPERATION is empty where a callback does not say
what happened, or says something unknown.`,
		Example: "  sluice notifications inbox --org acme --since 24h",
		Args:    cobra.NoArgs,
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, _ []string) error {
			var err error
			if filter.Organization, err = organization.key(a); err != nil {
				return err
			}
			if filter.Since, err = since.at(c.env.Now(), time.UTC); err != nil {
				return err
			}
			entries, err := hints.NewInbox(a.DB.Pool()).Entries(ctx, filter)
			if err != nil {
				return fmt.Errorf("read the inbox: %w", err)
			}
			const head = "ID  ARRIVED  " + headOrganization + "  DIALECT  MODULE  OPERATION  RECORDS  TIMES"
			return c.show(entries, view.Table(entries, head, func(e *hints.Entry) view.Row {
				at := view.Instant(&e.RepeatedAt, a.Zone(e.Organization))
				return view.Row{view.ID(e.ID), at, e.Organization, e.Dialect, e.Module, e.Operation, recordsOf(e), e.Times}
			}).Or("No callback has arrived."))
		}),
	}
	organization.add(cmd)
	since.add(cmd, "only callbacks that arrived since")
	cmd.Flags().IntVar(&filter.Limit, "limit", 20, "how many callbacks")
	return cmd
}

// recordsOf are the records that a callback names, the first of many.
func recordsOf(e *hints.Entry) string {
	const shown = 3
	if len(e.IDs) <= shown {
		return strings.Join(e.IDs, ", ")
	}
	return fmt.Sprintf("%s and %s more", strings.Join(e.IDs[:shown], ", "), view.Count(len(e.IDs)-shown))
}

func (c *cli) showCallback() *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Short:   "Show one callback, with its body if bodies are kept",
		Example: "  sluice notifications show 12",
		Args:    cobra.ExactArgs(1),
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, args []string) error {
			ids, err := numbers(args, "callback", "notifications inbox")
			if err != nil {
				return err
			}
			entry, err := hints.NewInbox(a.DB.Pool()).Entry(ctx, ids[0])
			if errors.Is(err, postgres.ErrNotFound) {
				return usage("there is no callback %d: sluice notifications inbox shows them", ids[0])
			}
			if err != nil {
				return fmt.Errorf("read callback %d: %w", ids[0], err)
			}
			return c.show(entry, view.Text(func(page *view.Page) { callbackFields(page, &entry, a.Zone(entry.Organization)) }))
		}),
	}
}

func callbackFields(page *view.Page, e *hints.Entry, zone *time.Location) {
	field := page.Fields(13)
	field("callback", "%d of organization %s", e.ID, e.Organization)
	field("from", "%s %s", e.Dialect, e.Module)
	field("operation", "%s", e.Operation)
	field("records", "%s", strings.Join(e.IDs, ", "))
	field("first arrived", "%s", view.Instant(&e.ReceivedAt, zone))
	field("last arrived", "%s (%d times)", view.Instant(&e.RepeatedAt, zone), e.Times)
	field("sent", "%s, as it says itself", view.Instant(e.SentAt, zone))
	if e.Body == nil {
		field("body", "%d bytes, not kept (notifications.keep_bodies)", e.Bytes)
		return
	}
	field("body", "%s", *e.Body)
}

// notifiedOrganizations are the organizations with notifications that a command is about, in the
// order of the configuration.
func notifiedOrganizations(a *engine.App, flag *organizationFlag) ([]string, error) {
	key, err := flag.key(a)
	if err != nil {
		return nil, err
	}
	settings := a.Notifications()
	keys := slices.Sorted(maps.Keys(settings.Organizations))
	if key != "" {
		keys = slices.DeleteFunc(keys, func(k string) bool { return k != key })
	}
	if len(keys) == 0 {
		return nil, usage("no organization has notifications in the configuration: docs/notifications.md says how to begin")
	}
	return keys, nil
}
