package sandbox

import (
	"fmt"
	"time"

	"sluice/sandbox/company"
	"sluice/sandbox/webhooks"
)

// Webhooks are the workflow rules of an organization and how it calls their addresses.
type Webhooks = webhooks.Settings

// WebhookRule calls an address when a record of a resource changes.
type WebhookRule = webhooks.Rule

// SetWebhooks replaces the rules of the sandbox's own organization. A rule or number that does not
// fit is an error, and nothing changes.
func (s *Server) SetWebhooks(set Webhooks) error {
	st := s.stage.Load()
	return st.hooks[st.own()].Set(set)
}

// SetWebhooksOf is SetWebhooks for an organization. It fails if the organization is not simulated.
func (s *Server) SetWebhooksOf(id, dataCenter string, set Webhooks) error {
	st := s.stage.Load()
	c, err := st.find(id, dataCenter)
	if err != nil {
		return err
	}
	return st.hooks[c].Set(set)
}

// hook builds the rule webhooks of an organization: those of the options for the sandbox's own.
func (s *Server) hook(c *company.Company) (*webhooks.Server, error) {
	zone, err := time.LoadLocation(c.TimeZone)
	if err != nil {
		return nil, fmt.Errorf("sandbox: option TimeZone of organization %s: %w", c.ID, err)
	}
	o := webhooks.Options{
		Now: s.now, Zone: zone, Vendor: s.options.Vendor, Plan: func() string { return c.Allowance().Plan },
		Modules: s.options.CustomModules, AnyHost: s.options.CallbacksAnywhere, Poster: s.poster(), Seed: c.Seed, Chaos: s.options.Chaos,
	}
	if c.Number == 0 {
		o.Settings = s.options.Webhooks
	}
	return webhooks.New(o)
}

// fire passes changes of records to the rules.
func fire(hook *webhooks.Server, events []company.Event) {
	changes := make([]webhooks.Change, 0, len(events))
	for _, event := range events {
		if operation, visible := operationOf(event.Operation); visible {
			changes = append(changes, webhooks.Change{Kind: event.Kind, Under: event.Under, Operation: operation, Record: event.Record})
		}
	}
	hook.Publish(changes...)
}

// hooksShown are the rules of an organization and their webhooks, as the controls show them.
type hooksShown struct {
	Sending  bool           `json:"sending"` // a Poster was given
	Stats    webhooks.Stats `json:"stats"`
	Settings Webhooks       `json:"settings"`
}

func (s *Server) showWebhooks(a asked) {
	hook := a.stage.hooks[a.company]
	a.write(hooksShown{Sending: s.options.Poster != nil, Stats: hook.Stats(), Settings: hook.Settings()})
}

func (s *Server) setWebhooks(a asked) {
	var set Webhooks
	if !a.read(&set) {
		return
	}
	if err := a.stage.hooks[a.company].Set(set); err != nil {
		a.refuse(err)
		return
	}
	s.showWebhooks(a)
}
