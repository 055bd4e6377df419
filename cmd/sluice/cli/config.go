package cli

import (
	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
)

func (c *cli) configCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Show the configuration in force, defaults included, and never a secret",
		Long: `Show each setting that is in force by its path in the file, defaults included, and how
each resource is copied. Of a secret it says where it comes from. It needs no database
and no secret of upstream.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			a, err := engine.Load(c.offline())
			if err != nil {
				return err
			}
			shown := configurationOf(c.path(), a.Config)
			return c.show(shown,
				view.Table(shown.Settings, "SETTING  VALUE", func(s *config.Setting) view.Row {
					value := s.Value
					if s.Secret {
						value = "secret, from " + s.Value
					}
					return view.Row{s.Path, value}
				}),
				view.Line(""),
				view.Table(shown.Resources, "RESOURCE  EVERY  LONGEST  FRESHNESS  SWEEP  LOOK", func(r *resourceSetting) view.Row {
					return view.Row{r.Resource, r.Every, r.Ceiling, r.Freshness, r.Sweep, r.Look}
				}))
		},
	}
}
