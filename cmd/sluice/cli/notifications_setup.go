package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/notifications"
)

func (c *cli) setupNotifications() *cobra.Command {
	var organization organizationFlag
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Print what to enter upstream: addresses, header, and a webhook for each resource",
		Long: `Print what to enter upstream by hand: for each copied resource the address and the body
of a webhook, ready to paste. A workflow rule calls the webhook when a record is created
or edited. Rules exist for sales, purchases, contacts, items, the accountant's module and
custom modules: leave out a resource for which upstream offers none.

The body holds the identifier and nothing else, so no personal data gets into the inbox.
For contact persons it is that of the contact: make their rule for contacts.
Upstream sends 1,000 webhooks a day: leave out what changes more often. The secret itself
is never printed.`,
		Example: "  sluice notifications setup --org acme",
		Args:    cobra.NoArgs,
		RunE: c.offlineWork(func(_ context.Context, a *engine.App, _ []string) error {
			keys, err := notifiedOrganizations(a, &organization)
			if err != nil {
				return err
			}
			setups := make([]setupView, 0, len(keys))
			for _, key := range keys {
				setups = append(setups, setupOf(a, key))
			}
			return c.show(setups, setupPages(setups)...)
		}),
	}
	organization.add(cmd)
	return cmd
}

// setupView is what to enter upstream for one organization.
type setupView struct {
	Organization string `json:"organization"`
	// Header is the header of the signature. Secret says how many secrets there are, and how long.
	Header string   `json:"header"`
	Secret []string `json:"secret"`
	// Watch is the address of channels.
	Watch    string        `json:"watch"`
	Webhooks []webhookView `json:"webhooks"`
}

// webhookView is one webhook.
type webhookView struct {
	Resource string `json:"resource"`
	Address  string `json:"address"`
	// Body is its body; the placeholder in it stands for the identifier. ByParent says that it is
	// that of the parent, so that the rule is one for parents.
	Body     string `json:"body"`
	ByParent bool   `json:"by_parent"`
}

func setupOf(a *engine.App, key string) setupView {
	settings := a.Notifications()
	o := settings.Organizations[key]
	setup := setupView{
		Organization: key, Header: notifications.SignatureHeader(settings.Vendor), Secret: []string{},
		Watch: settings.PublicURL + notifications.Path(notifications.Watch, key, ""), Webhooks: []webhookView{},
	}
	for i, secret := range o.Secrets {
		state := "is missing: the variable or the file is not there for this process"
		if length := len(secret.Reveal()); length > 0 {
			state = fmt.Sprintf("%d characters", length)
		}
		setup.Secret = append(setup.Secret, []string{"in force: ", "until the change is done: "}[i]+state)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Resources)) {
		resource := o.Resources[name]
		setup.Webhooks = append(setup.Webhooks, webhookView{
			Resource: name, Address: settings.PublicURL + notifications.Path(notifications.Rule, key, name),
			Body: fmt.Sprintf(`{"%s": "PLACEHOLDER"}`, resource.ID), ByParent: resource.ByParent,
		})
	}
	return setup
}

func setupPages(setups []setupView) []view.Part {
	var parts []view.Part
	for i := range setups {
		s := &setups[i]
		parts = append(parts, view.Text(func(page *view.Page) {
			page.Linef("== Organization %s", s.Organization)
			field := page.Fields(18)
			field("channels send to", "%s", s.Watch)
			field("signature header", "%s: hex HMAC-SHA256 of the body, which upstream adds when a webhook has a secret", s.Header)
			for _, state := range s.Secret {
				field("secret", "%s", state)
			}
			page.Linef("\nWebhooks of workflow rules: method POST, body raw JSON, no parameters, the secret above.")
			page.Linef("In the body, replace PLACEHOLDER by the placeholder that upstream offers for the identifier.")
			if slices.ContainsFunc(s.Webhooks, func(w webhookView) bool { return w.ByParent }) {
				page.Linef("Of contact persons, that is the identifier of the contact or customer: make the rule for contacts.")
			}
		}), view.Table(s.Webhooks, "RESOURCE  ADDRESS  BODY", func(w *webhookView) view.Row {
			return view.Row{w.Resource, w.Address, w.Body}
		}), view.Line(""))
	}
	return parts
}
