package cli

import (
	"context"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
)

func (c *cli) promoteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "promote NAME",
		Short: "Propose columns for keys that no column takes, out of all records",
		Long: `Propose columns for the keys that no column takes, out of the records that are kept
beside all rows, as lines to paste into the resource's entry in custom. A kind is proposed only if every value fits it;
whether it means what it looks like is for you to say, and so are the sentences.

Paste the lines into the configuration, correct and describe them, run "sluice migrate",
then "sluice drift fill NAME".`,
		Example: "  sluice drift promote custom.price_lists",
		Args:    cobra.ExactArgs(1),
		RunE:    c.offlineWork(c.promote),
	}
}

func (c *cli) promote(ctx context.Context, a *engine.App, args []string) error {
	name := args[0]
	streams, err := a.Declared(name)
	if err != nil {
		return err
	}
	if !engine.UserDeclared(streams[0]) {
		return usage("%s is built in: sluice drift shows what came and is not declared", name)
	}
	proposal, err := a.Survey(ctx, streams[0])
	if err != nil {
		return err
	}
	said := view.Line("%s", proposal.YAML())
	switch {
	case proposal.Records == 0:
		said = view.Line("%s has no rows yet: sluice sync %s, then look again.", name, name)
	case len(proposal.Columns)+len(proposal.Children) == 0:
		said = view.Line("Every key of the %s has its column.", view.Plural(proposal.Records, "record"))
	}
	return c.show(proposal, said)
}

func (c *cli) fillCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "fill NAME",
		Short: "Write rows anew out of the records kept beside them, without a call",
		Long: `Write the rows of a resource anew out of the records that are kept beside them, after
its declaration learned columns: no call is made. Rows that come out as they are stay
untouched. Safe to repeat and to interrupt. It is "sluice rebuild --changed" for one
resource.`,
		Example: "  sluice drift fill custom.price_lists",
		Args:    cobra.ExactArgs(1),
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, args []string) error {
			return c.rebuild(ctx, a, args, rebuildOptions{changed: true})
		}),
	}
}
