package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/warehouse/streams"
)

// organizations shows the businesses, their plans, and whether upstream lets them in.
func (p *pages) organizations(ctx context.Context, r *console.Request) (console.Page, error) {
	shown, err := organizationsOf(ctx, p.app)
	if err != nil {
		return console.Page{}, err
	}
	denied, err := p.app.DB.Denied(ctx)
	if err != nil {
		return console.Page{}, fmt.Errorf("read what is denied: %w", err)
	}
	page := console.Page{Title: "Organizations", Document: shown, Mood: console.Good}
	page.Sentence = "Upstream lets in " + view.Plural(len(shown), "organization") + "."
	unmet := howMany(shown, func(o *organizationView) bool { return o.Pinned == nil })
	switch all := view.Plural(len(shown), "organization"); {
	case len(denied) > 0:
		page.Sentence, page.Mood = fmt.Sprintf("Upstream denies streams of %s of %s.", view.Count(len(denied)), all), console.Bad
	case unmet > 0:
		page.Sentence, page.Mood = fmt.Sprintf("%s of %s were not met yet: sluice check asks upstream.", view.Count(unmet), all), console.Warn
	}
	page.Parts = []console.Part{
		some(r, "organizations", console.List("Organizations", "No organization is configured.",
			"Name  Identifier  Key  Upstream calls it  Credentials  Refresh token from  Time zone  Data center", shown,
			func(o *organizationView) view.Row {
				called := console.Word("not met yet", console.Warn)
				if o.Pinned != nil && o.Pinned.Active {
					called = console.Text(o.Pinned.Name)
				} else if o.Pinned != nil {
					called = console.Word(o.Pinned.Name+", not active", console.Warn)
				}
				credentials := console.Word("let in", console.Good)
				if at := slices.IndexFunc(denied, func(d streams.Denied) bool { return d.Organization == o.Key }); at >= 0 {
					credentials = console.Word(view.Plural(denied[at].Streams, "stream")+" denied: "+denied[at].Reason, console.Bad)
				}
				from := p.configured(o.Key).Credentials.RefreshTokenFrom
				return view.Row{o.Name, console.Code(o.ID), console.Code(o.Key), called, credentials, console.Code(from), o.TimeZone, o.DataCenter}
			})),
		console.Heading{ID: "services", Text: "Services"},
	}
	services := console.Table{
		Caption: "Services and plans",
		Head:    []string{"Organization", "Service", "Plan", "Calls a day", "Calls a minute", "At once", "Shared with"},
	}
	for i := range shown {
		o := p.configured(shown[i].Key)
		for _, name := range shown[i].Services {
			limits, err := p.app.Limits(o.Key, name)
			if err != nil {
				return console.Page{}, err
			}
			services.Rows = append(services.Rows, []console.Cell{
				console.Text(o.Name), console.Text(name), console.Text(o.Services[name].Plan), limitCell(limits.Daily), limitCell(limits.PerMinute),
				limitCell(limits.Concurrent), console.Text(strings.Join(p.app.SharedWith(o.Key, name), ", ")),
			})
		}
	}
	page.Parts = append(page.Parts, some(r, "services", services))
	return page, nil
}

func (p *pages) configured(key string) *config.Organization {
	all := p.app.Config.Organizations
	return &all[slices.IndexFunc(all, func(o config.Organization) bool { return o.Key == key })]
}

func limitCell(limit int) console.Cell {
	if limit == 0 {
		return console.Word("not limited", console.Muted)
	}
	return console.Number(limit)
}

// configurationView is the configuration in force.
type configurationView struct {
	Path     string           `json:"path"`
	Settings []config.Setting `json:"settings"`
	// Resources are those that are copied, with how they are read.
	Resources []resourceSetting `json:"resources"`
}

// resourceSetting is the choice for one resource.
type resourceSetting struct {
	Resource    string   `json:"resource"`
	Every       string   `json:"every"`
	Stated      bool     `json:"stated"`
	Sweep       string   `json:"sweep,omitempty"`
	Look        string   `json:"look,omitempty"`
	CallsPerRun int      `json:"calls_per_run,omitempty"`
	History     bool     `json:"history,omitempty"`
	Daily       []string `json:"daily,omitempty"`
}

func configurationOf(path string, conf *config.Config) configurationView {
	shown := configurationView{Path: path, Settings: conf.Settings(), Resources: []resourceSetting{}}
	for _, name := range slices.Sorted(maps.Keys(conf.Resources)) {
		r := conf.Resources[name]
		if !r.Enabled {
			continue
		}
		shown.Resources = append(shown.Resources, resourceSetting{
			Resource: name, Every: r.Every.String(), Stated: r.Stated, Sweep: lasting(r.Sweep),
			Look: lasting(r.Look), CallsPerRun: r.CallsPerRun, History: r.History, Daily: r.Daily,
		})
	}
	return shown
}

// lasting is a length of time as the file writes it; "" for none.
func lasting(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// configuration shows the configuration in force, defaults included. Of secrets it says where they
// come from.
func (p *pages) configuration(_ context.Context, r *console.Request) (console.Page, error) {
	shown := configurationOf(p.cli.path(), p.app.Config)
	page := console.Page{
		Title: "Configuration", Document: shown,
		Sentence: "This is in force, defaults included, since the process read " + shown.Path + ". Of secrets it says where they come from.",
	}
	searched := strings.ToLower(r.Query.Get("q"))
	found := func(name string) bool { return strings.Contains(strings.ToLower(name), searched) }
	page.Parts = []console.Part{
		console.Filters{{Name: "q", Label: "Search", Value: r.Query.Get("q")}},
		some(r, "settings", console.List("Settings, by their paths in the file", "No setting matches.", "Setting  Value", shown.Settings,
			func(s *config.Setting) view.Row {
				if !found(s.Path) {
					return nil
				}
				return view.Row{console.Code(s.Path), console.Code(valueOf(s))}
			})),
		console.Heading{ID: "resources", Text: "Resources"},
		some(r, "resources", console.List("Resources that are copied", "No resource matches.",
			"Resource  Every  Sweep  Look  Calls a run  Versions  By day", shown.Resources, func(s *resourceSetting) view.Row {
				if !found(s.Resource) {
					return nil
				}
				every, calls := s.Every, console.Text("a share of the day")
				if s.Stated {
					every += ", stated"
				}
				if s.CallsPerRun > 0 {
					calls = console.Number(s.CallsPerRun)
				}
				service, name, _ := strings.Cut(s.Resource, ".")
				return view.Row{
					console.To(s.Resource, addressOfTable(service, name)), every, s.Sweep, s.Look, calls, s.History, strings.Join(s.Daily, ", "),
				}
			})),
	}
	return page, nil
}

// valueOf is the value of a setting; of a secret it says where it comes from.
func valueOf(s *config.Setting) string {
	if s.Secret {
		return "secret, from " + s.Value
	}
	return s.Value
}

// health shows what sluice check finds without a call.
func (p *pages) health(ctx context.Context, _ *console.Request) (console.Page, error) {
	findings := p.cli.checkOffline(ctx, p.app, checkOpen)
	var failed, warned int
	table := console.List("What sluice check finds without a call", "", "Check  Result  Finding", findings, func(f *finding) view.Row {
		result := console.Word("fine", console.Good)
		switch {
		case !f.OK:
			failed++
			result = console.Word("failed", console.Bad)
		case strings.Contains(f.Text, "a warning:"):
			warned++
			result = console.Word("warning", console.Warn)
		}
		return view.Row{f.Check, result, f.Text}
	})
	page := console.Page{
		Title: "Health", Document: findings, Sentence: "All is well, as far as it shows without a call upstream.", Mood: console.Good,
		Parts: []console.Part{
			table, console.Note{Text: "Credentials and services are asked with a few calls on a terminal:", Command: "sluice check"},
		},
	}
	switch {
	case failed > 0:
		page.Sentence, page.Mood = view.Plural(failed, "check")+" failed.", console.Bad
	case warned > 0:
		page.Sentence, page.Mood = "All checks pass, with "+view.Plural(warned, "warning")+".", console.Warn
	}
	return page, nil
}

// checkOffline makes the checks that need no call. The database gives the finding about it.
func (c *cli) checkOffline(ctx context.Context, a *engine.App, database func(context.Context, *engine.App) finding) []finding {
	findings := []finding{verdict("configuration", nil, c.path()+" is valid")}
	key := c.checkKey()
	if _, given := c.env.LookupEnv(key.Check); key.OK || given {
		findings = append(findings, key) // a process that makes no call needs none
	}
	findings = append(findings, checkExposure(a)...)
	of := database(ctx, a)
	findings = append(findings, of)
	if !of.OK || of.Next != "" {
		return findings
	}
	return append(findings, c.checkWarehouse(ctx, a)...)
}

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
				view.Table(shown.Settings, "SETTING  VALUE", func(s *config.Setting) view.Row { return view.Row{s.Path, valueOf(s)} }),
				view.Line(""),
				view.Table(shown.Resources, "RESOURCE  EVERY  SWEEP  LOOK", func(r *resourceSetting) view.Row {
					return view.Row{r.Resource, r.Every, r.Sweep, r.Look}
				}))
		},
	}
}
