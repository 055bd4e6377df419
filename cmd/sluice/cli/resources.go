package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/schema"
	"sluice/schema/custom"
)

// resourceView is what the resources command shows about one resource.
type resourceView struct {
	Resource string   `json:"resource"`
	Tables   []string `json:"tables"`
	Cursor   string   `json:"cursor"`
	// Cost is how many calls a run takes, in words.
	Cost  string `json:"calls_a_run"`
	Every string `json:"every"`
	Path  string `json:"path"`
	// PathAssumed says that the documents do not show the path.
	PathAssumed bool   `json:"path_assumed"`
	Scope       string `json:"scope"`
	// Optional says that the resource is copied only if the configuration enables it.
	Optional bool `json:"optional"`
	// Parents are the columns that hold the parents of its lists, and the key of the configuration
	// that names them.
	Parents []string     `json:"parents,omitempty"`
	Details *detailsView `json:"details,omitempty"`
	Assumed []string     `json:"assumed,omitempty"`
	Doc     string       `json:"doc"`
}

// detailsView is what the command shows about reading the single records.
type detailsView struct {
	Stream      string `json:"stream"`
	Cost        string `json:"calls_a_run"`
	Path        string `json:"path"`
	PathAssumed bool   `json:"path_assumed"`
}

func (c *cli) resourcesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resources",
		Short: "List what can be copied, how, for how many calls, and which scope it needs",
		Long: `List every resource that can be copied: how its list is read, how many calls a run
takes, how often it runs, the path (marked where the documents do not show it and it
is assumed), and the scope that the credentials need. Resources that a configuration
declares itself are listed, too, if there is one.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			services, scopes, err := c.catalogue()
			if err != nil {
				return err
			}
			views := resourceViews(services, scopes)
			var rows []view.Row
			for i := range views {
				rows = append(rows, views[i].rows()...)
			}
			return c.show(views, view.TableOf("RESOURCE  READ BY  CALLS A RUN  EVERY  PATH  SCOPE  TABLES  A RECORD IS", rows))
		},
	}
	cmd.AddCommand(c.catalogueCommand())
	return cmd
}

// rows are the lines of the table: one for the list, one for its details.
func (v *resourceView) rows() []view.Row {
	doc := v.Doc
	if v.Optional {
		doc += " (off by default)"
	}
	rows := []view.Row{{v.Resource, v.Cursor, v.Cost, v.Every, marked(v.Path, v.PathAssumed), v.Scope, len(v.Tables), doc}}
	if d := v.Details; d != nil {
		rows = append(rows, view.Row{
			d.Stream, "single records", d.Cost, "", marked(d.Path, d.PathAssumed), v.Scope, "", "what the list leaves out",
		})
	}
	return rows
}

func marked(path string, assumed bool) string {
	if assumed {
		return path + " (assumed)"
	}
	return path
}

func resourceViews(services []schema.Service, scopes scopeWriter) []resourceView {
	var views []resourceView
	for service, resource := range schema.Each(services) {
		views = append(views, resourceViewOf(service, resource, scopes))
	}
	return views
}

func resourceViewOf(service *schema.Service, resource *schema.Resource, scopes scopeWriter) resourceView {
	shown := resourceView{
		Resource:    service.Name + "." + resource.Name,
		Tables:      tableNames(service, resource),
		Cursor:      cursorWords(resource.Cursor),
		Cost:        costWords(resource.Cursor, resource.Paging, service.Envelope),
		Every:       resource.Every,
		Path:        service.Root + resource.Path,
		PathAssumed: resource.AssumedPath,
		Scope:       scopes.scope(service, resource.Scope),
		Optional:    resource.Optional,
		Details:     detailsViewOf(service, resource),
		Assumed:     slices.Clone(resource.Assumed),
		Doc:         strings.TrimSuffix(resource.Doc, "."),
	}
	if parents, ok := resource.Cursor.(schema.PerParent); ok {
		for _, from := range parents.From {
			shown.Parents = append(shown.Parents, from.Schema+"."+from.Table+"."+from.Column)
		}
		if parents.Listed != "" {
			shown.Parents = append(shown.Parents, "services."+service.Name+"."+string(parents.Listed)+" of the configuration")
		}
	}
	return shown
}

// tableNames names every table of a resource, with its schema.
func tableNames(service *schema.Service, resource *schema.Resource) []string {
	var names []string
	for _, table := range resource.Tables() {
		names = append(names, resource.SchemaName(service)+"."+table.Name)
	}
	if len(resource.History) > 0 {
		names = append(names, names[0]+"_history")
	}
	return names
}

func detailsViewOf(service *schema.Service, resource *schema.Resource) *detailsView {
	if resource.Details == nil {
		return nil
	}
	shown := &detailsView{Stream: service.Name + "." + resource.Name + "." + string(pipeline.WorkDetails)}
	if batch := resource.Details.Batch; batch != nil {
		shown.Cost = "1 per " + strconv.Itoa(batch.Size) + " new or changed"
		shown.Path = service.Root + batch.Path
		return shown
	}
	shown.Cost = "1 per new or changed"
	if single := resource.Single; single != nil {
		shown.Path, shown.PathAssumed = service.Root+single.Path, single.Assumed
	}
	return shown
}

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
			services, scopes, err := c.catalogue()
			if err != nil {
				return err
			}
			views := furtherViews(services, scopes)
			const head = "NAME  STATE  READ BY  CALLS A RUN  EVERY  PATH  SCOPE  A RECORD IS"
			return c.show(views, view.Table(views, head, func(v *furtherView) view.Row {
				on := "off"
				if v.Enabled {
					on = "on"
				}
				return view.Row{v.Name, on, v.Cursor, v.Cost, v.Every, v.Path, v.Scope, v.Doc}
			}))
		},
	}
}

// furtherViews are the ready-made lists of all services.
func furtherViews(services []schema.Service, scopes scopeWriter) []furtherView {
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
	return views
}

// cursorWords says how a list is read.
func cursorWords(cursor schema.Cursor) string {
	switch c := cursor.(type) {
	case schema.Since:
		return "filter: modified since"
	case schema.NewestFirst:
		return "sort: newest first"
	case schema.FullScan:
		return "full scan"
	case schema.Export:
		return "export"
	case schema.Snapshot:
		return "snapshot"
	case schema.PerParent:
		return "per parent: " + cursorWords(c.List)
	default:
		return "unknown"
	}
}

// costWords says how many calls a run takes. Pages overlap where the list has an order that is
// seen. Other lists of more than one page are read in passes until two are equal, so at least twice
// (docs/decisions/0007-paging-by-number).
func costWords(cursor schema.Cursor, paging schema.Paging, form schema.Envelope) string {
	switch c := cursor.(type) {
	case schema.Snapshot, schema.Export:
		return "1"
	case schema.PerParent:
		return costWords(c.List, paging, form) + ", for each parent"
	case schema.Since, schema.NewestFirst:
		return "1, or 1.1 per " + strconv.Itoa(pageSize(paging, form)) + " changed"
	default:
		if paging == schema.PagingWhole {
			return "1"
		}
		if c, ok := c.(schema.FullScan); ok && c.Created != "" && paging == schema.PagingNumber {
			return "1, or 1.1 per " + strconv.Itoa(pageSize(paging, form)) + " records"
		}
		return "1, or 2 per " + strconv.Itoa(pageSize(paging, form)) + " records"
	}
}

func pageSize(paging schema.Paging, form schema.Envelope) int {
	if paging == schema.PagingToken {
		return form.TokenPage()
	}
	return pipeline.DefaultRules().PerPage
}
