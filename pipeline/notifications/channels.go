package notifications

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"log/slog"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/upstream"
	"sluice/pipeline/warehouse/channels"
)

const (
	// long is until when a channel is asked for: a week less half a day, since a request for more
	// than a week gives an hour, and clocks differ (docs/upstream.md U274). brief is asked for
	// where upstream grants an hour all the same.
	long  = 6*24*time.Hour + 12*time.Hour
	brief = 23 * time.Hour
	// hourly is the longest grant that counts as the hour that upstream gives instead of what was
	// asked for.
	hourly = 65 * time.Minute
	// briefly is the pause before brief is asked for.
	briefly = time.Second
	// deniedRest is the pause after a consent was found missing: an operator has to act.
	deniedRest = 24 * time.Hour
	// leastRenewal is the least time between two requests for a channel.
	leastRenewal = time.Minute
)

// Wanted is a channel that the configuration asks for.
type Wanted struct {
	Module string
	upstream.Subscription
}

// digest covers all that the request would say, the token included.
func (w *Wanted) digest(version string) []byte {
	hash := sha256.New()
	for _, text := range append([]string{version, w.Module, w.NotifyURL, w.Token.Reveal()}, w.Events...) {
		_ = binary.Write(hash, binary.BigEndian, int64(len(text))) // a hash never fails
		_, _ = hash.Write([]byte(text))                            // as above
	}
	return hash.Sum(nil)
}

// Subscriber enables and disables channels; upstream.Client is one.
type Subscriber interface {
	Watch(ctx context.Context, organization *pipeline.Organization, version string, wanted []upstream.Subscription) ([]upstream.Subscribed, error)
	Unwatch(ctx context.Context, organization *pipeline.Organization, version string, channels []int64) ([]upstream.Subscribed, error)
}

// Store holds the channels; channels.Store is one.
type Store interface {
	Register(ctx context.Context, wishes []channels.Wish) error
	Claim(ctx context.Context, organization string, modules []string, now bool) ([]channels.Channel, error)
	Grant(ctx context.Context, c channels.Channel, expires time.Time, renew time.Duration, short bool) error
	Refuse(ctx context.Context, c channels.Channel, refusal channels.Refusal, again time.Duration) error
	Fail(ctx context.Context, c channels.Channel, reason outside.Text) error
	Disable(ctx context.Context, organization string, modules []string) error
}

// Channels keeps the channels of organizations alive. It is safe for concurrent use, also by
// several processes: a channel is asked for by one of them.
type Channels struct {
	Store      Store
	Subscriber Subscriber
	// Version is the version of upstream's API, such as v8.
	Version string
	Now     func() time.Time
	Log     *slog.Logger
}

// Register brings the stored channels of an organization in line with the configuration.
func (c *Channels) Register(ctx context.Context, organization string, wanted []Wanted) error {
	wishes := make([]channels.Wish, len(wanted))
	for i := range wanted {
		w := &wanted[i]
		wishes[i] = channels.Wish{Organization: organization, Module: w.Module, ID: w.ChannelID, Digest: w.digest(c.Version)}
	}
	return c.Store.Register(ctx, wishes)
}

// Renew enables the channels of an organization that are due, or all of them, in one call for every
// 50. Channels are renewed at half of what was granted. A channel that upstream refuses takes no
// other along.
func (c *Channels) Renew(ctx context.Context, organization *pipeline.Organization, wanted []Wanted, all bool) error {
	var failed error
	for part := range slices.Chunk(wanted, upstream.MostSubscriptions) {
		modules := make([]string, len(part))
		for i := range part {
			modules[i] = part[i].Module
		}
		claimed, err := c.Store.Claim(ctx, organization.Key, modules, all)
		if err == nil && len(claimed) > 0 {
			err = c.ask(ctx, organization, part, claimed)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// ask enables channels and notes what upstream answered about each.
func (c *Channels) ask(ctx context.Context, organization *pipeline.Organization, wanted []Wanted, claimed []channels.Channel) error {
	now := c.Now()
	requests := make([]upstream.Subscription, len(claimed))
	for i := range claimed {
		at := slices.IndexFunc(wanted, func(w Wanted) bool { return w.Module == claimed[i].Module })
		requests[i] = wanted[at].Subscription
		requests[i].Expires = now.Add(long)
		if claimed[i].Short {
			requests[i].Expires = now.Add(brief)
		}
	}
	answers, err := c.Subscriber.Watch(ctx, organization, c.Version, requests)
	if err != nil {
		return errors.Join(err, c.failed(ctx, claimed, err))
	}
	for i := range claimed {
		if !answers[i].Expires.IsZero() {
			err = errors.Join(err, c.grant(ctx, claimed[i], answers[i].Expires, now))
			continue
		}
		refusal := channels.Refusal{State: channels.Refused, Code: answers[i].Code, Path: answers[i].Path, Reason: answers[i].Detail}
		c.Log.WarnContext(ctx, "upstream refused a channel", "organization", organization.Key, "module", claimed[i].Module,
			"code", string(refusal.Code), "path", string(refusal.Path))
		err = errors.Join(err, c.Store.Refuse(ctx, claimed[i], refusal, deniedRest))
	}
	return err
}

// failed notes a call that said nothing about its channels. Where the consent is missing, they wait
// for the operator; otherwise they are asked for again soon.
func (c *Channels) failed(ctx context.Context, claimed []channels.Channel, cause error) error {
	refusal := channels.Refusal{State: channels.Denied, Reason: "the call was not made"}
	failure, known := errors.AsType[*pipeline.Error](cause)
	if known {
		refusal.Code, refusal.Reason = failure.Code, failure.Text()
	}
	var err error
	for _, channel := range claimed {
		if known && failure.Kind == pipeline.Denied {
			err = errors.Join(err, c.Store.Refuse(ctx, channel, refusal, deniedRest))
		} else {
			err = errors.Join(err, c.Store.Fail(ctx, channel, refusal.Reason))
		}
	}
	return err
}

// grant notes a granted channel. Upstream's instant is believed, whatever was asked for.
func (c *Channels) grant(ctx context.Context, channel channels.Channel, expires, now time.Time) error {
	granted := expires.Sub(now)
	renew, short := max(granted/2, leastRenewal), channel.Short
	if granted <= hourly && !short {
		renew, short = briefly, true
	}
	return c.Store.Grant(ctx, channel, expires, renew, short)
}

// Disable ends the channels of an organization.
func (c *Channels) Disable(ctx context.Context, organization *pipeline.Organization, wanted []Wanted) error {
	for part := range slices.Chunk(wanted, upstream.MostSubscriptions) {
		ids, modules := make([]int64, len(part)), make([]string, len(part))
		for i := range part {
			ids[i], modules[i] = part[i].ChannelID, part[i].Module
		}
		// A channel that upstream does not know is ended, too: what it says about each is no
		// matter.
		if _, err := c.Subscriber.Unwatch(ctx, organization, c.Version, ids); err != nil {
			return err
		}
		if err := c.Store.Disable(ctx, organization.Key, modules); err != nil {
			return err
		}
	}
	return nil
}
