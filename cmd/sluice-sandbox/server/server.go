// Package server runs a simulated upstream that listens, with flags for all that it can play.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sluice/sandbox"
)

// Running is a sandbox that listens.
type Running struct {
	URL          string `json:"url"`
	Organization string `json:"organization_id"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	RefreshToken string `json:"refresh_token"`
	Plan         string `json:"plan,omitempty"`
	TimeZone     string `json:"time_zone,omitempty"`
	Vendor       string `json:"vendor,omitempty"`

	// Networks and Modules are the parents that only a configuration can name.
	Networks []string `json:"networks,omitempty"`
	Modules  []string `json:"custom_modules,omitempty"`
	// Others are the organizations beside the first.
	Others []Other `json:"organizations,omitempty"`

	// World is what is played.
	World *sandbox.Server `json:"-"`

	server *http.Server
	cancel context.CancelFunc // ends the worker that sends callbacks
	sent   chan struct{}      // closed when it has ended
	failed chan error
}

// Other is an organization beside the first.
type Other struct {
	ID           string `json:"organization_id"`
	DataCenter   string `json:"data_center,omitempty"`
	URL          string `json:"url"` // of its data center
	RefreshToken string `json:"refresh_token"`
}

// ErrUsage marks options that the sandbox does not take, ErrListen an address that cannot be had.
var (
	ErrUsage  = errors.New("usage")
	ErrListen = errors.New("listen for the sandbox")
)

// Start serves a sandbox until Stop.
func Start(ctx context.Context, listen string, options sandbox.Options) (*Running, error) {
	world, err := sandbox.New(options)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrListen, err)
	}
	running := &Running{
		URL:          "http://" + listener.Addr().String(),
		Organization: sandbox.DefaultOrganizationID,
		ClientID:     sandbox.ClientID,
		ClientSecret: sandbox.ClientSecret,
		RefreshToken: sandbox.RefreshToken,
		Plan:         options.Plan,
		TimeZone:     options.TimeZone,
		Vendor:       options.Vendor,
		Networks:     options.Networks,
		Modules:      options.CustomModules,
		World:        world,
		server:       &http.Server{Handler: world, ReadHeaderTimeout: 10 * time.Second},
		sent:         make(chan struct{}),
		failed:       make(chan error, 1),
	}
	for _, o := range options.Organizations {
		other := Other{ID: o.ID, DataCenter: o.DataCenter, URL: running.URL, RefreshToken: sandbox.RefreshTokenFor(o.ID, o.DataCenter)}
		if o.DataCenter != "" {
			other.URL += "/dc/" + o.DataCenter
		}
		running.Others = append(running.Others, other)
	}
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	running.cancel = cancel
	go func() {
		defer close(running.sent)
		world.Run(working)
	}()
	go func() { running.failed <- running.server.Serve(listener) }()
	return running, nil
}

// Wait returns when the context ends or the server has failed.
func (r *Running) Wait(ctx context.Context) {
	select {
	case <-ctx.Done():
	case failure := <-r.failed:
		r.failed <- failure // for Stop
	}
}

// Stop ends the server when the calls under way are answered, or after a second.
func (r *Running) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := r.server.Shutdown(ctx); err != nil {
		_ = r.server.Close() // the calls still open are cut off
	}
	r.cancel()
	<-r.sent
	if err := <-r.failed; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the sandbox: %w", err)
	}
	return nil
}

func (r *Running) plan() string {
	if r.Plan == "" {
		return "free"
	}
	return r.Plan
}

// Config is a configuration of sluice for the sandbox, without its database. It has every service
// that the sandbox simulates; the secrets are variables of the environment.
func (r *Running) Config(plan string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `vendor:
  name: %[6]s
  api_url: %[1]s
  chat_url: %[1]s
  auth_url: %[1]s
organizations:
  - name: Sandbox Trading
    id: "%[2]s"
    data_center: com
    time_zone: %[3]s
    credentials:
      client_id: %[4]s
      client_secret: ${SANDBOX_CLIENT_SECRET}
      refresh_token: ${SANDBOX_REFRESH_TOKEN}
%[5]s`, r.URL, r.Organization, r.zone(), r.ClientID, r.services(plan), cmp.Or(r.Vendor, "Svc"))
	for n, o := range r.Others {
		fmt.Fprintf(&b, `  - name: Sandbox Trading %[1]d
    id: %[2]q
    key: %[3]q
    data_center: com
    time_zone: %[4]s
    addresses: {api_url: %[5]q, chat_url: %[5]q, auth_url: %[5]q}
    credentials:
      client_id: %[6]s
      client_secret: ${SANDBOX_CLIENT_SECRET}
      refresh_token: ${%[7]s}
%[8]s`, n+2, o.ID, "sandbox_"+strconv.Itoa(n+2), r.zone(), o.URL, r.ClientID, variableOf(n), r.services(plan))
	}
	return b.String()
}

// variableOf names the variable that holds the refresh token of an organization beside the first.
func variableOf(n int) string { return "SANDBOX_REFRESH_TOKEN_" + strconv.Itoa(n+2) }

func (r *Running) zone() string {
	if r.TimeZone == "" {
		return "Asia/Kolkata"
	}
	return r.TimeZone
}

// services are the services of one organization.
func (r *Running) services(plan string) string {
	plans := sandbox.Plans(plan)
	return fmt.Sprintf(`    services:
      accounting: {plan: %s%s}
      inventory: {plan: %s}
      chat: {plan: %s%s}
      invoicing: {plan: %s}
      billing: {plan: %s}
`, plans["accounting"], listOf("custom_modules", r.Modules), plans["inventory"], plans["chat"], listOf("networks", r.Networks),
		plans["invoicing"], plans["billing"])
}

// listOf writes a list of the configuration; "" if it is empty.
func listOf(key string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	quoted := make([]string, 0, len(names))
	for _, name := range names {
		quoted = append(quoted, strconv.Quote(name))
	}
	return ", " + key + ": [" + strings.Join(quoted, ", ") + "]"
}

// Text is what a reader needs to point sluice at the sandbox. The credentials belong to made-up
// companies and open nothing else.
func (r *Running) Text() string {
	var b strings.Builder
	command := "sluice init --from-sandbox"
	if r.URL != "http://"+DefaultListen {
		command += "=" + r.URL
	}
	fmt.Fprintf(&b, `The sandbox answers at %s (Ctrl-C ends it). Open it in a browser to see what it does.
For a try, run "sluice-sandbox postgres" and "%s" in other terminals.

A configuration of your own needs these lines, and its database:

%s
with these secrets (of a made-up company, they open nothing else):

export SANDBOX_CLIENT_SECRET=%s
export SANDBOX_REFRESH_TOKEN=%s
`, r.URL, command, r.Config(r.plan()), r.ClientSecret, r.RefreshToken)
	for n, o := range r.Others {
		fmt.Fprintf(&b, "export %s=%s\n", variableOf(n), o.RefreshToken)
	}
	return b.String() + "export SLUICE_ENCRYPTION_KEY=$(head -c 32 /dev/urandom | base64)"
}
