package harness

import (
	"fmt"
	"os"
	"strings"

	"sluice/connectors"
	"sluice/sandbox"
	"sluice/schema"
)

// Plan is the plan of the organizations, PerMinute and AtOnce its limits: docs/upstream.md U40 and
// U41.
const (
	Plan      = "premium"
	PerMinute = 100
	AtOnce    = 10
)

// HookSecret signs the webhooks of rules, and tokens of channels are derived from it.
const HookSecret = "canaryOfTheStorm0123"

// Config is the configuration of a process that reads the sandbox.
type Config struct {
	// Upstream is the address of the sandbox, as host:port.
	Upstream string
	// Notifications are those of the organization as YAML; "" for none.
	Notifications string
	// Settings are further lines of the file.
	Settings string
	// Resources are the settings of the copied resources as YAML; none means all resources.
	Resources map[string]string
}

// Write writes the file.
func (c *Config) Write(path string) error {
	const services = "{accounting: {plan: " + Plan + "}, inventory: {plan: " + Plan + "}, chat: {plan: free}}"
	var text strings.Builder
	fmt.Fprintf(&text, `database: {url: "${SLUICE_DATABASE_URL}"}
vendor: {name: Svc, api_url: "http://%[1]s", chat_url: "http://%[1]s", auth_url: "http://%[1]s"}
tombstones: {apart: 0s, max_rows: 100000} # the second scan follows at once
organizations:
  - name: org0
    id: "%[2]s"
    data_center: com
    time_zone: Asia/Kolkata
    credentials: {client_id: %[3]s, client_secret: "${CLIENT_SECRET}", refresh_token: "${REFRESH_TOKEN}"}
    services: %[4]s
`, c.Upstream, sandbox.DefaultOrganizationID, sandbox.ClientID, services)
	if c.Notifications != "" {
		text.WriteString("    notifications: " + c.Notifications + "\n")
	}
	text.WriteString(c.Settings)
	if len(c.Resources) > 0 {
		text.WriteString("resources:\n")
	}
	for service, resource := range schema.Each(connectors.All()) {
		name := service.Name + "." + resource.Name
		settings, copied := c.Resources[name]
		switch {
		case settings != "":
			fmt.Fprintf(&text, "  %s: {%s}\n", name, settings)
		case !copied && len(c.Resources) > 0 && strings.Contains(services, service.Name+":"):
			fmt.Fprintf(&text, "  %s: {enabled: false}\n", name)
		}
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	return nil
}

// Environment returns the variables that the file names.
func (c *Config) Environment(database string) []string {
	return []string{
		"SLUICE_DATABASE_URL=" + database, "SLUICE_ENCRYPTION_KEY=c3Rvcm0tZ3JvdW5kLXN0b3JtLWdyb3VuZC1zdG9ybTE=", // it encrypts nothing else
		"CLIENT_SECRET=" + sandbox.ClientSecret, "REFRESH_TOKEN=" + sandbox.RefreshToken, "HOOK_SECRET=" + HookSecret,
	}
}
