package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

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

func (c *cli) channelsCommand(work channelWork) *cobra.Command {
	var organization organizationFlag
	cmd := &cobra.Command{
		Use: work.verb + " [MODULE...]", Short: work.short, Long: work.long,
		Example: "  sluice notifications " + work.verb + " Products --org acme",
		RunE: c.upstreamWork(func(ctx context.Context, a *engine.App, args []string) error {
			return c.workChannels(ctx, a, work, organization, args)
		}),
	}
	organization.add(cmd)
	return cmd
}

func (c *cli) workChannels(ctx context.Context, a *engine.App, work channelWork, flag organizationFlag, modules []string) error {
	key, err := flag.key(a)
	if err != nil {
		return err
	}
	stored, _, err := a.Channels(ctx, key)
	if err != nil {
		return fmt.Errorf("read the channels: %w", err)
	}
	chosen := make(map[string][]notifications.Wanted)
	var named []string
	for i := range a.Config.Organizations {
		o := &a.Config.Organizations[i]
		if key != "" && o.Key != key || !o.Notifies() {
			continue
		}
		for _, w := range a.WatchedBy(o) {
			if work.chooses(o.Key, w.Module, stored, modules) {
				chosen[o.Key] = append(chosen[o.Key], w)
				named = append(named, w.Module)
			}
		}
	}
	for _, module := range modules {
		if !slices.Contains(named, module) {
			return usage("no channel for module %q is configured: organizations[].notifications.watch has them", module)
		}
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
