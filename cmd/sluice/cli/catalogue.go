package cli

import (
	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/schema/custom"
)

// furtherView is what the catalogue command shows about one ready-made list.
type furtherView struct {
	Name string `json:"name"`
	// Enabled says that the configuration names it.
	Enabled bool `json:"enabled"`
	resourceView
}

func (c *cli) catalogueCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "catalogue",
		Short: "List ready-made declarations of further lists",
		Long: `List the lists that the vendor's services have beyond their documents and that are
declared ready-made. They are off: name the wanted ones in the configuration,

  catalogue: [contacts, journals]

then run "sluice migrate", which prints a plan for their tables in schema custom.
They are taken from public specifications and recorded answers: keys without
a column are in _extra, and "sluice check" says whether the scopes suffice.`,
		Example: `  sluice resources catalogue`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			views, err := c.furtherViews()
			if err != nil {
				return err
			}
			var rows []view.Row
			for i := range views {
				v := &views[i]
				on := "off"
				if v.Enabled {
					on = "on"
				}
				rows = append(rows, view.Row{v.Name, on, v.Cursor, v.Cost, v.Every, v.Path, v.Scope, v.Doc})
			}
			return c.show(views, view.TableOf("NAME  STATE  READ BY  CALLS A RUN  EVERY  PATH  SCOPE  A RECORD IS", rows))
		},
	}
}

// furtherViews are the ready-made lists of all services.
func (c *cli) furtherViews() ([]furtherView, error) {
	services, vendor := c.catalogue()
	scopes, err := newScopeWriter(vendor)
	if err != nil {
		return nil, err
	}
	var views []furtherView
	for s := range services {
		service := &services[s]
		for i := range service.Further {
			further := &service.Further[i]
			shown := furtherView{Name: further.Name, resourceView: resourceViewOf(service, further, scopes)}
			for r := range service.Resources {
				shown.Enabled = shown.Enabled || service.Resources[r].Name == further.Name && service.Resources[r].Schema == custom.Schema
			}
			views = append(views, shown)
		}
	}
	return views, nil
}
