package engine

import (
	"context"
	"encoding/base64"
	"strings"

	"sluice/pipeline/engine/config"
	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/events"
	"sluice/pipeline/notifications"
	"sluice/pipeline/upstream/token"
	"sluice/pipeline/warehouse/postgres"
)

// keepSecrets makes the secrets in force known to the scrubber: those of the configuration, and the
// keys that seal tokens. Tokens change, and become known when they are fetched.
func keepSecrets(options Options, conf *config.Config) {
	keep := options.Scrub.Keep
	for path, secret := range conf.Secrets() {
		switch {
		case strings.HasPrefix(path, "telemetry.headers."):
			words := strings.Fields(secret.Reveal())
			keep(words[max(len(words)-1, 0):]...) // without the scheme: "Bearer" is no secret
		case path == "database.url" || path == "database.session_url" || path == "lake.catalog":
			keep(postgres.Passwords(secret.Reveal())...)
		default:
			keep(secret.Reveal())
		}
	}
	for i := range conf.Organizations {
		keepTokens(keep, conf, &conf.Organizations[i])
	}
	for i := range conf.Events {
		for _, secret := range conf.Events[i].Secret {
			keep(events.Encoded(secret))
		}
	}
	keys, _ := secrets.Source{Getenv: options.LookupEnv}.EncryptionKeys() // commands that need them report the error
	for _, key := range keys {
		keep(string(key), base64.StdEncoding.EncodeToString(key))
	}
}

// keepTokens makes the tokens of channels known, which are derived from the secrets of
// notifications: upstream sends each token in every callback.
func keepTokens(keep func(...string), conf *config.Config, o *config.Organization) {
	for _, secret := range o.Notifications.Secret {
		for _, watch := range o.Notifications.Watch {
			keep(notifications.Token(secret, o.Key, notifications.ChannelID(conf.Notifications.PublicURL, o.Key, watch.Module)))
		}
	}
}

// learnTokens makes the tokens stored in the database known to the scrubber. Without the key it
// does nothing, because the program cannot open them.
func (a *App) learnTokens(ctx context.Context) error {
	keys, missing := secrets.Source{Getenv: a.options.LookupEnv}.EncryptionKeys()
	if missing != nil {
		return nil //nolint:nilerr // commands that need the keys report the error
	}
	stored, err := a.DB.SealedTokens(ctx)
	if err == nil {
		err = token.Learn(a.options.Scrub, keys, stored)
	}
	return postgres.Fail("learn which tokens must not be shown", err)
}
