package notifications_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/notifications"
	"sluice/pipeline/upstream"
	"sluice/pipeline/upstream/wire"
	"sluice/pipeline/warehouse/channels"
	"sluice/pipeline/warehouse/warehousetest"
)

// subscriber is an upstream that grants what grant says.
type subscriber struct {
	grant func(asked upstream.Subscription) upstream.Subscribed
	err   error
	calls [][]upstream.Subscription
	ended []int64
}

func (s *subscriber) Watch(_ context.Context, _ *pipeline.Organization, _ string, wanted []upstream.Subscription) ([]upstream.Subscribed, error) {
	s.calls = append(s.calls, wanted)
	if s.err != nil {
		return nil, s.err
	}
	answers := make([]upstream.Subscribed, len(wanted))
	for i := range wanted {
		answers[i] = s.grant(wanted[i])
	}
	return answers, nil
}

func (s *subscriber) Unwatch(_ context.Context, _ *pipeline.Organization, _ string, ids []int64) ([]upstream.Subscribed, error) {
	s.ended = append(s.ended, ids...)
	return make([]upstream.Subscribed, len(ids)), s.err
}

// channelFixture keeps channels in a database.
type channelFixture struct {
	*testing.T
	pool     *pgxpool.Pool
	store    *channels.Store
	upstream *subscriber
	keeper   *notifications.Channels
	now      time.Time
	acme     *pipeline.Organization
}

func openChannels(t *testing.T) *channelFixture {
	t.Helper()
	t.Parallel()
	pool := warehousetest.Pool(t, warehousetest.Migrated(t))
	f := &channelFixture{T: t, pool: pool, store: channels.New(pool), upstream: &subscriber{}, now: time.Now(), acme: &pipeline.Organization{Key: "acme"}}
	f.upstream.grant = func(asked upstream.Subscription) upstream.Subscribed {
		return upstream.Subscribed{Expires: asked.Expires}
	}
	f.keeper = &notifications.Channels{
		Store: f.store, Subscriber: f.upstream, Version: "v8", Now: func() time.Time { return f.now }, Log: slog.New(slog.DiscardHandler),
	}
	return f
}

// channel is a channel of a module, whose events are given.
func channel(id int64, module string, events ...string) notifications.Wanted {
	return notifications.Wanted{Module: module, Subscription: upstream.Subscription{
		ChannelID: id, Events: events, NotifyURL: "https://hooks.example.com/watch/acme", Token: wire.NewSecret("token of " + module),
	}}
}

// turn registers what is wanted and renews what is due, and returns how many calls that took.
func (f *channelFixture) turn(wanted ...notifications.Wanted) int {
	f.Helper()
	before := len(f.upstream.calls)
	check.Must(f, f.keeper.Register(f.Context(), "acme", wanted))
	if err := f.keeper.Renew(f.Context(), f.acme, wanted, false); err != nil && f.upstream.err == nil {
		f.Fatal(err)
	}
	return len(f.upstream.calls) - before
}

// pass lets time pass for all channels.
func (f *channelFixture) pass(d time.Duration) {
	f.Helper()
	f.now = f.now.Add(d)
	check.Sure(f.pool.Exec(f.Context(), `UPDATE sluice.channels SET renew_at = renew_at - $1::interval`, d))(f)
}

// want compares the channels: module, state, hours granted, hours until they are renewed.
func (f *channelFixture) want(what, want string) {
	f.Helper()
	all := check.Sure(f.store.Channels(f.Context(), ""))(f)
	var parts []string
	for _, c := range all {
		text := fmt.Sprintf("%s %s", c.Module, c.State)
		if c.ExpiresAt != nil && c.EnabledAt != nil {
			text += fmt.Sprintf(" %.0fh renewed in %.0fh", c.ExpiresAt.Sub(f.now).Hours(), time.Until(c.RenewAt).Hours())
		}
		if c.Code != "" {
			text += " " + c.Code + " " + c.Path
		}
		parts = append(parts, text)
	}
	check.Same(f, what, want, strings.Join(parts, ", "))
}

func TestChannelsAreRenewedAtHalfOfTheirTime(t *testing.T) {
	f := openChannels(t)
	deals, products := channel(1, "Deals", "Deals.all"), channel(2, "Products", "Products.create")
	check.Same(t, "calls for two channels", 1, f.turn(deals, products))
	f.want("granted", "Deals active 156h renewed in 78h, Products active 156h renewed in 78h")
	check.Same(t, "calls while nothing is due", 0, f.turn(deals, products))
	f.pass(79 * time.Hour)
	check.Same(t, "calls at half of the time", 1, f.turn(deals, products))
	products.Events = []string{"Products.all"}
	if calls := f.turn(deals, products); calls != 1 || len(f.upstream.calls[2]) != 1 || f.upstream.calls[2][0].ChannelID != 2 {
		t.Errorf("%d calls after a change, for %+v", calls, f.upstream.calls[2:])
	}
}

// TestAnHourInsteadOfAWeek: upstream replaces what it does not grant by an hour. Less than a day is
// then asked for, and kept.
func TestAnHourInsteadOfAWeek(t *testing.T) {
	f := openChannels(t)
	f.upstream.grant = func(asked upstream.Subscription) upstream.Subscribed {
		if asked.Expires.Sub(f.now) > 24*time.Hour {
			return upstream.Subscribed{Expires: f.now.Add(time.Hour)}
		}
		return upstream.Subscribed{Expires: asked.Expires}
	}
	deals := channel(1, "Deals", "Deals.all")
	f.turn(deals)
	f.pass(2 * time.Second)
	f.turn(deals)
	f.want("less than a day", "Deals active 23h renewed in 11h")
	f.pass(13 * time.Hour)
	check.Same(t, "calls for a channel of a day", 1, f.turn(deals))
	f.want("kept", "Deals active 23h renewed in 11h")
}

func TestARefusedChannelTakesNoOtherAlong(t *testing.T) {
	f := openChannels(t)
	f.upstream.grant = func(asked upstream.Subscription) upstream.Subscribed {
		if asked.ChannelID == 1 {
			return upstream.Subscribed{Code: "INVALID_DATA", Path: "$.watch[0].events[0]", Detail: "invalid module"}
		}
		return upstream.Subscribed{Expires: asked.Expires}
	}
	deals, products := channel(1, "Deels", "Deels.all"), channel(2, "Products", "Products.all")
	f.turn(deals, products)
	f.want("one is refused", "Deels refused INVALID_DATA $.watch[0].events[0], Products active 156h renewed in 78h")
	f.pass(48 * time.Hour)
	check.Same(t, "calls for a refused channel that did not change", 0, f.turn(deals, products))
	f.upstream.grant = func(asked upstream.Subscription) upstream.Subscribed {
		return upstream.Subscribed{Expires: asked.Expires}
	}
	deals.Events = []string{"Deals.all"}
	f.turn(deals, products)
	f.want("mended", "Deels active 156h renewed in 78h, Products active 108h renewed in 30h")
}

func TestChannelsWithoutConsentWait(t *testing.T) {
	f := openChannels(t)
	deals := channel(1, "Deals", "Deals.all")
	f.upstream.err = &pipeline.Error{Kind: pipeline.Unavailable, Op: "POST /crm/v8/actions/watch", Status: 503}
	f.turn(deals)
	f.want("a failing server", "Deals wanted")
	check.Same(t, "calls at once after a failure", 0, f.turn(deals))
	f.pass(90 * time.Second)
	f.upstream.err = &pipeline.Error{Kind: pipeline.Denied, Op: "POST /crm/v8/actions/watch", Status: 403, Code: "NO_PERMISSION"}
	f.turn(deals)
	f.want("no consent", "Deals denied NO_PERMISSION ")
	f.pass(time.Hour)
	check.Same(t, "calls an hour after the consent was found missing", 0, f.turn(deals))
	f.pass(24 * time.Hour)
	f.upstream.err = nil
	f.turn(deals)
	f.want("consent", "Deals active 156h renewed in 78h")
	check.Must(f, f.keeper.Disable(t.Context(), f.acme, []notifications.Wanted{deals}))
	check.ErrorIf(t, len(f.upstream.ended) != 1 || f.upstream.ended[0] != 1, "ended %v", f.upstream.ended)
	all, err := f.store.Channels(t.Context(), "acme")
	check.ErrorIf(t, err != nil || all[0].Lives || all[0].State != channels.Disabled, "%+v, %v", all, err)
}

// TestManyChannelsTakeOneCallForFifty, and of two processes one asks.
func TestManyChannelsTakeOneCallForFifty(t *testing.T) {
	f := openChannels(t)
	var many []notifications.Wanted
	for i := range 51 {
		many = append(many, channel(int64(i), fmt.Sprintf("Custom_%02d", i), "all"))
	}
	check.Same(t, "calls for 51 channels", 2, f.turn(many...))
	f.pass(79 * time.Hour)
	claimed := check.Sure(f.store.Claim(t.Context(), "acme", []string{"Custom_00"}, false))(f)
	check.ErrorIf(t, len(claimed) != 1 || f.turn(many[0]) != 0, "claimed %v; the other process asks, too", claimed)
}

// counter grants whatever is asked, and counts the calls of each organization.
type counter struct {
	mu    sync.Mutex
	calls map[string]int
}

func (c *counter) Watch(_ context.Context, o *pipeline.Organization, _ string, wanted []upstream.Subscription) ([]upstream.Subscribed, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[o.Key]++
	answers := make([]upstream.Subscribed, len(wanted))
	for i := range wanted {
		answers[i].Expires = wanted[i].Expires
	}
	return answers, nil
}

func (*counter) Unwatch(context.Context, *pipeline.Organization, string, []int64) ([]upstream.Subscribed, error) {
	return nil, errors.New("nothing is to be ended")
}

// TestAThousandOrganizationsAreRenewedByACallEach: two processes renew them at once, when they are
// new and after ten days without a renewal.
func TestAThousandOrganizationsAreRenewedByACallEach(t *testing.T) {
	f := openChannels(t)
	const organizations, processes = 1000, 2
	wanted := []notifications.Wanted{channel(1, "Deals", "Deals.all"), channel(2, "Products", "Products.all"), channel(3, "Accounts", "Accounts.all")}
	renew := func(what string) {
		counted := &counter{calls: make(map[string]int)}
		failures := make(chan error, processes)
		for range processes {
			keeper := *f.keeper
			keeper.Subscriber = counted
			go func() {
				var failed error
				for i := range organizations {
					o := &pipeline.Organization{Key: fmt.Sprintf("organization %d", i)}
					failed = errors.Join(failed, keeper.Register(t.Context(), o.Key, wanted), keeper.Renew(t.Context(), o, wanted, false))
				}
				failures <- failed
			}()
		}
		for range processes {
			check.Must(f, <-failures)
		}
		for key, calls := range counted.calls {
			check.Same(t, fmt.Sprintf("%s: calls of %s", what, key), 1, calls)
		}
		check.Same(t, what+": organizations were renewed", organizations, len(counted.calls))
	}
	renew("at first")
	f.pass(10 * 24 * time.Hour)
	renew("after ten days")
	var alive int
	check.Must(f, f.pool.QueryRow(t.Context(), `SELECT count(*)::int FROM sluice.channels WHERE state = 'active' AND expires_at > now()`).Scan(&alive))
	check.ErrorIf(t, alive != organizations*len(wanted), "%d channels are alive", alive)
}

// TestNames: what upstream and earlier versions know must not change. The values were computed with
// another program.
func TestNames(t *testing.T) {
	t.Parallel()
	hook := wire.NewSecret(secret)
	for what, got := range map[string][2]string{
		"token":     {notifications.Token(hook, key, 123456789012345), "zzUPxT6QiRBqJDlRw2U0DxvdFKLS3mF1rEJKJkwPCc0"},
		"signature": {notifications.Signature(hook, []byte(`{"bill_id":"460000000038080"}`)), "89d60994cd81d115e149a515a0a4370a585736a3abed23d978c9a76bb8bcbc47"},
		"digest": {
			hex.EncodeToString(notifications.Digest("inventory.bills", []byte(`{"bill_id":"1"}`))),
			"51f5b763843d6b0baa01f28b0eb40c2cbdf03825fd9c1896c27e993dc0f57e11",
		},
		"header":       {notifications.SignatureHeader("Acme"), "X-Acme-Webhook-Signature"},
		"watch path":   {notifications.Path(notifications.Watch, key, ""), "/watch/10234695"},
		"rule path":    {notifications.Path(notifications.Rule, key, "inventory.bills"), "/rule/10234695/inventory.bills"},
		"another hand": {token(secret, 123456789012345), "zzUPxT6QiRBqJDlRw2U0DxvdFKLS3mF1rEJKJkwPCc0"},
	} {
		check.ErrorIf(t, got[0] != got[1], "%s: %s, want %s", what, got[0], got[1])
	}
	check.Same(t, "channel", 231189896931178, notifications.ChannelID("https://hooks.example.com/sluice", key, "Deals"))
	check.ErrorIf(t, len(notifications.Token(hook, key, 1)) > 50, "upstream takes tokens of 50 characters")
}

// TestChannels: two deployments, organizations or modules never share a channel, and its identifier
// has 13 to 15 digits.
func TestChannels(t *testing.T) {
	t.Parallel()
	seen := map[int64]bool{}
	for _, public := range []string{"https://a.test", "https://b.test", "https://a.test/x"} {
		for _, organization := range []string{"1", "2", "acme"} {
			for module := range 100 {
				id := notifications.ChannelID(public, organization, "Module_"+string(rune('A'+module)))
				check.ErrorIf(t, id < 1_000_000_000_000 || id > 999_999_999_999_999 || seen[id],
					"%s %s: channel %d, seen before: %t", public, organization, id, seen[id])
				seen[id] = true
			}
		}
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	of := settings().Organizations[key]
	got := of.Targets(notifications.Watch, "Leads", []string{"1"})
	check.ErrorIf(t, got != nil, "a module without a channel: %v", got)
	got = of.Targets(notifications.Rule, "inventory.gone", []string{"1"})
	check.ErrorIf(t, got != nil, "a resource that is not copied: %v", got)
	got = of.Targets(notifications.Test, "", []string{"1"})
	check.ErrorIf(t, got != nil, "a test: %v", got)
}
