package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/lineage/certify"
	"sluice/pipeline/warehouse/certificates"
)

// certificateMode is the mode of a certificate's file: it names records, and holds no value of one.
const certificateMode = 0o644

func (c *cli) certifyCommand() *cobra.Command {
	var (
		check, out      string
		sample          int
		list, publicKey bool
	)
	cmd := &cobra.Command{
		Use:   "certify [ORG]",
		Short: "State, signed, what of an organization is here, and check it later",
		Long: `State what of an organization is in the warehouse: up to when all lists are complete,
how many records each table has, a digest of them, and what is missing (quarantine,
single records, gaps of notifications, broken checks). The certificate is signed JSON,
stored in the warehouse (analytics.certificate), and written to --out.

It makes no call. With --sample, records of upstream are compared within so many calls
of class probe, and the certificate says what that found.

--check holds the warehouse against a certificate. It tells what was tampered with, by
table and record, from what runs changed since. Digests of single records are kept for
the last three certificates of an organization.

Exit codes: 0 complete, or complete but for what is named; for --check, the same, or
runs account for each difference. 1 incomplete, or tampered with. 2 the file is none.`,
		Example: "  sluice certify acme --out acme.json\n  sluice certify acme --sample 20\n  sluice certify --check acme.json\n" +
			"  sluice certify --list\n  sluice certify --public-key > sluice.pem",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			organization := strings.Join(args, "")
			changed, modes := cmd.Flags().Changed, 0
			for _, flag := range []string{"check", "list", "public-key"} {
				if changed(flag) {
					modes++
				}
			}
			switch {
			case modes > 1 || modes == 1 && (changed("sample") || changed("out")):
				return usage("--check, --list and --public-key stand alone")
			case (check != "" || publicKey) && len(args) > 0:
				return usage("--check and --public-key take no organization")
			case changed("check") && check == "":
				return usage("--check takes the file of a certificate")
			case sample < 0:
				return usage("--sample is a number of calls, from 0")
			}
			return c.withUpstream(cmd.Context(), sample > 0, func(ctx context.Context, a *engine.App) error {
				switch {
				case check != "":
					return c.checkCertificate(ctx, a, check)
				case publicKey:
					return c.publicKey(a)
				case list:
					return c.listCertificates(ctx, a, organization)
				default:
					return c.certify(ctx, a, organization, sample, out)
				}
			})
		},
	}
	cmd.Flags().StringVar(&check, "check", "", "hold the warehouse against the certificate in this file")
	cmd.Flags().StringVar(&out, "out", "", "write the certificate to this file")
	cmd.Flags().IntVar(&sample, "sample", 0, "how many calls may be made to compare records with upstream, of class probe")
	cmd.Flags().BoolVar(&list, "list", false, "list the certificates that were issued")
	cmd.Flags().BoolVar(&publicKey, "public-key", false, "print the public key, for those that check the signature without sluice")
	return cmd
}

func (c *cli) certify(ctx context.Context, a *engine.App, organization string, sample int, out string) error {
	issued, file, err := a.Certify(ctx, organization, sample)
	if err != nil {
		return err
	}
	if out != "" {
		if err := os.WriteFile(out, file, certificateMode); err != nil {
			return fmt.Errorf("certificate %d is stored, but could not be written: %w", issued.ID, err)
		}
	}
	err = c.show(issued, view.Text(func(page *view.Page) {
		cut := "no instant"
		if issued.Cut != nil {
			cut = view.Instant(issued.Cut, a.Zone(issued.Organization))
		}
		page.Linef("Certificate %d of %s: %s. Complete up to %s.\n", issued.ID, issued.Organization, issued.Verdict, cut)
		for _, what := range issued.ButFor {
			page.Linef("- %s", what)
		}
		if issued.Sample.Allowed == 0 {
			page.Linef("No record was compared with upstream: --sample 20 spends 20 calls on that.")
		} else {
			page.Linef("%d records were compared with upstream by %d calls: %d violations.",
				issued.Sample.Records, issued.Sample.Calls, issued.Sample.Violations)
		}
		page.Linef("")
	}), view.Table(issued.Lists, "LIST  RECORDS  DELETED  COMPLETE UP TO", func(l *certify.List) view.Row {
		return view.Row{l.Resource, l.Rows, l.Tombstones, view.Instant(l.Watermark, a.Zone(issued.Organization))}
	}))
	if err != nil {
		return err
	}
	return exitIf(issued.Verdict == certify.Incomplete)
}

func (c *cli) checkCertificate(ctx context.Context, a *engine.App, name string) error {
	file, err := c.env.ReadFile(name)
	if err != nil {
		return usage("read the certificate: %v", err)
	}
	result, err := a.CheckCertificate(ctx, file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	err = c.show(result, view.Text(func(page *view.Page) {
		of := result.Certificate
		page.Linef("Certificate %d of %s, taken %s: %s.\n", of.ID, of.Organization, of.TakenAt.UTC().Format(time.RFC3339), outcomeOf(&result))
		if len(result.Findings) > 0 {
			page.Add(view.Table(result.Findings, "TABLE  RECORD  TAMPERED WITH", func(f *certify.Finding) view.Row {
				return view.Row{f.Where, f.Record, f.What}
			}))
			page.Linef("")
		}
		if len(result.Moved) > 0 {
			page.Add(view.Table(result.Moved, "MOVED ON  RECORDS  HOW", func(m *certify.Moved) view.Row { return view.Row{m.Where, m.Records, m.Note} }))
		}
	}))
	if err != nil {
		return err
	}
	return exitIf(result.Outcome == certify.Tampered)
}

func outcomeOf(result *certify.Result) string {
	switch result.Outcome {
	case certify.Same:
		return "the warehouse is as it was"
	case certify.MovedOn:
		return "the warehouse has moved on since, by runs"
	case certify.Tampered:
		return "the warehouse was tampered with, " + view.Plural(result.Tampered, "finding")
	default:
		return string(result.Outcome)
	}
}

func (c *cli) listCertificates(ctx context.Context, a *engine.App, organization string) error {
	key, err := a.OrganizationKey(organization)
	if err != nil {
		return err
	}
	found, err := a.Certificates().List(ctx, key, 0)
	if err != nil {
		return fmt.Errorf("read the certificates: %w", err)
	}
	const head = "ID  ORGANIZATION  TAKEN  COMPLETE UP TO  RECORDS  DELETED  IN QUARANTINE  VERDICT"
	return c.show(found, view.Table(found, head, func(i *certificates.Issued) view.Row {
		zone := a.Zone(i.Organization)
		return view.Row{i.ID, i.Organization, view.Instant(&i.TakenAt, zone), view.Instant(i.Cut, zone), i.Rows, i.Tombstones, i.Quarantined, i.Verdict}
	}).Or("No certificate was issued yet: sluice certify ORG"))
}

// publicKeyView is what --public-key shows.
type publicKeyView struct {
	PublicKey string `json:"public_key"`
	PEM       string `json:"pem"`
}

func (c *cli) publicKey(a *engine.App) error {
	keys, err := a.CertificateKeys()
	if err != nil {
		return err
	}
	text, err := keys[0].PEM()
	if err != nil {
		return err
	}
	return c.show(publicKeyView{PublicKey: keys[0].Public(), PEM: text}, view.Text(func(page *view.Page) { page.Linef("%s", text[:len(text)-1]) }))
}
