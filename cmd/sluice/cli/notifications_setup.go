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
	"sluice/pipeline/warehouse/streams"
)

// webhooksADay is how many webhooks of rules an organization has a day (docs/upstream.md U302).
const webhooksADay = 1000

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
Upstream sends 1,000 webhooks a day: CHANGES A DAY is what the runs of the last week
found, so that you can choose. The secret itself is never printed.`,
		Example: "  sluice notifications setup --org acme",
		Args:    cobra.NoArgs,
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, _ []string) error {
			keys, err := notifiedOrganizations(a, &organization)
			if err != nil {
				return err
			}
			changed, err := a.DB.Changed(ctx)
			if err != nil {
				return fmt.Errorf("read how much changes: %w", err)
			}
			setups := make([]setupView, 0, len(keys))
			for _, key := range keys {
				setups = append(setups, setupOf(a, key, changed))
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
	// ChangesPerDay is the sum of those that were measured, Unmeasured how many were not.
	ChangesPerDay float64 `json:"changes_per_day"`
	Unmeasured    int     `json:"unmeasured"`
	WebhooksADay  int     `json:"webhooks_a_day"`
}

// webhookView is one webhook.
type webhookView struct {
	Resource string `json:"resource"`
	Address  string `json:"address"`
	// Body is its body; the placeholder in it stands for the identifier. ByParent says that it is
	// that of the parent, so that the rule is one for parents.
	Body     string `json:"body"`
	ByParent bool   `json:"by_parent"`
	// ChangesPerDay is nil if it was not measured yet.
	ChangesPerDay *float64 `json:"changes_per_day"`
}

func setupOf(a *engine.App, key string, changed []streams.Changed) setupView {
	settings := a.Notifications()
	o := settings.Organizations[key]
	setup := setupView{
		Organization: key, Header: notifications.SignatureHeader(settings.Vendor), Secret: []string{}, WebhooksADay: webhooksADay,
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
		webhook := webhookView{
			Resource: name, Address: settings.PublicURL + notifications.Path(notifications.Rule, key, name),
			Body: fmt.Sprintf(`{"%s": "PLACEHOLDER"}`, resource.ID), ByParent: resource.ByParent,
		}
		at := slices.IndexFunc(changed, func(c streams.Changed) bool {
			return c.Organization == key && c.Service == resource.Service && c.Resource == resource.Name
		})
		if at >= 0 {
			webhook.ChangesPerDay = &changed[at].PerDay
			setup.ChangesPerDay += changed[at].PerDay
		} else {
			setup.Unmeasured++
		}
		setup.Webhooks = append(setup.Webhooks, webhook)
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
		}), view.Table(s.Webhooks, "RESOURCE  ADDRESS  BODY  CHANGES A DAY", func(w *webhookView) view.Row {
			measured := "not measured yet"
			if w.ChangesPerDay != nil {
				measured = fmt.Sprintf("%.0f", *w.ChangesPerDay)
			}
			return view.Row{w.Resource, w.Address, w.Body, measured}
		}), view.Line("%s\n", s.sum()))
	}
	return parts
}

// sum says whether a day's webhooks suffice for all resources.
func (s *setupView) sum() string {
	text := fmt.Sprintf("All of them together: %.0f changes a day", s.ChangesPerDay)
	if s.Unmeasured > 0 {
		text += fmt.Sprintf(", and %s not measured yet", view.Plural(s.Unmeasured, "resource"))
	}
	if s.ChangesPerDay > webhooksADay {
		return text + fmt.Sprintf(". That is more than the %s webhooks of a day: leave out the resources that change most, "+
			"or let their rules fire for fewer changes.", view.Count(webhooksADay))
	}
	return text + fmt.Sprintf(", of the %s webhooks of a day.", view.Count(webhooksADay))
}
