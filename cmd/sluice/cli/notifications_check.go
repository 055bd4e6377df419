package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
)

// inboxPatience is how long a test callback may take from its answer to the inbox.
const inboxPatience = 10 * time.Second

func (c *cli) checkNotifications() *cobra.Command {
	var organization organizationFlag
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Send a signed test callback through the public address, and wait for it in the inbox",
		Long: `Send a signed test callback through public_url, as upstream would, and wait for it in the
inbox. If it does not arrive, the first broken link is named: the connection, the proxy,
the path, the signature, the database, or the inbox, and what to do. It makes no call upstream. The exit code is 3 if
a link is broken.

Run it on another machine than the receiver's, if you can: the way is then that of
upstream.`,
		Example: "  sluice notifications check --org acme",
		Args:    cobra.NoArgs,
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, _ []string) error {
			keys, err := notifiedOrganizations(a, &organization)
			if err != nil {
				return err
			}
			return c.knock(ctx, a, keys)
		}),
	}
	organization.add(cmd)
	return cmd
}

// knockView is how the test callback of one organization went.
type knockView struct {
	Organization string `json:"organization"`
	OK           bool   `json:"ok"`
	// Broken is the first broken link, Detail what was seen there, and Next what to do.
	Broken engine.Link `json:"broken,omitempty"`
	Detail string      `json:"detail,omitempty"`
	Next   string      `json:"next,omitempty"`
}

func (c *cli) knock(ctx context.Context, a *engine.App, keys []string) error {
	views := make([]knockView, 0, len(keys))
	code := codeFine
	for _, key := range keys {
		v, err := knockOn(ctx, a, key)
		if err != nil {
			return err
		}
		views = append(views, v)
		if !v.OK {
			code = codeEnvironment
		}
	}
	return errors.Join(c.show(views, view.Text(func(page *view.Page) {
		for i := range views {
			v := &views[i]
			if v.OK {
				page.Linef("ok    %s: the test callback is in the inbox", v.Organization)
				continue
			}
			page.Linef("FAIL  %s: %s: %s", v.Organization, v.Broken, v.Detail)
			page.Linef("      %s", v.Next)
		}
	})), exit(code))
}

// knockOn sends the test callback of one organization, and waits for it.
func knockOn(ctx context.Context, a *engine.App, key string) (knockView, error) {
	o, err := a.ChooseOrganization(key)
	if err != nil {
		return knockView{}, err
	}
	if o.Notifications.Secret[0].Reveal() == "" {
		return knockView{}, usage("notifications.secret of organization %s is missing here: set its variable, or name its file", o.Name)
	}
	knocked, err := a.Knock(ctx, o, inboxPatience)
	if err != nil {
		return knockView{}, err
	}
	return knockView{
		Organization: key, OK: knocked.Broken == "", Broken: knocked.Broken, Detail: knocked.Detail, Next: remedy(knocked.Broken),
	}, nil
}

// remedy says what to do about a broken link.
func remedy(broken engine.Link) string {
	switch broken {
	case engine.LinkConnection:
		return "Make the host of notifications.public_url resolve, let connections to its port through, " +
			"and give the proxy a certificate by an authority that everybody trusts."
	case engine.LinkProxy:
		return "Start the receiver, and let the proxy pass POST requests to notifications.listen without a login; its log says more."
	case engine.LinkPath:
		return "Let the proxy pass the paths below notifications.public_url to notifications.listen, " +
			"with or without the path of public_url, and without a redirect."
	case engine.LinkSignature:
		return "Give this process and the receiver the same secret and vendor.name. " +
			"If they have, the proxy changes the body, or drops the header: switch that off."
	case engine.LinkDatabase:
		return "The receiver cannot store callbacks, or has too many at once: its log says why. " +
			"Its role needs the function sluice.grant_receiver."
	case engine.LinkInbox:
		return "Give the receiver the database of this configuration (database.url), and look whether something else answers at the address."
	default:
		return ""
	}
}
