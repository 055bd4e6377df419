package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"runtime"

	"sluice/cmd/sluice/cli/consent"
	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/upstream/wire"
)

// errLate says that no answer arrived in time.
var errLate = errors.New("no answer to the consent arrived in time (--wait): nothing was changed")

// code shows a person the address of the consent, and waits for the answer: from the browser, and
// from what the person pastes. It closes the socket.
func (c *cli) code(ctx context.Context, asked consent.Request, address string, socket net.Listener, flags authorizeFlags) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, flags.wait, errLate)
	defer cancel()
	var browser <-chan consent.Answer
	if socket != nil {
		listener := consent.Listen(socket, asked, func() {
			c.tellf("An answer to another consent arrived and was not taken: its state differs. Still waiting.")
		})
		defer listener.Close(ctx)
		browser = listener.Answers()
	}
	c.invite(address, asked, socket != nil, flags)
	pasted := make(chan consent.Answer, 1)
	if c.env.Stdin != nil {
		go func() {
			code, err := asked.Paste(ctx, c.env.Stdin, func(err error) { c.tellf("%v. Try again:", err) })
			pasted <- consent.Answer{Code: code, Err: err}
		}()
	} else {
		pasted <- consent.Answer{Err: io.EOF}
	}
	for {
		select {
		case answer := <-browser:
			return answer.Code, answer.Err
		case answer := <-pasted:
			switch {
			case !errors.Is(answer.Err, io.EOF):
				return answer.Code, answer.Err
			case browser == nil:
				return "", errors.New("the input ended without a code: nothing was changed")
			}
			pasted = nil // the browser may still answer
		case <-ctx.Done():
			if cause := context.Cause(ctx); !errors.Is(cause, errLate) {
				return "", fmt.Errorf("stopped before there was an answer, and nothing was changed: %w", cause)
			}
			return "", errLate
		}
	}
}

// invite prints the address and what to do, and opens the address where there is a display.
func (c *cli) invite(address string, asked consent.Request, listens bool, flags authorizeFlags) {
	c.tellf("Open this address, sign in as a user who may read the organization, and consent:\n\n%s\n", address)
	switch {
	case listens:
		c.tellf("Waiting for the browser at %s until %s. If the browser runs on another machine,\n"+
			"paste the address that it shows at the end, or the code in it:", asked.Redirect, c.env.Now().Add(flags.wait).Format("15:04"))
	default:
		c.tellf("The browser is sent to %s. Paste the address that it shows then, or the code in it:", asked.Redirect)
	}
	if program := c.browser(); program != "" && !flags.noBrowser {
		// The address is printed as well: a browser that does not open needs no message.
		if command := exec.Command(program, address); command.Start() == nil { //nolint:gosec,noctx // the browser outlives the command
			go func() { _ = command.Wait() }()
		}
	}
}

// browser names the program that opens an address; "" if there is no display.
func (c *cli) browser() string {
	if runtime.GOOS == "darwin" {
		return "open"
	}
	for _, display := range []string{"WAYLAND_DISPLAY", "DISPLAY"} {
		if value, ok := c.env.LookupEnv(display); ok && value != "" {
			return "xdg-open"
		}
	}
	return ""
}

// tellf says something to the person beside the result, which goes to standard output.
func (c *cli) tellf(format string, args ...any) {
	_, _ = fmt.Fprintf(c.env.Stderr, format+"\n", args...) // a lost line of a conversation changes no result
}

// checkAuthorized checks the organization as sluice check does, with the new refresh token.
func (c *cli) checkAuthorized(
	ctx context.Context, options engine.Options, o *config.Organization, goesTo secrets.Destination, token wire.Secret,
) []finding {
	if goesTo.Variable == "" && goesTo.File == "" {
		return []finding{{Check: o.Name, OK: true, Text: "not checked: store the refresh token where the configuration names it, then run sluice check"}}
	}
	if goesTo.Variable != "" {
		before := options.LookupEnv
		options.LookupEnv = func(name string) (string, bool) {
			if name == goesTo.Variable {
				return token.Reveal(), true
			}
			return before(name)
		}
	}
	return c.check(ctx, options, o.Key, nil)
}

// showAuthorized prints the result. A refresh token that the operator has to store is in it, on
// purpose: it is printed around the outlet, which would take it out (invariant 10).
func (c *cli) showAuthorized(shown authorizedView, token wire.Secret) error {
	if shown.File != "" {
		return c.show(shown, view.Line("The refresh token of organization %s is in %s. Processes that run read it within a minute.\n",
			shown.Organization, shown.File),
			findingLines(shown.Findings))
	}
	out := view.Printer{Out: view.Beneath(c.env.Stdout), JSON: c.json}
	shown.RefreshToken = token.Reveal()
	line := shown.RefreshToken
	if shown.Variable != "" {
		line = shown.Variable + "=" + line
	}
	secret := view.Verbatim(line + "\n")
	if c.json {
		return out.Document(shown)
	}
	return errors.Join(
		c.printer().Line("Store the refresh token of organization %s with your other secrets, then restart the processes. It comes once:\n",
			shown.Organization),
		out.Print(secret),
		c.printer().Print(view.Line(""), findingLines(shown.Findings)),
	)
}
