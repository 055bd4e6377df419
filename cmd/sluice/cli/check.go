package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/migrations"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/upstream"
	"sluice/schema"
)

// finding is the result of one check.
type finding struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	Text  string `json:"text"`
	// Next is the command to go on with, if something is left to do that one command does.
	Next string `json:"next,omitempty"`
	// Missing are the needed scopes that were not granted.
	Missing []string `json:"scopes_missing,omitempty"`
	code    int
}

func (c *cli) checkCommand() *cobra.Command {
	var probe, offline bool
	cmd := &cobra.Command{
		Use:   "check [--offline | --probe [resource ...]]",
		Short: "Check configuration, database, credentials and access, everything at once",
		Long: `Check the configuration, the database, the encryption key, with one call per
organization whether the credentials are for it and it is the business that it was,
and with one cheap call per service whether address, token and organization fit.
Where upstream names the granted scopes, it says which of those that the configuration
needs are missing. All findings are reported at once.

Before 'sluice migrate' it checks what needs no tables, and ends with 0 if that is fine.
Calls are counted in the database, so the rest waits until the tables are there.

With --offline, it makes the checks that need no call and no secret of upstream, and
shows what the page Health of the console shows.

With --probe, measure besides what each list can do, or those of the resources named:
whether it filters and sorts by modification time, whether it heeds page and page size,
and whether single records can be read. That takes three calls a list at most (four
where its newest records share one second), and one for each way of reading single
records, out of the day's allowance of class probe.
What was measured is kept, and runs read each list by it; what contradicts the
declaration ends the command with 1.`,
		Example: "  sluice check\n  sluice check --offline\n  sluice check --probe\n  sluice check --probe inventory.items --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !probe {
				return usage("check %s: resources are named behind --probe", strings.Join(args, " "))
			}
			if probe {
				return c.checkProbe(cmd.Context(), args)
			}
			var findings []finding
			if offline {
				findings = c.checksOffline(cmd.Context())
			} else {
				findings = c.check(cmd.Context(), c.options(), "", nil)
			}
			return errors.Join(c.show(findings, findingLines(findings)), exit(worst(findings)))
		},
	}
	cmd.Flags().BoolVar(&probe, "probe", false, "measure what the lists can do, with a few calls each")
	cmd.Flags().BoolVar(&offline, "offline", false, "make no call: check configuration, key, database and tables")
	cmd.MarkFlagsMutuallyExclusive("offline", "probe")
	return cmd
}

// probeView is what check --probe shows.
type probeView struct {
	Findings []finding  `json:"findings"`
	Lists    []listView `json:"lists"`
}

// checkProbe makes all checks and, if they pass, measures the capabilities of lists.
func (c *cli) checkProbe(ctx context.Context, names []string) error {
	if a, err := engine.Load(c.options()); err == nil {
		if _, err := a.Select(names, ""); err != nil {
			return err
		}
	}
	shown := probeView{Lists: []listView{}}
	shown.Findings = c.check(ctx, c.options(), "", func(a *engine.App, client *upstream.Client) error {
		streams, err := a.Select(names, "")
		if err != nil {
			return err
		}
		shown.Lists, err = c.probe(ctx, a, client, streams)
		return err
	})
	code := worst(shown.Findings)
	for i := range shown.Lists {
		for _, v := range shown.Lists[i].Verdicts {
			if v.Contradicts {
				code = cmp.Or(code, codeFailed)
			}
		}
	}
	return errors.Join(c.show(shown, findingLines(shown.Findings), measured(shown.Lists)), exit(code))
}

// check makes all checks and, if they pass, calls further. Of the organizations it asks about the
// one with a key, or about all.
func (c *cli) check(
	ctx context.Context, options engine.Options, only string, further func(*engine.App, *upstream.Client) error,
) []finding {
	a, err := engine.Load(options)
	findings := []finding{verdict("configuration", err, c.path()+" is valid")}
	key := c.checkKey()
	findings = append(findings, key)
	if err != nil {
		findings[0].code = codeUsage
		return findings
	}
	defer func() { _ = a.Close(ctx) }() // an error of closing changes no finding
	findings = append(findings, checkExposure(a)...)
	database := c.checkDatabase(ctx, a)
	findings = append(findings, database)
	if database.OK && database.Next != "" && further != nil {
		// The operator asked for a measurement, and there is none.
		findings = append(findings, finding{Check: "probe", Text: "not possible before " + database.Next, code: codeEnvironment})
	}
	if !database.OK || database.Next != "" || !key.OK {
		return findings
	}
	findings = append(findings, c.checkWarehouse(ctx, a)...)
	client, err := a.Client()
	if err != nil {
		return append(findings, verdict("client", err, ""))
	}
	findings = append(findings, c.checkServices(ctx, a, client, only)...)
	if further != nil && worst(findings) == codeFine {
		if err := further(a, client); err != nil {
			findings = append(findings, ofCall(err, verdict("probe", err, "")))
		}
	}
	if only == "" { // else authorize has compared what the consent brought
		findings = append(findings, checkScopes(ctx, a)...)
	}
	return findings
}

// checksOffline makes the checks that need no call.
func (c *cli) checksOffline(ctx context.Context) []finding {
	a, err := engine.Load(c.offline())
	if err != nil {
		f := verdict("configuration", err, "")
		f.code = codeUsage
		return []finding{f}
	}
	defer func() { _ = a.Close(ctx) }() // as in check
	return c.checkOffline(ctx, a, c.checkDatabase)
}

// checkKey checks the key that seals tokens.
func (c *cli) checkKey() finding {
	keys, err := secrets.Source{Getenv: c.env.LookupEnv}.EncryptionKeys()
	fine := "32 bytes"
	if len(keys) > 1 {
		fine = fmt.Sprintf("%d keys of 32 bytes: the first seals, all open", len(keys))
	}
	key := verdict("SLUICE_ENCRYPTION_KEY", err, fine)
	if err != nil {
		key.code = codeUsage
	}
	return key
}

// checkExposure says what others may reach or read.
func checkExposure(a *engine.App) []finding {
	var findings []finding
	if listen := a.Config.Listen; config.Reachable(listen) {
		findings = append(findings, finding{Check: "listen", OK: true, Text: listen + ", and a warning: other machines may reach the status pages, " +
			"which ask for no password: let a firewall or a network policy admit only those that should"})
	}
	if why := a.Exposed(); why != "" {
		findings = append(findings, finding{Check: "connection to the database", Text: why, code: codeFailed})
	}
	return findings
}

// checkWarehouse checks roles and tables, once there are tables.
func (c *cli) checkWarehouse(ctx context.Context, a *engine.App) []finding {
	findings := append(append(checkRights(ctx, a), checkReaders(ctx, a)...), checkLeftOut(ctx, a)...)
	return append(append(findings, c.checkTables(ctx, a)...), checkViews(ctx, a)...)
}

// upToDate is the finding about a database, by the error of the last step.
func upToDate(err error) finding {
	f := verdict("database", err, "reachable and up to date")
	if err != nil {
		f.code = codeEnvironment
	}
	return f
}

// checkOpen checks the database of an app that is open.
func checkOpen(ctx context.Context, a *engine.App) finding { return upToDate(a.Migrated(ctx)) }

func (c *cli) checkDatabase(ctx context.Context, a *engine.App) finding {
	err := a.OpenDatabase(ctx)
	begun := false
	if err == nil {
		begun, err = migrations.Begun(ctx, a.URL)
	}
	if err == nil && !begun {
		f := verdict("database", nil, "reachable, and has no tables yet. Credentials and services are not checked before it has")
		f.Next = "sluice migrate"
		return f
	}
	if err == nil {
		err = a.Migrated(ctx)
	}
	if err == nil {
		err = a.Connect(ctx)
	}
	return upToDate(err)
}

// checkServices makes one call per organization and service; of the organization with a key, or of
// all.
func (c *cli) checkServices(ctx context.Context, a *engine.App, client *upstream.Client, only string) []finding {
	var findings []finding
	identities := a.Identities(client)
	for i := range a.Config.Organizations {
		organization := &a.Config.Organizations[i]
		if only != "" && organization.Key != only {
			continue
		}
		findings = append(findings, checkIdentity(ctx, identities, organization))
		for s := range a.Catalogue {
			service := &a.Catalogue[s]
			if _, wanted := organization.Services[service.Name]; wanted {
				findings = append(findings, c.checkService(ctx, a, client, organization, service))
			}
		}
	}
	return findings
}

func (c *cli) checkService(ctx context.Context, a *engine.App, client *upstream.Client, o *config.Organization, service *schema.Service) finding {
	began := c.env.Now()
	err := client.Check(ctx, a.Organization(o.Key), service)
	took := c.env.Now().Sub(began).Round(time.Millisecond)
	limits, limitsErr := a.Limits(o.Key, service.Name)
	err = errors.Join(err, limitsErr)
	text := fmt.Sprintf("answered in %s; %s", took, rulesOf(limits, a.SharedWith(o.Key, service.Name)))
	return ofCall(err, verdict(fmt.Sprintf("%s (%s), %s", o.Name, o.ID, service.Name), err, text))
}

// checkIdentity checks that the organization is still the same business.
func checkIdentity(ctx context.Context, identities *engine.Identities, o *config.Organization) finding {
	seen, err := identities.Look(ctx, o)
	text := "none of its services lists organizations: whether the id is the right one is not checked"
	switch {
	case seen.Found && seen.Warning != "":
		text = fmt.Sprintf("%s, and a warning: %s", seen.Name, seen.Warning)
	case seen.Found:
		text = fmt.Sprintf("%s, time zone %s", seen.Name, cmp.Or(seen.TimeZone, "not said"))
	case seen.Warning != "":
		text = "a warning: " + seen.Warning
	}
	return ofCall(err, verdict(fmt.Sprintf("%s (%s), identity", o.Name, o.ID), err, text))
}

// ofCall gives a finding the exit code of the call's error.
func ofCall(err error, f finding) finding {
	switch pipeline.KindOf(err) {
	case pipeline.Unavailable:
		f.code = codeEnvironment
	case pipeline.Exhausted:
		f.code = codeBudget
	default:
	}
	return f
}

func verdict(check string, err error, fine string) finding {
	if err != nil {
		return finding{Check: check, Text: err.Error(), code: codeFailed}
	}
	return finding{Check: check, OK: true, Text: fine}
}

// worst is the exit code of what the operator has to fix first.
func worst(findings []finding) int {
	for _, code := range []int{codeUsage, codeEnvironment, codeFailed, codeBudget} {
		for _, f := range findings {
			if f.code == code {
				return code
			}
		}
	}
	return codeFine
}

// findingLines are the findings as text.
func findingLines(findings []finding) view.Text {
	return func(page *view.Page) {
		for _, f := range findings {
			sign := "ok  "
			if !f.OK {
				sign = "FAIL"
			}
			page.Linef("%s  %s: %s", sign, f.Check, f.Text)
		}
		if at := slices.IndexFunc(findings, func(f finding) bool { return f.OK && f.Next != "" }); at >= 0 {
			page.Linef("\nNext: %s makes the tables. Then run sluice check again.", findings[at].Next)
		}
	}
}

// checkRights warns of excessive rights of other database roles; each warning ends with the
// statement that revokes them.
func checkRights(ctx context.Context, a *engine.App) []finding {
	const check = "other roles of the database"
	rights, err := a.DB.Rights(ctx)
	if err != nil {
		return []finding{verdict(check, err, "")}
	}
	findings := make([]finding, len(rights))
	for i, right := range rights {
		findings[i] = verdict(check, nil, fmt.Sprintf("a warning: %s; to end that: %s;", right.What, right.Remedy))
	}
	return findings
}

// checkTables names tables and columns of sluice that another program or session dropped or
// altered. It gives no finding if all is as declared.
func (c *cli) checkTables(ctx context.Context, a *engine.App) []finding {
	lacks, err := a.Lacking(ctx)
	if err != nil {
		return []finding{verdict("tables", err, "")}
	}
	var findings []finding
	for _, lack := range lacks {
		findings = append(findings, finding{
			Check: "tables", code: codeFailed,
			Text: lack.String() + ": sluice migrate proposes a plan for what is missing; " + engine.Restoring(lack),
		})
	}
	return findings
}

// checkViews warns if migrate would make or drop views: those of another version of the program, or
// of a history that was switched on or off.
func checkViews(ctx context.Context, a *engine.App) []finding {
	pending, err := a.Pending(ctx)
	if err == nil && !pending {
		return nil
	}
	return []finding{verdict("views", err,
		"a warning: those in the database are not those of this version and configuration: run sluice migrate")}
}
