package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/outside"
	"sluice/schema"
)

// readView is one readable answer.
type readView struct {
	Name    string         `json:"name"`
	Params  []schema.Param `json:"params"`
	Path    string         `json:"path"`
	Scope   string         `json:"scope"`
	Assumed []string       `json:"assumed,omitempty"`
	Doc     string         `json:"doc"`
}

func (c *cli) readCommand() *cobra.Command {
	var organization organizationFlag
	cmd := &cobra.Command{
		Use:   "read [name] [parameter=value ...]",
		Short: "Ask upstream for an answer that is not copied, and print it",
		Long: `Ask upstream for an answer that depends on what is asked and is therefore not copied,
such as the accounts that another exchange rate would change. It costs one call of the
day's allowance, and prints the answer as JSON. Without a name it lists what can be
asked, with the parameters.`,
		Example: "  sluice read\n  sluice read accounting.base_currency_adjustment_accounts currency_id=460000000000109 " +
			"adjustment_date=2026-03-31 exchange_rate=84.2 notes=quarter",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.listReads()
			}
			return c.withUpstream(cmd.Context(), true, func(ctx context.Context, a *engine.App) error {
				return c.read(ctx, a, args[0], args[1:], string(organization))
			})
		},
	}
	organization.add(cmd)
	return cmd
}

func (c *cli) listReads() error {
	services, scopes, err := c.catalogue()
	if err != nil {
		return err
	}
	views := make([]readView, 0, len(services))
	for s := range services {
		for r := range services[s].Reads {
			service, read := &services[s], &services[s].Reads[r]
			views = append(views, readView{
				Name: service.Name + "." + read.Name, Params: append([]schema.Param{}, read.Params...), Path: service.Root + read.Path,
				Scope: scopes.scope(service, read.Scope), Assumed: slices.Clone(read.Assumed), Doc: read.Doc,
			})
		}
	}
	var rows []view.Row
	for i := range views {
		v := &views[i]
		rows = append(rows, view.Row{v.Name, "", v.Path, v.Scope, strings.TrimSuffix(v.Doc, ".")})
		for _, param := range v.Params {
			name := "  " + param.Name
			if param.Required {
				name += " (required)"
			}
			rows = append(rows, view.Row{"", name, "", "", strings.TrimSuffix(param.Doc, ".")})
		}
	}
	return c.show(views, view.TableOf("NAME  PARAMETER  PATH  SCOPE  WHAT IT IS", rows))
}

// read makes one call. The call log counts it like any other (invariant 3).
func (c *cli) read(ctx context.Context, a *engine.App, name string, args []string, organization string) error {
	service, read, err := findRead(a.Catalogue, name)
	if err != nil {
		return err
	}
	query, err := readParams(read, args)
	if err != nil {
		return err
	}
	chosen, err := a.ChooseOrganization(organization)
	if err != nil {
		return err
	}
	if _, has := chosen.Services[service.Name]; !has {
		return usage("organization %s has no service %s in the configuration", chosen.Name, service.Name)
	}
	client, err := a.Client()
	if err != nil {
		return err
	}
	answer, err := client.Get(ctx, service, a.Organization(chosen.Key), read.Path, query, read.Key)
	if err != nil {
		return fmt.Errorf("ask for %s: %w", name, err)
	}
	var indented bytes.Buffer // the answer, in which nothing else is changed: numbers keep every digit
	if err := json.Indent(&indented, answer, "", "  "); err != nil {
		return fmt.Errorf("print the answer: %w", err)
	}
	text := indented.String()
	if !c.json {
		text = outside.VisibleLines(text) // text from the wire must not control the terminal
	}
	return c.printer().Line("%s", text)
}

// findRead finds a read by "service.name", or by its name alone.
func findRead(services []schema.Service, name string) (*schema.Service, *schema.Read, error) {
	wanted, short := splitName(name)
	for s := range services {
		service := &services[s]
		if wanted != "" && wanted != service.Name {
			continue
		}
		for r := range service.Reads {
			if service.Reads[r].Name == short {
				return service, &service.Reads[r], nil
			}
		}
	}
	return nil, nil, usage("there is no %q to read: sluice read lists what there is", name)
}

// readParams parses parameter=value arguments and checks them against the declaration.
func readParams(read *schema.Read, args []string) (map[string]string, error) {
	query := make(map[string]string, len(args))
	for _, arg := range args {
		name, value, found := strings.Cut(arg, "=")
		if !found || value == "" {
			return nil, usage("%q is no parameter=value", arg)
		}
		if !slices.ContainsFunc(read.Params, func(p schema.Param) bool { return p.Name == name }) {
			return nil, usage("%s has no parameter %q, it has: %s", read.Name, name, paramNames(read))
		}
		if _, double := query[name]; double {
			return nil, usage("the parameter %s is given twice", name)
		}
		query[name] = value
	}
	for _, param := range read.Params {
		if _, given := query[param.Name]; param.Required && !given {
			return nil, usage("the parameter %s is missing: %s", param.Name, param.Doc)
		}
	}
	return query, nil
}

func paramNames(read *schema.Read) string {
	names := make([]string, 0, len(read.Params))
	for _, param := range read.Params {
		names = append(names, param.Name)
	}
	return strings.Join(names, ", ")
}
