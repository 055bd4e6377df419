package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/quarantine"
)

// driftView is one key or value that no declaration knows, or one declared key that is gone.
type driftView struct {
	quarantine.Drift

	// Hint says what it means and what to do.
	Hint string `json:"hint"`
}

func (c *cli) driftCommand() *cobra.Command {
	var organization organizationFlag
	cmd := &cobra.Command{
		Use:   "drift [resource]",
		Short: "Show what upstream sent that no declaration knows, and which declared keys are gone",
		Long: `Show the keys and values of enumerations that came over the wire and that no declaration
knows, in how many records, and since when. All of it is kept and no run fails: values
of unknown keys are in the column _extra of their rows, and an unknown value of an
enumeration is in its column like any other. A declared key that most records of a list
carried and do not carry any more is shown as gone: its column keeps what came last.
--json sums them up by resource, too.

Resources that the configuration declares (custom) can be given typed columns after the
fact: promote proposes them, fill fills them, and nothing is asked of upstream again.`,
		Example: "  sluice drift\n  sluice drift inventory.bills --org 60012345678 --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, args []string) error {
			key, err := organization.key(a)
			if err != nil {
				return err
			}
			report, err := driftOf(ctx, a, args, key)
			if err != nil {
				return err
			}
			const head = headOrganization + "  RESOURCE  KEY  CAME AS  RECORDS  FIRST  LAST  WHAT TO DO"
			return c.show(report, view.Table(report.Keys, head, func(d *driftView) view.Row {
				zone := a.Zone(d.Organization)
				first, last := view.Minute(d.FirstSeenAt, zone), view.Minute(d.LastSeenAt, zone)
				return view.Row{d.Organization, d.Service + "." + d.Resource, d.Path, d.Kind, d.Seen, first, last, d.Hint}
			}).Or(noDrift))
		}),
	}
	organization.add(cmd)
	cmd.AddCommand(c.promoteCommand(), c.fillCommand())
	return cmd
}

// driftReport is the drift for programs: summed up, and key by key.
type driftReport struct {
	Resources []driftSummary `json:"resources"`
	Keys      []driftView    `json:"keys"`
}

// driftOf reads the drift of the resources that a name of the command line stands for, or of all.
func driftOf(ctx context.Context, a *engine.App, names []string, organization string) (*driftReport, error) {
	found, err := a.DB.Drift(ctx, organization)
	if err != nil {
		return nil, fmt.Errorf("read the drift: %w", err)
	}
	views := make([]driftView, 0, len(found))
	for i := range found {
		if len(names) == 0 || namedBy(names[0], found[i].Service, found[i].Resource) {
			views = append(views, driftView{Drift: found[i], Hint: driftHint(&found[i])})
		}
	}
	return &driftReport{Resources: sumDrift(a, views), Keys: views}, nil
}

// noDrift stands in place of a table.
const noDrift = "Nothing came that the declarations do not know."

// namedBy says whether a name of the command line names the resource or its service.
func namedBy(name, service, resource string) bool {
	ofService, ofResource := splitName(name)
	resource = strings.TrimSuffix(resource, "."+string(pipeline.WorkSweep))
	return (ofService == "" || ofService == service) && ofResource == resource || name == service
}

// Two kinds of drift have texts of their own: a value that an enumeration does not list, and the
// line that counts all keys beyond a thousand.
const (
	driftValue  = "value: "
	driftOthers = "(others)"
)

// driftHint says what to do. Drift is never urgent: the records are loaded.
func driftHint(d *quarantine.Drift) string {
	switch {
	case d.Path == driftOthers:
		return "more than a thousand unknown keys: they are in the column _extra"
	case d.Kind == quarantine.KindMissing:
		return "most records carried it before: its column keeps what came last; a key that came instead is listed here, too"
	case strings.HasPrefix(d.Kind, driftValue):
		return "loaded as it came; queries that list the values may miss it"
	default:
		return "kept in the column _extra, " + extraKey(d.Path)
	}
}

// extraKey gives the key in _extra that holds the values of an unknown key: its path, with the
// positions of arrays in it.
func extraKey(path string) string {
	path = outside.Visible(path)
	if strings.Contains(path, "[]") {
		return "under keys such as " + strings.ReplaceAll(path, "[]", "[0]")
	}
	return "under " + path
}

// driftSummary is the drift of one resource.
type driftSummary struct {
	pipeline.Key

	// Keys counts the unknown keys, Values the unknown values of enumerations, Missing the declared
	// keys that do not come any more.
	Keys    int `json:"keys"`
	Values  int `json:"values"`
	Missing int `json:"missing"`
	// Crowded says that there are more unknown keys than are kept apart.
	Crowded bool `json:"crowded"`
	// Records is the number of records with the key or value that most of them have: so many
	// records drift at least.
	Records     int64     `json:"records"`
	FirstSeenAt time.Time `json:"first_seen_at"`
	LastSeenAt  time.Time `json:"last_seen_at"`
	// Hint says what to do.
	Hint string `json:"hint"`
}

// sumDrift sums up drift by organization and resource, whatever kind of work met it. The views are
// ordered by organization and resource.
func sumDrift(a *engine.App, views []driftView) []driftSummary {
	sums := make([]driftSummary, 0)
	var paths map[string]bool // a key of two types is one key
	for i := range views {
		d := &views[i]
		key := pipeline.Key{
			Organization: d.Organization, Service: d.Service, Resource: strings.TrimSuffix(d.Resource, "."+string(pipeline.WorkSweep)),
		}
		if n := len(sums) - 1; n < 0 || sums[n].Key != key {
			sums = append(sums, driftSummary{Key: key, FirstSeenAt: d.FirstSeenAt, LastSeenAt: d.LastSeenAt})
			paths = make(map[string]bool)
		}
		sums[len(sums)-1].add(d, paths)
	}
	for i := range sums {
		sums[i].Hint = sums[i].whatToDo(a)
	}
	return sums
}

// add counts one line of drift; paths holds the unknown keys that are counted.
func (s *driftSummary) add(d *driftView, paths map[string]bool) {
	switch {
	case d.Path == driftOthers:
		s.Crowded = true
	case d.Kind == quarantine.KindMissing:
		s.Missing++
	case strings.HasPrefix(d.Kind, driftValue):
		s.Values++
	default:
		paths[d.Path] = true
		s.Keys = len(paths)
	}
	s.Records = max(s.Records, d.Seen)
	if d.FirstSeenAt.Before(s.FirstSeenAt) {
		s.FirstSeenAt = d.FirstSeenAt
	}
	if d.LastSeenAt.After(s.LastSeenAt) {
		s.LastSeenAt = d.LastSeenAt
	}
}

// name is the resource's name on the command line.
func (s *driftSummary) name() string { return s.Service + "." + s.Resource }

// whatToDo gives the most urgent step for a resource: an undeclared key loses nothing, a column
// whose key is gone grows old.
func (s *driftSummary) whatToDo(a *engine.App) string {
	streams, err := a.Declared(s.name())
	declaredByUser := err == nil && engine.UserDeclared(streams[0])
	switch {
	case s.Missing > 0:
		return "find what came in place of " + view.Plural(s.Missing, "gone key") + ": sluice drift " + s.name()
	case declaredByUser && (s.Keys > 0 || s.Crowded):
		return "sluice drift promote " + s.name()
	case s.Keys > 0 || s.Crowded:
		return "query _extra, or declare or ignore the keys"
	default:
		return "look at queries that list the values"
	}
}

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
