package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sluice/connectors"
	"sluice/schema"
)

// resourceView is one line of the resources command.
type resourceView struct {
	Resource string   `json:"resource"`
	Tables   []string `json:"tables"`
	Cursor   string   `json:"cursor"`
	Every    string   `json:"every"`
	Path     string   `json:"path"`
	Scope    string   `json:"scope"`
	Assumed  []string `json:"assumed,omitempty"`
	Doc      string   `json:"doc"`
}

func (c *cli) resourcesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "resources",
		Short: "List what can be copied, how, and which scope it needs",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			views := resourceViews(connectors.All())
			if c.json {
				return c.printer().Document(views)
			}
			rows := make([][]string, 0, len(views))
			for _, v := range views {
				rows = append(rows, []string{v.Resource, v.Cursor, v.Every, v.Path, v.Scope, strconv.Itoa(len(v.Tables)), v.Doc})
			}
			header := []string{"RESOURCE", "READ BY", "EVERY", "PATH", "SCOPE", "TABLES", "A RECORD IS"}
			return c.printer().Table(header, rows)
		},
	}
}

func resourceViews(services []schema.Service) []resourceView {
	var views []resourceView
	for s := range services {
		service := &services[s]
		for r := range service.Resources {
			resource := &service.Resources[r]
			view := resourceView{
				Resource: service.Name + "." + resource.Name,
				Cursor:   cursorWords(resource.Cursor),
				Every:    resource.Every,
				Path:     service.Root + resource.Path,
				Scope:    "Svc" + service.Scope + "." + resource.Scope + ".READ",
				Assumed:  slices.Clone(resource.Assumed),
				Doc:      strings.TrimSuffix(resource.Doc, "."),
			}
			for _, table := range resource.Tables() {
				view.Tables = append(view.Tables, service.Name+"."+table.Name)
			}
			views = append(views, view)
		}
	}
	return views
}

// cursorWords says in which way a list is read.
func cursorWords(cursor schema.Cursor) string {
	switch cursor.(type) {
	case schema.Since:
		return "filter: modified since"
	case schema.NewestFirst:
		return "sort: newest first"
	case schema.FullScan:
		return "full scan"
	case schema.Export:
		return "export"
	default:
		return "unknown"
	}
}
