package cli

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/erasures"
)

// eraseOptions are the flags of erase.
type eraseOptions struct {
	organization             organizationFlag
	note                     string
	dry, verify, allow, list bool
}

func (c *cli) eraseCommand() *cobra.Command {
	var options eraseOptions
	cmd := &cobra.Command{
		Use:   "erase RESOURCE ID",
		Short: "Erase a record wherever a copy of it stands, and do not load it again",
		Long: `Erase one record for good: its row and arrays, former values, versions and values by
day, its raw records, and what of it is in quarantine, in callbacks and in notes of the
program. Other records keep their bytes. The log of changes says that the row is deleted,
so that copies which follow it can do the same. Erase it upstream first.

From then on no run loads the record, whatever upstream shows, until --allow. All of it
is one transaction: a kill leaves everything or nothing. It is safe beside runs, which
wait for some seconds. The warehouse keeps a salted hash of what it refuses, and a receipt
without data: where, how many, when, and a digest.

If a text stands in several records, such as an address in notes of bills, sluice find
shows them: erase each, or correct it upstream, so that the next run loads the corrected
value. Versions and raw records keep the text until their retention ends. A record that
was corrected, erased and allowed again comes back without them, with the next run that
reads it.

--verify looks everywhere again, and not for values of the record in other records.
Backups, archived WAL and dumps keep what was erased until they expire, and files of the
database until the tables are vacuumed: docs/privacy.md says how to deal with both.

Exit codes: 0 erased, or nothing is left of what is refused. 1 nothing of it stands here;
for --verify, something is left; for --list, a receipt was altered.`,
		Example: "  sluice erase accounting.contact_persons 460000000026051 --dry-run\n" +
			"  sluice erase accounting.contact_persons 460000000026051 --note 'request 2026-117'\n" +
			"  sluice erase contact_persons 460000000026051 --verify\n  sluice erase --list",
		Args: cobra.MaximumNArgs(2), //nolint:mnd // resource and identifier
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := options.check(args); err != nil {
				return err
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				if options.list {
					return c.listErasures(ctx, a)
				}
				chosen, err := a.ChooseOrganization(string(options.organization))
				if err != nil {
					return err
				}
				if options.allow {
					return c.allowErased(ctx, a, args, chosen.Key)
				}
				return c.erase(ctx, a, args, chosen.Key, &options)
			})
		},
	}
	options.organization.add(cmd)
	cmd.Flags().BoolVar(&options.dry, "dry-run", false, "say what would be erased, and erase nothing")
	cmd.Flags().StringVar(&options.note, "note", "", "what the receipt is to say, such as the number of the request: no name")
	cmd.Flags().BoolVar(&options.verify, "verify", false, "look whether anything of the record is left")
	cmd.Flags().BoolVar(&options.allow, "allow", false, "load the record again when upstream shows it")
	cmd.Flags().BoolVar(&options.list, "list", false, "list the receipts")
	return cmd
}

func (o *eraseOptions) check(args []string) error {
	modes := 0
	for _, set := range []bool{o.dry, o.verify, o.allow, o.list} {
		if set {
			modes++
		}
	}
	switch {
	case modes > 1:
		return usage("--dry-run, --verify, --allow and --list go one at a time")
	case o.list && len(args) > 0:
		return usage("--list takes no record")
	case !o.list && len(args) != 2: //nolint:mnd // resource and identifier
		return usage("name the resource and the identifier of a record: sluice erase accounting.contact_persons 460000000026051")
	case o.note != "" && modes > 0:
		return usage("--note is for an erasure")
	}
	return nil
}

// eraseState is a closed set: what became of the record.
type eraseState string

const (
	wasErased   eraseState = "erased"
	wouldErase  eraseState = "would erase"
	nothingLeft eraseState = "nothing left"
	isLeft      eraseState = "left"
	// absent: nothing of it stands here, and it is not refused.
	absent eraseState = "absent"
)

// state is what became of the record, by the error of the engine; refused says that no run loads
// it. It returns the errors that say something else.
func (o *eraseOptions) state(err error, refused bool) (eraseState, error) {
	switch nothing := errors.Is(err, erasures.ErrNothing); {
	case nothing && refused:
		return nothingLeft, nil
	case nothing:
		return absent, nil
	case err != nil:
		return "", err
	case o.verify:
		return isLeft, nil
	case o.dry:
		return wouldErase, nil
	default:
		return wasErased, nil
	}
}

// erasureView is what became of a record.
type erasureView struct {
	erasures.Receipt

	// State is erased, would erase, nothing left, left or absent.
	State eraseState `json:"state"`
	// Erasure is the number of the erasure because of which the record is refused; 0 if it is not.
	Erasure int64 `json:"erasure"`
}

func (c *cli) erase(ctx context.Context, a *engine.App, args []string, organization string, options *eraseOptions) error {
	earlier, err := a.Erasure(ctx, args[0], args[1], organization)
	if err != nil {
		return err
	}
	receipt, err := a.EraseRecord(ctx, args[0], args[1], organization, options.note, options.dry || options.verify)
	shown := erasureView{Receipt: receipt, Erasure: earlier}
	if shown.State, err = options.state(err, earlier != 0); err != nil {
		return err
	}
	if shown.State == wasErased {
		shown.Erasure = receipt.ID
	}
	if err := c.show(shown, view.Text(shown.text)); err != nil {
		return err
	}
	return exitIf(shown.State == absent || shown.State == isLeft)
}

func (v *erasureView) text(page *view.Page) {
	switch v.State {
	case nothingLeft:
		page.Linef("Nothing of the record is left. It is refused since erasure %d.", v.Erasure)
		return
	case absent:
		page.Linef("Nothing of such a record stands here. It is not refused either: runs load it when upstream shows it.")
		return
	case isLeft:
		page.Linef("Of the record there are left:")
	case wouldErase:
		page.Linef("This would be erased:")
	default:
		page.Linef("Erasure %d of a record of %s.%s: the receipt has the digest %s.", v.ID, v.Service, v.Resource, v.Digest)
	}
	page.Linef("")
	names := slices.Sorted(maps.Keys(v.Places))
	page.Add(view.Table(names, "PLACE  ERASED", func(name *string) view.Row { return view.Row{*name, v.Places[*name]} }))
	page.Linef("")
	if v.State != wasErased {
		return
	}
	if tables := v.Unanalyzed; len(tables) > 0 {
		page.Linef("Statistics of the planner keep frequent values until the owner of the tables makes them anew:")
		page.Linef("  ANALYZE %s;", strings.Join(tables, ", "))
	}
	page.Linef("Runs do not load it again. Backups, archived WAL and dumps keep what was erased until they expire, and")
	page.Linef("files of the database until the tables are vacuumed: docs/privacy.md. sluice erase --verify looks again.")
}

func (c *cli) allowErased(ctx context.Context, a *engine.App, args []string, organization string) error {
	was, err := a.AllowErased(ctx, args[0], args[1], organization)
	if err != nil {
		return err
	}
	said := view.Line("The record was not refused.")
	if was {
		said = view.Line("The record is allowed again: the next run that reads it loads it. A sweep or a backfill reads the whole list.")
	}
	return c.show(map[string]bool{"was_refused": was}, said)
}

func (c *cli) listErasures(ctx context.Context, a *engine.App) error {
	receipts, err := erasures.List(ctx, a.DB.Pool())
	if err != nil {
		return err
	}
	err = c.show(receipts, view.Table(receipts, "ERASURE  ORGANIZATION  OF  BEGUN  PLACES  STATE  BY  NOTE", func(r *erasures.Receipt) view.Row {
		places := make([]string, 0, len(r.Places))
		for _, name := range slices.Sorted(maps.Keys(r.Places)) {
			places = append(places, view.Count(r.Places[name])+" "+name)
		}
		state := "refused"
		switch {
		case r.Altered:
			state = "ALTERED"
		case r.AllowedAt != nil:
			state = "allowed again"
		}
		return view.Row{
			r.ID, r.Organization, r.Service + "." + r.Resource, view.Minute(r.BegunAt, a.Zone(r.Organization)),
			strings.Join(places, ", "), state, r.AskedBy, r.Note,
		}
	}))
	if err != nil {
		return err
	}
	return exitIf(slices.ContainsFunc(receipts, func(r erasures.Receipt) bool { return r.Altered }))
}
