package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/upstream/body"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
)

// NotificationService names the calls about change notifications in the call log and in the limits.
const NotificationService = "notifications"

// MostSubscriptions is how many subscriptions one call takes (docs/upstream.md U270).
const MostSubscriptions = 50

// Subscription asks for callbacks about one module. Source: docs/upstream.md U271 to U275.
type Subscription struct {
	ChannelID int64
	// Events are <module>.<operation>.
	Events    []string
	NotifyURL string
	// Token comes back in every callback, at most 50 characters.
	Token wire.Secret
	// Expires is until when the channel is wanted, a week ahead at most.
	Expires time.Time
}

// Subscribed is upstream's answer about one subscription.
type Subscribed struct {
	// Expires is until when the channel was granted, an hour if the answer does not say; zero if it
	// was refused. Upstream decides: the instant may be earlier than what was asked for.
	Expires time.Time
	// Code, Path and Detail say why it was refused: upstream's code, the place in the request, and
	// its words. Source: docs/upstream.md U282.
	Code, Path, Detail outside.Text
}

// watchEntry is a subscription on the wire.
type watchEntry struct {
	ChannelID int64    `json:"channel_id"`
	Events    []string `json:"events"`
	NotifyURL string   `json:"notify_url"`
	Token     string   `json:"token"`
	Expiry    string   `json:"channel_expiry"`
	// Values is sent as false: a callback is a hint, and never data.
	Values bool `json:"return_affected_field_values"`
	// Related is sent as false: the document's default is true, which is noise.
	Related bool `json:"notify_on_related_action"`
}

// watchResult is the answer about one subscription on the wire.
type watchResult struct {
	Code    string `json:"code"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Details struct {
		JSONPath string `json:"json_path"`
		Events   []struct {
			Expiry string `json:"channel_expiry"`
		} `json:"events"`
	} `json:"details"`
}

// Watch enables or renews channels, at most MostSubscriptions, and returns upstream's answer about
// each, in their order. Enabling a channel again replaces it, so a call whose outcome is unknown
// may be repeated. An error says that upstream answered about none. Source: docs/upstream.md U270
// to U283.
func (c *Client) Watch(
	ctx context.Context, organization *pipeline.Organization, version string, wanted []Subscription,
) ([]Subscribed, error) {
	entries := make([]watchEntry, len(wanted))
	for i := range wanted {
		w := &wanted[i]
		c.scrub.Know(w.Token.Reveal()) // invariant 10
		entries[i] = watchEntry{
			ChannelID: w.ChannelID, Events: w.Events, NotifyURL: w.NotifyURL, Token: w.Token.Reveal(),
			Expiry: w.Expires.In(organization.Zone()).Format(time.RFC3339),
		}
	}
	text, err := json.Marshal(map[string][]watchEntry{"watch": entries})
	if err != nil {
		return nil, fmt.Errorf("write the subscriptions of %s: %w", organization.Key, err)
	}
	return c.watch(ctx, target{
		organization: organization, service: notifications(), path: watchPath(version), resource: "watch", class: pipeline.ClassProbe,
		query: url.Values{}, method: http.MethodPost, send: text,
	}, len(wanted))
}

// Unwatch disables channels, at most MostSubscriptions. Source: docs/upstream.md U287.
func (c *Client) Unwatch(ctx context.Context, organization *pipeline.Organization, version string, channels []int64) ([]Subscribed, error) {
	ids := make([]string, len(channels))
	for i, id := range channels {
		ids[i] = strconv.FormatInt(id, 10)
	}
	return c.watch(ctx, target{
		organization: organization, service: notifications(), path: watchPath(version), resource: "watch", class: pipeline.ClassProbe,
		query: url.Values{"channel_ids": {strings.Join(ids, ",")}}, method: http.MethodDelete,
	}, len(channels))
}

func watchPath(version string) string { return "/crm/" + version + "/actions/watch" }

// notifications is the address of change notifications. They belong to no service whose records are
// copied.
func notifications() *schema.Service {
	return &schema.Service{Name: NotificationService, Host: schema.HostAPI}
}

// watch makes a call about so many channels. A refused channel is no error: it has its own code.
func (c *Client) watch(ctx context.Context, t target, channels int) ([]Subscribed, error) {
	var results []Subscribed
	err := c.call(ctx, t, c.door.Settings().Total, func(op wire.Call, _ int64, answer *wire.Reply, _ *pipeline.CallResult) error {
		data, err := wire.ReadAll(op, answer, c.maxBody)
		if err != nil {
			return err
		}
		results, err = c.subscribed(op, answer, data, channels)
		return err
	})
	return results, err
}

// subscribed reads the answer about so many channels. 200 is no success and 400 no failure by
// itself: each element says what became of it (docs/upstream.md U277, U282 and U283).
func (c *Client) subscribed(op wire.Call, answer *wire.Reply, data []byte, channels int) ([]Subscribed, error) {
	var whole struct {
		watchResult

		Watch []watchResult `json:"watch"`
	}
	parsed := json.Unmarshal(data, &whole)
	switch status := answer.Status; {
	case status == http.StatusUnauthorized:
		return nil, c.failure(op, pipeline.Expired, answer, whole.Code, "the access token is not accepted", nil)
	case parsed == nil && len(whole.Watch) == channels:
	case parsed == nil && status == http.StatusBadRequest && whole.Code != "": // the body as a whole
		whole.Watch = make([]watchResult, channels)
		for i := range whole.Watch {
			whole.Watch[i] = whole.watchResult
		}
	default:
		kind, detail := classify(status, whole.Code)
		if kind == 0 || kind == pipeline.Unexpected {
			kind = pipeline.Unexpected
			detail = "the answer is not about the channels asked for: " + body.Excerpt(c.scrub, answer.Header.Get("Content-Type"), data)
		}
		return nil, c.failure(op, kind, answer, whole.Code, detail, parsed)
	}
	results := make([]Subscribed, channels)
	for i := range whole.Watch {
		results[i] = c.outcome(&whole.Watch[i])
	}
	return results, nil
}

// outcome reads the answer about one channel. A channel with several events is granted until the
// first of them expires.
func (c *Client) outcome(given *watchResult) Subscribed {
	if given.Status == "success" || given.Code == "SUCCESS" {
		var first time.Time
		for _, event := range given.Details.Events {
			expires, err := time.Parse(time.RFC3339, event.Expiry)
			if err == nil && (first.IsZero() || expires.Before(first)) {
				first = expires
			}
		}
		if first.IsZero() {
			first = c.now().Add(time.Hour) // what upstream grants where nothing is said (docs/upstream.md U274)
		}
		return Subscribed{Expires: first.UTC()}
	}
	return Subscribed{
		Code: c.scrub.Text(given.Code, wordLength), Path: c.scrub.Text(given.Details.JSONPath, outside.MaxText),
		Detail: c.scrub.Text(given.Message, outside.MaxText),
	}
}
