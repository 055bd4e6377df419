package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	simulated "sluice/sandbox"
)

// hookSecret signs the webhooks of rules.
const hookSecret = "benchmarkhooksecret1"

// told is an organization whose lists upstream tells of.
type told struct {
	id, refreshToken string
	lists            []list
}

// rules make upstream tell of each change in the lists.
func (o *told) rules(u *world, public string) error {
	var set simulated.Webhooks
	for _, l := range o.lists {
		set.Rules = append(set.Rules, simulated.WebhookRule{
			Resource: l.stream(), Address: public + "/rule/" + o.id + "/" + l.stream(), Secret: hookSecret,
			Body: fmt.Sprintf(`{%q:"${%s}"}`, l.id, l.id),
		})
	}
	return u.SetWebhooksOf(o.id, "", set)
}

// narrow writes a configuration in which the lists of some organizations are copied and nothing
// else. Notifications and each list have the settings given, in the form of the configuration.
func (w *warehouse) narrow(u *world, of []told, notifications, each string) (string, []string, error) {
	_, environment, err := w.configure(&u.address)
	if err != nil {
		return "", nil, err
	}
	environment = append(environment, "BENCH_HOOK_SECRET="+hookSecret)
	var text strings.Builder
	fmt.Fprintf(&text, `database: {url: "${BENCH_DATABASE_URL}"}
vendor: {api_url: %[1]q, chat_url: %[1]q, auth_url: %[1]q}
log: {level: error}
notifications: {%[2]s}
organizations:
`, u.address.URL, notifications)
	copied := make(map[string]bool)
	for i := range of {
		o := &of[i]
		environment = append(environment, fmt.Sprintf("BENCH_TOKEN_%d=%s", i, o.refreshToken))
		fmt.Fprintf(&text, `  - name: bench%[1]d
    id: %[2]q
    data_center: com
    time_zone: Asia/Kolkata
    credentials: {client_id: %[3]q, client_secret: "${BENCH_CLIENT_SECRET}", refresh_token: "${BENCH_TOKEN_%[1]d}"}
    services: {accounting: {plan: %[4]s}, inventory: {plan: %[4]s}}
`, i, o.id, u.address.ClientID, tariff)
		if notifications != "" {
			text.WriteString("    notifications: {secret: \"${BENCH_HOOK_SECRET}\"}\n")
		}
		for _, l := range o.lists {
			copied[l.stream()] = true
		}
	}
	text.WriteString("resources:\n")
	for _, service := range catalogue(false) {
		if service.Name != accounting && service.Name != inventory {
			continue
		}
		for i := range service.Resources {
			name, settings := service.Name+"."+service.Resources[i].Name, "enabled: false"
			if copied[name] {
				settings = each
			}
			fmt.Fprintf(&text, "  %s: {%s}\n", name, settings)
		}
	}
	path := filepath.Join(w.stage.folder, w.name+"-told.yaml")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		return "", nil, fmt.Errorf("write the configuration: %w", err)
	}
	return path, environment, nil
}
