package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/notifications"
	"sluice/pipeline/warehouse/channels"
)

// channelWork is what a command does with channels.
type channelWork struct {
	verb, short, long string
	do                func(t *engine.Told, ctx context.Context, o *config.Organization, wanted []notifications.Wanted) error
	// of chooses the channels where none is named, by their state; nil chooses all.
	of func(channels.State) bool
}

var (
	enableChannels = channelWork{
		verb: "enable", short: "Enable channels that are not granted, now",
		long: `Ask upstream for the channels of the configuration that are not granted, or for the
named modules. serve does so by itself; this command does it at once, also for a channel
that upstream refused or that was disabled. It takes one call for fifty channels.`,
		do: (*engine.Told).Enable, of: func(s channels.State) bool { return s != channels.Active },
	}
	renewChannels = channelWork{
		verb: "renew", short: "Renew channels now",
		long: `Ask upstream again for the channels of the configuration, or for the named modules, so
that they live on. serve renews each at half of what was granted.`,
		do: (*engine.Told).Enable, of: func(s channels.State) bool { return s != channels.Disabled },
	}
	disableChannels = channelWork{
		verb: "disable", short: "Disable channels now",
		long: `Tell upstream to end the channels of the configuration, or those of the named modules.
They stay ended until sluice notifications enable. It needs the scope notifications.ALL.`,
		do: (*engine.Told).Disable,
	}
)

// channelPlan is a channel that a command is about.
type channelPlan struct {
	Organization string   `json:"organization"`
	Module       string   `json:"module"`
	Channel      int64    `json:"channel"`
	Events       []string `json:"events"`
	NotifyURL    string   `json:"notify_url"`
}

func (c *cli) channelsCommand(work channelWork) *cobra.Command {
	var organization organizationFlag
	var dry bool
	cmd := &cobra.Command{
		Use: work.verb + " [MODULE...]", Short: work.short, Long: work.long,
		Example: "  sluice notifications " + work.verb + " Products --org acme",
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withUpstream(cmd.Context(), !dry, func(ctx context.Context, a *engine.App) error {
				return c.workChannels(ctx, a, work, organization, args, dry)
			})
		},
	}
	organization.add(cmd)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "show which channels it is about, and make no call")
	return cmd
}

func (c *cli) workChannels(ctx context.Context, a *engine.App, work channelWork, flag organizationFlag, modules []string, dry bool) error {
	key, err := flag.key(a)
	if err != nil {
		return err
	}
	stored, _, err := a.Channels(ctx, key)
	if err != nil {
		return fmt.Errorf("read the channels: %w", err)
	}
	chosen := make(map[string][]notifications.Wanted)
	plans := []channelPlan{}
	for i := range a.Config.Organizations {
		o := &a.Config.Organizations[i]
		if key != "" && o.Key != key || !o.Notifies() {
			continue
		}
		for _, w := range a.WatchedBy(o) {
			if work.chooses(o.Key, w.Module, stored, modules) {
				chosen[o.Key] = append(chosen[o.Key], w)
				plans = append(plans, channelPlan{o.Key, w.Module, w.ChannelID, w.Events, w.NotifyURL})
			}
		}
	}
	for _, module := range modules {
		if !slices.ContainsFunc(plans, func(p channelPlan) bool { return p.Module == module }) {
			return usage("no channel for module %q is configured: organizations[].notifications.watch has them", module)
		}
	}
	if dry || len(plans) == 0 {
		return c.showChannels(plans)
	}
	client, err := a.Client()
	if err != nil {
		return err
	}
	told := a.Told(client)
	for i := range a.Config.Organizations {
		if o := &a.Config.Organizations[i]; len(chosen[o.Key]) > 0 {
			if err := work.do(told, ctx, o, chosen[o.Key]); err != nil {
				return err
			}
		}
	}
	return c.listNotifications(ctx, a, nil)
}

// chooses reports whether the command is about a channel: one whose module is named, or with none
// named one in a state that the command is for.
func (w channelWork) chooses(organization, module string, stored []channels.Channel, modules []string) bool {
	if len(modules) > 0 {
		return slices.Contains(modules, module)
	}
	at := slices.IndexFunc(stored, func(s channels.Channel) bool { return s.Organization == organization && s.Module == module })
	return w.of == nil || at < 0 || w.of(stored[at].State)
}

// showChannels lists the channels that a command is about. Tokens are secrets and not shown.
func (c *cli) showChannels(plans []channelPlan) error {
	const head = headOrganization + "  MODULE  CHANNEL  EVENTS  ADDRESS"
	return c.show(plans, view.Table(plans, head, func(p *channelPlan) view.Row {
		return view.Row{p.Organization, p.Module, view.ID(p.Channel), strings.Join(p.Events, ", "), p.NotifyURL}
	}).Or("There is nothing to do."))
}
