package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/notifications"
	"sluice/pipeline/upstream"
	"sluice/pipeline/upstream/wire"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/channels"
	"sluice/pipeline/warehouse/hints"
)

const (
	// toldEvery is the time between two turns: it is how late a lapse or a renewal is noticed.
	toldEvery = 30 * time.Second
	// proofLasts is for how many intervals of the self-test one counts.
	proofLasts = 3
	// knockPatience is how long a test callback may take to reach the inbox.
	knockPatience = 10 * time.Second
	// watchDaily and watchPerMinute bound the calls for channels: the document shows no limit, so
	// the figures are careful ones of our own. Source: docs/upstream.md U289.
	watchDaily     = 1000
	watchPerMinute = 100
)

func watchLimits() pipeline.Limits {
	return pipeline.Limits{Shared: upstream.NotificationService, PerMinute: watchPerMinute, Concurrent: 1, Daily: watchDaily}
}

// Told keeps the notifications of a process alive and proves that they arrive.
type Told struct {
	app      *App
	channels *notifications.Channels
	store    *channels.Store
	// knocked is when the last test callback of an organization arrived, tried when one was sent.
	knocked, tried map[string]time.Time
}

// Told prepares the work that keeps notifications alive; nil if no organization has notifications.
func (a *App) Told(client notifications.Subscriber) *Told {
	if !slices.ContainsFunc(a.Config.Organizations, func(o config.Organization) bool { return o.Notifies() }) {
		return nil
	}
	store := channels.New(a.DB.Pool())
	return &Told{
		app: a, store: store, knocked: make(map[string]time.Time), tried: make(map[string]time.Time),
		channels: &notifications.Channels{
			Store: store, Subscriber: client, Version: a.Config.Notifications.APIVersion, Now: a.options.Now, Log: a.Log,
		},
	}
}

// loop takes turns until the context ends.
func (t *Told) loop(ctx context.Context, done *sync.WaitGroup) {
	done.Go(func() {
		ticker := time.NewTicker(toldEvery)
		defer ticker.Stop()
		for {
			if err := t.Turn(ctx); err != nil && ctx.Err() == nil {
				t.app.Log.WarnContext(ctx, "keeping notifications alive failed: the next turn tries again", "error", t.app.options.Scrub.Error(err))
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
}

// Turn renews channels that are due, sends the test callbacks that are due, and notes of which
// streams notifications arrive. Streams whose notifications are no longer trusted get their usual
// interval back. That comes first, too: a proof may have lapsed while all processes were down, and
// the next one does not tell what nothing received since then.
func (t *Told) Turn(ctx context.Context) error {
	failed := t.distrust(ctx)
	for i := range t.app.Config.Organizations {
		o := &t.app.Config.Organizations[i]
		if o.Notifies() {
			failed = errors.Join(failed, t.lapsed(ctx, o), t.renew(ctx, o, t.app.WatchedBy(o), false), t.knock(ctx, o))
			failed = errors.Join(failed, t.prove(ctx, o))
		}
	}
	return errors.Join(failed, t.distrust(ctx))
}

// distrust gives streams their usual interval back whose notifications are not trusted.
func (t *Told) distrust(ctx context.Context) error {
	lapsed, err := t.app.DB.Distrust(ctx)
	for _, key := range lapsed {
		t.app.Log.InfoContext(ctx, "notifications are not trusted: the usual interval applies", key.Log())
	}
	return err
}

// WatchedBy returns the channels that the configuration asks for.
func (a *App) WatchedBy(o *config.Organization) []notifications.Wanted {
	wanted := make([]notifications.Wanted, 0, len(o.Notifications.Watch))
	for _, watch := range o.Notifications.Watch {
		id := notifications.ChannelID(a.Config.Notifications.PublicURL, o.Key, watch.Module)
		events := make([]string, len(watch.Operations))
		for i, operation := range watch.Operations {
			events[i] = watch.Module + "." + operation
		}
		wanted = append(wanted, notifications.Wanted{Module: watch.Module, Subscription: upstream.Subscription{
			ChannelID: id, Events: events,
			NotifyURL: a.Config.Notifications.PublicURL + notifications.Path(notifications.Watch, o.Key, ""),
			Token:     wire.NewSecret(notifications.Token(a.hooks(o)[0], o.Key, id)),
		}})
	}
	return wanted
}

// Channels returns the stored channels of an organization, and its last gaps; "" means all.
func (a *App) Channels(ctx context.Context, organization string) ([]channels.Channel, []channels.Gap, error) {
	store := channels.New(a.DB.Pool())
	all, err := store.Channels(ctx, organization)
	if err != nil {
		return nil, nil, err
	}
	gaps, err := store.Gaps(ctx, organization, gapsShown)
	return all, gaps, err
}

// Telling returns how change notifications arrive by the channels of the configuration. Each of
// them, and each organization as a whole, has a sum of gaps.
func (a *App) Telling(ctx context.Context) (warehouse.Telling, error) {
	t, err := a.DB.Telling(ctx)
	if err != nil {
		return t, fmt.Errorf("read how notifications arrive: %w", err)
	}
	seconds := make(map[[2]string]float64, len(t.Gaps))
	for _, gap := range t.Gaps {
		seconds[[2]string{gap.Organization, gap.Channel}] = gap.Seconds
	}
	t.Gaps = nil
	configured := make(map[[2]string]bool)
	for i := range a.Config.Organizations {
		o := &a.Config.Organizations[i]
		if !o.Notifies() {
			continue
		}
		for _, watch := range append([]config.Watch{{}}, o.Notifications.Watch...) {
			name := [2]string{o.Key, watch.Module}
			configured[name] = true
			t.Gaps = append(t.Gaps, channels.GapSum{Organization: o.Key, Channel: watch.Module, Seconds: seconds[name]})
		}
	}
	t.Channels = slices.DeleteFunc(t.Channels, func(c channels.Channel) bool { return !configured[[2]string{c.Organization, c.Module}] })
	t.Callbacks = slices.DeleteFunc(t.Callbacks, func(c hints.Told) bool {
		return c.Dialect != notifications.Rule && !configured[[2]string{c.Organization, c.Module}]
	})
	return t, nil
}

// gapsShown is how many gaps a report has.
const gapsShown = 20

// Disable ends channels of an organization upstream. They stay ended until they are enabled.
func (t *Told) Disable(ctx context.Context, o *config.Organization, wanted []notifications.Wanted) error {
	if err := t.channels.Register(ctx, o.Key, wanted); err != nil {
		return fmt.Errorf("register the channels of %s: %w", o.Name, err)
	}
	if err := t.channels.Disable(ctx, t.app.organizations[o.Key], wanted); err != nil {
		return fmt.Errorf("disable the channels of %s: %w", o.Name, err)
	}
	return nil
}

// Enable asks for channels of an organization now, whether or not they are due.
func (t *Told) Enable(ctx context.Context, o *config.Organization, wanted []notifications.Wanted) error {
	return t.renew(ctx, o, wanted, true)
}

func (t *Told) renew(ctx context.Context, o *config.Organization, wanted []notifications.Wanted, now bool) error {
	if len(wanted) == 0 {
		return nil
	}
	if err := t.channels.Register(ctx, o.Key, wanted); err != nil {
		return fmt.Errorf("register the channels of %s: %w", o.Name, err)
	}
	if err := t.channels.Renew(ctx, t.app.organizations[o.Key], wanted, now); err != nil {
		return fmt.Errorf("renew the channels of %s: %w", o.Name, err)
	}
	return nil
}

// knock sends a test callback if one is due, and opens or closes the gap of all channels.
func (t *Told) knock(ctx context.Context, o *config.Organization) error {
	every, now := t.app.Config.Notifications.SelfTest, t.app.options.Now()
	if every == 0 || now.Sub(t.tried[o.Key]) < every {
		return nil
	}
	t.tried[o.Key] = now
	knocked, err := t.app.Knock(ctx, o, knockPatience)
	if err != nil {
		return fmt.Errorf("test whether callbacks of %s arrive: %w", o.Name, err)
	}
	if knocked.Broken == "" {
		t.knocked[o.Key] = now
		return t.closeGap(ctx, o, "", t.streams(o, nil))
	}
	t.app.Log.WarnContext(ctx, "a test callback did not arrive: sluice notifications check says what to do",
		"organization", o.Key, "reason", string(knocked.Broken))
	since := t.knocked[o.Key]
	if since.IsZero() {
		since = now
	}
	delete(t.knocked, o.Key)
	return t.store.OpenGap(ctx, o.Key, "", since, t.app.options.Scrub.Textf("a test callback did not arrive: %s", knocked.Broken))
}

// prove notes for which streams notifications are proven to arrive.
func (t *Told) prove(ctx context.Context, o *config.Organization) error {
	all, err := t.store.Channels(ctx, o.Key)
	if err != nil {
		return err
	}
	lives := make(map[string]bool, len(all))
	var failed error
	for i := range all {
		lives[all[i].Module] = all[i].Lives
		failed = errors.Join(failed, t.gap(ctx, o, &all[i]))
	}
	lasts := proofLasts*t.app.Config.Notifications.SelfTest - t.app.options.Now().Sub(t.knocked[o.Key])
	if t.knocked[o.Key].IsZero() {
		lasts = 0
	}
	var proven, unproven []Key
	for _, list := range t.streams(o, nil) {
		dead := slices.ContainsFunc(o.Notifications.Watch, func(w config.Watch) bool {
			return slices.Contains(w.Tells, resourceName(list)) && !lives[w.Module]
		})
		if dead || lasts <= 0 {
			unproven = append(unproven, list.Key())
		} else {
			proven = append(proven, list.Key())
		}
	}
	return errors.Join(failed, t.app.DB.Prove(ctx, proven, lasts), t.app.DB.Prove(ctx, unproven, 0))
}

// lapsed opens the gaps of channels that expired, before they are renewed: where all processes were
// down, nothing noted it, and the grant replaces the instant at which they expired.
func (t *Told) lapsed(ctx context.Context, o *config.Organization) error {
	all, err := t.store.Channels(ctx, o.Key)
	for i := range all {
		if !all[i].Lives {
			err = errors.Join(err, t.gap(ctx, o, &all[i]))
		}
	}
	return err
}

// gap opens or closes the gap of a channel. A channel that was never granted opens none: what it
// would tell of is read by schedule.
func (t *Told) gap(ctx context.Context, o *config.Organization, c *channels.Channel) error {
	at := slices.IndexFunc(o.Notifications.Watch, func(w config.Watch) bool { return w.Module == c.Module })
	switch {
	case at < 0 || c.ExpiresAt == nil:
		return nil
	case c.Lives:
		return t.closeGap(ctx, o, c.Module, t.streams(o, o.Notifications.Watch[at].Tells))
	default:
		reason, since := t.app.options.Scrub.Textf("the channel is %s and expired", c.State), *c.ExpiresAt
		if now := t.app.options.Now(); since.After(now) { // it was granted for longer, and is not any more
			reason, since = t.app.options.Scrub.Textf("the channel is %s", c.State), now
		}
		return t.store.OpenGap(ctx, o.Key, c.Module, since, reason)
	}
}

func (t *Told) closeGap(ctx context.Context, o *config.Organization, channel string, lists []pipeline.Stream) error {
	var looks []pipeline.Stream
	for _, list := range lists {
		look := list
		if look.Work = t.app.findsDeletions(list); look.Work != pipeline.WorkList {
			looks = append(looks, look)
		}
	}
	return t.app.DB.CloseGap(ctx, o.Key, channel, lists, looks)
}

// streams are the lists of an organization of which callbacks may tell, or those of the named
// resources.
func (t *Told) streams(o *config.Organization, names []string) []pipeline.Stream {
	var lists []pipeline.Stream
	for _, stream := range t.app.Streams() {
		told := stream.Organization == o.Key && stream.Work == pipeline.WorkList && t.app.Enabled(stream)
		if told && (names == nil && t.app.resource(stream).Notified.Every > 0 || slices.Contains(names, resourceName(stream))) {
			lists = append(lists, stream)
		}
	}
	return lists
}
