package engine

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/notifications"
	"sluice/pipeline/upstream/knock"
	"sluice/pipeline/warehouse/hints"
	"sluice/schema"
)

// Notifications returns what a receiver has to know, and what addresses and tokens are made of.
func (a *App) Notifications() notifications.Settings {
	of := a.Config.Notifications
	settings := notifications.Settings{
		PublicURL: of.PublicURL, Vendor: a.Config.Vendor.Name, TrustedProxies: of.TrustedProxies, AllowFrom: of.AllowFrom,
		Debounce: of.Debounce, MaxWait: of.MaxWait, KeepBodies: of.KeepBodies, Organizations: make(map[string]*notifications.Organization),
	}
	for i := range a.Config.Organizations {
		if o := &a.Config.Organizations[i]; o.Notifies() {
			settings.Organizations[o.Key] = a.notifying(o)
		}
	}
	return settings
}

// notifying returns the channels of an organization, and its copied resources for which rules may
// send. Chat has no rules (docs/upstream.md U300).
func (a *App) notifying(o *config.Organization) *notifications.Organization {
	n := &notifications.Organization{
		Key: o.Key, Secrets: a.hooks(o), Channels: make(map[int64]*notifications.Channel), Resources: make(map[string]notifications.Resource),
	}
	copied := make(map[string]notifications.Resource)
	for _, stream := range a.Streams() {
		if stream.Organization != o.Key || stream.Work != pipeline.WorkList || !a.Enabled(stream) {
			continue
		}
		resource := notifications.Resource{Service: stream.Service.Name, Name: stream.Resource.Name, ID: stream.Resource.ID}
		if stream.Resource.Single != nil {
			resource.Single = stream.Resource.Single.Key
		}
		if parent := stream.Resource.ToldByParent(); parent != "" {
			resource.ID, resource.ByParent = parent, true
		}
		copied[resource.FullName()] = resource
		if stream.Service.Host == schema.HostAPI {
			n.Resources[resource.FullName()] = resource
		}
	}
	for _, watch := range o.Notifications.Watch {
		channel := &notifications.Channel{Module: watch.Module}
		for _, name := range watch.Tells {
			if told, found := copied[name]; found {
				channel.Tells = append(channel.Tells, told)
			}
		}
		n.Channels[notifications.ChannelID(a.Config.Notifications.PublicURL, o.Key, watch.Module)] = channel
	}
	return n
}

// Receiver receives callbacks, with database connections of its own.
type Receiver struct {
	http.Handler

	*hints.Inbox
}

// OpenReceiver connects a receiver. It needs the address of the database (OpenDatabase) and no
// warehouse: the role of the database may be one that can do nothing but take callbacks. Observe is
// told how each request ended.
func (a *App) OpenReceiver(ctx context.Context, observe func(notifications.Observation)) (*Receiver, error) {
	inbox, err := hints.OpenInbox(ctx, a.URL, notifications.StoreLimit, a.Password())
	if err != nil {
		return nil, fmt.Errorf("open the inbox: %w", err)
	}
	receiver := notifications.NewReceiver(notifications.Options{
		Settings: a.Notifications(), Inbox: inbox, Now: a.options.Now, Log: a.Log, Observe: observe,
	})
	a.secrets.uses(func([][]byte) error { receiver.Replace(a.Notifications().Organizations); return nil })
	return &Receiver{receiver, inbox}, nil
}

// Link is a part of the way from upstream to the inbox, or "" for the whole way.
type Link string

// The links, in the order of the way.
const (
	LinkConnection Link = "connection"
	LinkProxy      Link = "proxy"
	LinkPath       Link = "path"
	LinkSignature  Link = "signature"
	LinkDatabase   Link = "database"
	LinkInbox      Link = "inbox"
)

// Knocked is how a test callback went.
type Knocked struct {
	// Broken is the first link that is broken; "" if the callback is in the inbox.
	Broken Link
	// Detail is what was seen there.
	Detail string
}

// inboxPoll is the time between two looks into the inbox.
const inboxPoll = 100 * time.Millisecond

// Knock sends a signed test callback through the public address, and waits for it in the inbox as
// long as patience. It costs no call upstream.
func (a *App) Knock(ctx context.Context, o *config.Organization, patience time.Duration) (Knocked, error) {
	body, err := json.Marshal(map[string]string{"nonce": rand.Text()})
	if err != nil {
		return Knocked{}, fmt.Errorf("write a test callback: %w", err)
	}
	status, said, err := knock.Post(ctx, a.Config.Notifications.PublicURL+notifications.Path(notifications.Test, o.Key, ""),
		notifications.SignatureHeader(a.Config.Vendor.Name), notifications.Signature(a.hooks(o)[0], body), body, nil)
	if err != nil {
		return Knocked{Broken: LinkConnection, Detail: err.Error()}, nil
	}
	if broken, detail := judgeKnock(status, said); broken != "" {
		return Knocked{Broken: broken, Detail: detail}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		arrived, err := hints.NewInbox(a.DB.Pool()).Arrived(ctx, o.Key, notifications.Test, notifications.Digest("", body))
		switch {
		case ctx.Err() != nil:
			return Knocked{Broken: LinkInbox, Detail: "the callback was answered with 200, and is not in the inbox of this database"}, nil
		case err != nil:
			return Knocked{}, fmt.Errorf("look for the test callback: %w", err)
		case arrived:
			return Knocked{}, nil
		}
		_ = wait(ctx, inboxPoll) // the next look sees that ctx ended
	}
}

// judgeKnock finds the broken link in the answer to a test callback.
func judgeKnock(status int, body string) (Link, string) {
	said := fmt.Sprintf("status %d", status)
	if !notifications.OurAnswer(status, body) {
		switch {
		case status >= http.StatusInternalServerError, status == http.StatusUnauthorized, status == http.StatusForbidden,
			status == http.StatusRequestEntityTooLarge:
			return LinkProxy, said + ", and not from the receiver"
		default:
			return LinkPath, said + ", and not from the receiver"
		}
	}
	switch status {
	case http.StatusOK:
		return "", ""
	case http.StatusUnauthorized:
		return LinkSignature, said + " from the receiver"
	case http.StatusServiceUnavailable:
		return LinkDatabase, said + " from the receiver"
	default:
		return LinkPath, said + " from the receiver: the path is none of its own"
	}
}
