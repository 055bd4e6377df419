package cli

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

// runningSandbox is a sandbox that listens.
type runningSandbox struct {
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
	Others []otherOrganization `json:"organizations,omitempty"`

	world  *sandbox.Server
	server *http.Server
	cancel context.CancelFunc // ends the worker that sends callbacks
	sent   chan struct{}      // closed when it has ended
	failed chan error
}

// otherOrganization is an organization beside the first.
type otherOrganization struct {
	ID           string `json:"organization_id"`
	DataCenter   string `json:"data_center,omitempty"`
	URL          string `json:"url"` // of its data center
	RefreshToken string `json:"refresh_token"`
}

func startSandbox(ctx context.Context, listen string, options sandbox.Options) (*runningSandbox, error) {
	world, err := sandbox.New(options)
	if err != nil {
		return nil, usage("%w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("listen for the sandbox: %w: %w", errEnvironment, err)
	}
	running := &runningSandbox{
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
		world:        world,
		server:       &http.Server{Handler: world, ReadHeaderTimeout: 10 * time.Second},
		sent:         make(chan struct{}),
		failed:       make(chan error, 1),
	}
	for _, o := range options.Organizations {
		other := otherOrganization{ID: o.ID, DataCenter: o.DataCenter, URL: running.URL, RefreshToken: sandbox.RefreshTokenFor(o.ID, o.DataCenter)}
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

// stop ends the server when the calls under way are answered, or after a second.
func (r *runningSandbox) stop(ctx context.Context) error {
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

func (r *runningSandbox) plan() string {
	if r.Plan == "" {
		return "free"
	}
	return r.Plan
}

// config is a configuration for the sandbox, with every service that it simulates; the secrets are
// variables of the environment.
func (r *runningSandbox) config(plan string) string {
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
%[5]s`, r.URL, r.Organization, r.zone(), r.ClientID, r.services(plan), cmp.Or(r.Vendor, defaultVendor))
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

func (r *runningSandbox) zone() string {
	if r.TimeZone == "" {
		return "Asia/Kolkata"
	}
	return r.TimeZone
}

// services are the services of one organization. Invoicing has figures of the free plan alone
// (docs/upstream.md U43), and chat has no plans at all (U45). Accounting and inventory each sell
// plans that the other does not; such a plan counts as the other's largest.
func (r *runningSandbox) services(plan string) string {
	books, stock := plan, plan
	switch plan {
	case "enterprise":
		books = "ultimate"
	case "elite", "ultimate":
		stock = "enterprise"
	}
	return fmt.Sprintf(`    services:
      accounting: {plan: %s%s}
      inventory: {plan: %s}
      chat: {plan: free%s}
      invoicing: {plan: free}
      billing: {plan: paid}
`, books, listOf("custom_modules", r.Modules), stock, listOf("networks", r.Networks))
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
