package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/consent"
	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/upstream/token"
)

// authorizeFlags are the flags of authorize.
type authorizeFlags struct {
	redirect  string
	port      int
	portGiven bool
	wait      time.Duration
	noBrowser bool
	scopes    bool
}

// consentPort is where the browser is waited for if neither flag says another port; consentPath is
// the path of the redirect address. Both are fixed, because the address is registered.
const (
	consentPort = 9466
	consentPath = "/callback"
	maxPort     = 65_535
)

func (c *cli) authorizeCommand() *cobra.Command {
	var flags authorizeFlags
	cmd := &cobra.Command{
		Use:   "authorize [ORG]",
		Short: "Get a refresh token: ask a person for the consent to read an organization",
		Long: `Ask a person for the consent to read an organization, and get its refresh token.
ORG is the organization's name, key or id in the configuration; it may be left out if
only one is configured.

The command prints an address, and opens it where there is a display. It asks for
exactly the scopes that the configuration needs (--scopes prints them). The person
signs in there as a user who may read all of it, and consents. The browser is then sent
to this machine, where the command waits for it. If the browser runs on another
machine, paste the address that it shows at the end, or the code in it.

The address to which the browser is sent has to be registered for the client in the
developer console: http://127.0.0.1:9466/callback, or what --redirect names.

The refresh token goes into the file that credentials.refresh_token names. If it names
a variable, the command prints the line for your secret store: NAME=token. Then it
checks the organization, as sluice check does. The exchange of the code is a counted
call, so run sluice migrate first.`,
		Example: "  sluice authorize acme\n  sluice authorize acme --no-browser --redirect https://app.example.com/callback\n  sluice authorize --scopes",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.portGiven = cmd.Flags().Changed("port")
			return c.authorize(cmd.Context(), strings.Join(args, ""), flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.redirect, "redirect", "", "the registered redirect address (default: http://127.0.0.1:PORT"+consentPath+")")
	f.IntVar(&flags.port, "port", consentPort, "port to wait on for the browser, instead of that of --redirect; 0 takes a free one")
	f.DurationVar(&flags.wait, "wait", 10*time.Minute, "how long to wait for the answer") //nolint:mnd // as the help says
	f.BoolVar(&flags.noBrowser, "no-browser", false, "do not open the address in a browser")
	f.BoolVar(&flags.scopes, "scopes", false, "print the scopes that the configuration needs, and do nothing else")
	return cmd
}

// authorizedView is the result of authorize.
type authorizedView struct {
	Organization string `json:"organization"`
	Key          string `json:"key"`
	// Needed are the scopes that were asked for, Granted those that upstream names in its answer,
	// Missing those of the needed that it does not name; null if it names none.
	Needed  []string `json:"scopes_needed"`
	Granted []string `json:"scopes_granted"`
	Missing []string `json:"scopes_missing"`
	// File is where the refresh token is. If it is empty, the operator stores RefreshToken, as the
	// value of Variable if that is not empty.
	File         string    `json:"file,omitempty"`
	Variable     string    `json:"variable,omitempty"`
	RefreshToken string    `json:"refresh_token,omitempty"`
	Findings     []finding `json:"findings"`
}

func (c *cli) authorize(ctx context.Context, named string, flags authorizeFlags) error {
	if flags.wait <= 0 || flags.port < 0 || flags.port > maxPort {
		return usage("--wait takes a time above zero, such as 5m, and --port a number from 0 to %d", maxPort)
	}
	options := c.options()
	if options.Purpose = config.ForConsent; flags.scopes {
		options.Purpose = config.ForOffline
	}
	a, err := engine.Load(options)
	if err != nil {
		return err
	}
	o, err := chosen(a, named)
	if err != nil {
		return err
	}
	shown := authorizedView{Organization: o.Name, Key: o.Key}
	if shown.Needed, err = neededScopes(a, o); err != nil {
		return err
	}
	if flags.scopes {
		return c.show(shown.Needed, view.Line("%s", strings.Join(shown.Needed, ",")))
	}
	goesTo, err := secrets.Source{Getenv: c.env.LookupEnv}.Destination(o.Credentials.RefreshTokenFrom)
	if err != nil {
		return usage("credentials.refresh_token of organization %s: %w", o.Name, err)
	}
	var file *secrets.Replacement
	if goesTo.File != "" { // before the consent: a token that cannot be stored is lost
		if file, err = secrets.Replace(goesTo.File); err != nil {
			return &exitError{code: codeEnvironment, err: err}
		}
	}
	granted, err := c.granted(ctx, options, o.Key, shown.Needed, flags)
	switch {
	case err != nil && file != nil:
		return errors.Join(err, file.Cancel())
	case err != nil:
		return err
	case file != nil:
		if err := file.Commit(granted.RefreshToken); err != nil {
			return fmt.Errorf("the consent was given, but its token is lost: run the command again: %w", err)
		}
	}
	shown.File, shown.Variable = goesTo.File, goesTo.Variable
	shown.compare(granted.Scopes)
	shown.Findings = append(shown.scopes(), c.checkAuthorized(ctx, options, o, goesTo, granted.RefreshToken)...)
	return errors.Join(c.showAuthorized(shown, granted.RefreshToken), exit(worst(shown.Findings)))
}

// chosen finds the organization of the command line.
func chosen(a *engine.App, named string) (*config.Organization, error) {
	if named == "" && len(a.Config.Organizations) > 1 {
		names := make([]string, 0, len(a.Config.Organizations))
		for i := range a.Config.Organizations {
			names = append(names, a.Config.Organizations[i].Name)
		}
		return nil, usage("%d organizations are configured: name one of %s", len(names), strings.Join(names, ", "))
	}
	return a.ChooseOrganization(named) //nolint:wrapcheck // it says what is wrong
}

// granted asks for the consent and exchanges its code, with an app of its own: the check later
// opens another one.
func (c *cli) granted(
	ctx context.Context, options engine.Options, key string, scopes []string, flags authorizeFlags,
) (token.Granted, error) {
	a, err := engine.Open(ctx, options)
	if err != nil {
		return token.Granted{}, err
	}
	granted, err := c.consented(ctx, a, key, scopes, flags)
	if closeErr := a.Close(ctx); closeErr != nil {
		c.tellf("%v", closeErr) // a token that was granted comes once, so it is not given up for this
	}
	return granted, err
}

// consented asks for the consent and exchanges its code.
func (c *cli) consented(ctx context.Context, a *engine.App, key string, scopes []string, flags authorizeFlags) (token.Granted, error) {
	o, err := a.ChooseOrganization(key)
	if err != nil {
		return token.Granted{}, err
	}
	consents, err := a.Consents(o)
	if err != nil {
		return token.Granted{}, err
	}
	redirect, socket, err := flags.meeting(ctx)
	if err != nil {
		return token.Granted{}, err
	}
	asked := token.Consent{Scopes: scopes, Redirect: cmp.Or(flags.redirect, redirect.String()), State: rand.Text()}
	address, err := consents.Address(asked)
	if err != nil {
		if socket != nil {
			err = errors.Join(err, socket.Close())
		}
		return token.Granted{}, err
	}
	code, err := c.code(ctx, consent.Request{Redirect: redirect, State: asked.State}, address, socket, flags)
	if err != nil {
		return token.Granted{}, err
	}
	granted, err := consents.Exchange(ctx, asked, code)
	if pipeline.KindOf(err) == pipeline.Unavailable {
		err = &exitError{code: codeEnvironment, err: err}
	}
	return granted, err
}

// meeting decides where the browser is sent, and opens the socket on which it is waited for; the
// socket is nil if it is sent to another machine.
func (f authorizeFlags) meeting(ctx context.Context) (*url.URL, net.Listener, error) {
	port := strconv.Itoa(f.port)
	if f.redirect == "" {
		socket, err := consent.Open(ctx, "127.0.0.1", port)
		if err != nil {
			return nil, nil, &exitError{code: codeEnvironment, err: fmt.Errorf("%w (--port names another one)", err)}
		}
		return &url.URL{Scheme: "http", Host: socket.Addr().String(), Path: consentPath}, socket, nil
	}
	redirect, err := url.Parse(f.redirect)
	if err != nil || redirect.Hostname() == "" || redirect.User != nil || redirect.Fragment != "" ||
		redirect.Scheme != "https" && redirect.Scheme != "http" {
		return nil, nil, usage("--redirect is no address, such as http://127.0.0.1:%d%s", consentPort, consentPath)
	}
	host, here := consent.Loopback(redirect)
	switch {
	case !here && !f.portGiven:
		return redirect, nil, nil
	case !here:
		host = "127.0.0.1" // what receives the browser there forwards it to here
	case !f.portGiven:
		port = cmp.Or(redirect.Port(), "80")
	}
	socket, err := consent.Open(ctx, host, port)
	if err != nil {
		return nil, nil, &exitError{code: codeEnvironment, err: err}
	}
	return redirect, socket, nil
}

// compare notes which of the needed scopes upstream granted. Where it names no scope, that is not
// known.
func (v *authorizedView) compare(granted []string) {
	if len(granted) == 0 {
		return
	}
	v.Granted, v.Missing = granted, missingScopes(v.Needed, granted)
}

// scopes is the finding about the granted scopes.
func (v *authorizedView) scopes() []finding {
	f := finding{Check: v.Organization + ", scopes", OK: true, Text: "upstream does not tell which it granted"}
	switch {
	case len(v.Missing) > 0:
		f.OK, f.code = false, codeFailed
		f.Text = "not granted: " + strings.Join(v.Missing, ",") + ": streams that need them will be denied; " +
			"ask for the consent of a person who may read them, or disable these resources"
	case v.Granted != nil:
		f.Text = view.Plural(len(v.Needed), "scope") + " granted"
	}
	return []finding{f}
}
