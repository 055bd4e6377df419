package cli

import (
	"context"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
)

func (c *cli) keysCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Show which sealing key sealed how many stored tokens",
		Long: `Show which sealing key sealed how many of the tokens in the database. The keys are
those of SLUICE_ENCRYPTION_KEY, or of the file that SLUICE_ENCRYPTION_KEY_FILE names:
the first one seals, all open. An id tells a key from others, and is no part of it. A
key that sealed nothing any more can be removed.

docs/securing.md says how to replace a key.`,
		Example: "  sluice keys\n  sluice keys --json\n  sluice keys rotate",
		Args:    cobra.NoArgs,
		RunE:    c.offlineWork(c.keys),
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "rotate",
		Short: "Seal all stored tokens with the newest key",
		Long: `Seal all stored tokens with the newest key, the first one. All processes have to know
both keys before: a process that knows the old one alone opens no token any more.
Runs and refreshes go on beside it. Interrupted, it goes on when it is started again.
It makes no call upstream, and the tokens stay the same ones.`,
		Example: "  sluice keys rotate",
		Args:    cobra.NoArgs,
		RunE:    c.offlineWork(c.rotateKeys),
	})
	return cmd
}

// keysView is what keys shows. Rotated is the number of credentials whose tokens were sealed again.
type keysView struct {
	Rotated int `json:"rotated"`
	engine.KeyUses
}

func (c *cli) keys(ctx context.Context, a *engine.App, _ []string) error {
	return c.showKeys(ctx, a, 0)
}

func (c *cli) rotateKeys(ctx context.Context, a *engine.App, _ []string) error {
	rotated, err := a.RotateKeys(ctx)
	if err != nil {
		return err
	}
	return c.showKeys(ctx, a, rotated)
}

func (c *cli) showKeys(ctx context.Context, a *engine.App, rotated int) error {
	uses, err := a.Keys(ctx)
	if err != nil {
		return err
	}
	shown := keysView{Rotated: rotated, KeyUses: uses}
	return c.show(shown, view.Text(shown.text))
}

func (v *keysView) text(page *view.Page) {
	page.Add(view.Table(v.Keys, "KEY  SEALS  ACCESS TOKENS  REFRESH TOKENS", func(key *engine.KeyUse) view.Row {
		return view.Row{key.ID, key.Seals, key.AccessTokens, key.RefreshTokens}
	}))
	page.Linef("")
	if v.Rotated > 0 {
		page.Linef("The tokens of %s were sealed anew.", view.Plural(v.Rotated, "credential"))
	}
	if v.UnopenedAccess+v.UnopenedRefresh > 0 {
		page.Linef("No key opens %s and %s: a key that is not here sealed them.",
			view.Plural(v.UnopenedAccess, "access token"), view.Plural(v.UnopenedRefresh, "refresh token"))
	}
	switch {
	case len(v.Keys) == 1:
	case v.Old() > 0:
		page.Linef("Older keys sealed %s: sluice keys rotate seals them with the newest one.", view.Plural(v.Old(), "token"))
	default:
		page.Linef("The older keys sealed none of the tokens: they can be removed once all processes seal with the newest one.")
	}
}
