package engine

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/events"
)

// rereadEvery is the time between two looks whether a file with secrets changed. It is also the
// least time between two readings because upstream refuses a credential.
const rereadEvery = time.Minute

// inForce are the secrets that this process uses now. Reading them again replaces them; everything
// else of the configuration stays.
type inForce struct {
	// load reads the configuration of the start with its present secrets.
	load func() (*config.Config, error)
	// refused receives that upstream refused a credential.
	refused chan struct{}

	// turn is held while the secrets are read again.
	turn sync.Mutex

	mu sync.Mutex
	// conf has the secrets that were read last; nothing else of it is used.
	conf *config.Config
	keys [][]byte
	// users are told the sealing keys when the secrets change.
	users []func(keys [][]byte) error
	// woken are the organizations whose streams have to be woken once more.
	woken []string
}

// present is the configuration with the secrets in force.
func (f *inForce) present() *config.Config {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.conf
}

// of returns an organization with the secrets in force.
func (f *inForce) of(o *config.Organization) *config.Organization {
	return organizationIn(f.present(), o.Key)
}

// eventKeys returns the keys that sign messages to a receiver now. The configuration has checked
// them; a secret that may be missing and is has none.
func (f *inForce) eventKeys(name string) [][]byte {
	conf := f.present()
	var keys [][]byte
	for i := range conf.Events {
		if conf.Events[i].Name != name {
			continue
		}
		for _, secret := range conf.Events[i].Secret {
			if key, err := events.Key(secret); err == nil {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func (f *inForce) seal(keys [][]byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keys = keys
}

// uses notes what has to be told when the secrets change.
func (f *inForce) uses(tell func(keys [][]byte) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.users = append(f.users, tell)
}

// refuse notes that upstream refused a credential. It does not wait.
func (f *inForce) refuse() {
	select {
	case f.refused <- struct{}{}:
	default: // it is noted already
	}
}

// stamp changes when a file with secrets changes.
func (f *inForce) stamp(keyFile string) string {
	files := f.present().SecretFiles
	if keyFile != "" {
		files = append(slices.Clip(files), keyFile)
	}
	return secrets.Stamp(files)
}

// put replaces the secrets, and returns the keys of the organizations whose credentials are others
// now, and how many secrets changed.
func (f *inForce) put(conf *config.Config, keys [][]byte) ([]string, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var others []string
	changed := 0
	before := f.conf.Secrets()
	for path, now := range conf.Secrets() {
		if now.Reveal() == before[path].Reveal() {
			continue
		}
		changed++
		var i int
		if _, err := fmt.Sscanf(path, "organizations[%d].credentials.", &i); err == nil {
			others = append(others, conf.Organizations[i].Key)
		}
	}
	if !slices.EqualFunc(f.keys, keys, bytes.Equal) {
		changed++
	}
	f.conf, f.keys = conf, keys
	slices.Sort(others)
	return slices.Compact(others), changed
}

// hooks returns the secrets of an organization's notifications that are in force.
func (a *App) hooks(o *config.Organization) []config.Secret {
	return a.secrets.of(o).Notifications.Secret
}

// ConsoleSecret returns the secret of the console's client at its provider that is in force.
func (a *App) ConsoleSecret() config.Secret { return a.secrets.present().Console.OIDC.ClientSecret }

// Reread reads all secrets again and puts in force in this process those of credentials, of
// notifications, of receivers of events and of the console, and the sealing keys if a file has
// them. It returns how many changed, and lets the organizations go on whose credentials did. On an
// error those before stay in force. Variables of the environment never change in a running process.
func (a *App) Reread(ctx context.Context) (int, error) {
	a.secrets.turn.Lock()
	defer a.secrets.turn.Unlock()
	conf, err := a.secrets.load()
	if err != nil {
		return 0, err
	}
	var keys [][]byte
	if a.options.Purpose.Calls() {
		if keys, err = (secrets.Source{Getenv: a.options.LookupEnv}).EncryptionKeys(); err != nil {
			return 0, err
		}
	}
	keepSecrets(a.options, conf) // before anything can print them
	others, changed := a.secrets.put(conf, keys)
	for _, tell := range a.secrets.told() {
		if err := tell(keys); err != nil {
			return changed, err
		}
	}
	a.secrets.replaced(others)
	return changed, a.wakeDenied(ctx, others)
}

// replaced notes organizations whose credentials were replaced, and returns those noted before.
func (f *inForce) replaced(organizations []string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := f.woken
	f.woken = organizations
	return before
}

func (f *inForce) told() []func([][]byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.users)
}

// wakeDenied lets the streams of organizations go on that stopped because of their credentials.
func (a *App) wakeDenied(ctx context.Context, organizations []string) error {
	if a.DB == nil { // it only receives callbacks
		return nil
	}
	for _, key := range organizations {
		if _, err := a.DB.Wake(ctx, key, servicesOf(a.organization(key)), pipeline.StateDenied); err != nil {
			return fmt.Errorf("let the streams of %s go on: %w", key, err)
		}
	}
	return nil
}

// FollowSecrets reads the secrets again until ctx ends: at each signal, when a file with secrets
// has changed, and after upstream refused a credential. Each reading is one line in the log.
func (a *App) FollowSecrets(ctx context.Context, signals <-chan os.Signal) {
	every := rereadEvery
	if a.options.Minute > 0 {
		every = a.options.Minute
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	keyFile := secrets.Source{Getenv: a.options.LookupEnv}.KeyFile()
	seen := a.secrets.stamp(keyFile)
	var last time.Time
	for {
		why := ""
		select {
		case <-ctx.Done():
			return
		case <-signals:
			why = "a signal asked for it"
		case <-a.secrets.refused:
			if now := a.options.Now(); now.Sub(last) >= every {
				why, last = "upstream refused a credential", now
			}
		case <-ticker.C:
			// Runs that were under way at the replacement ended with the old credentials.
			if err := a.wakeDenied(ctx, a.secrets.replaced(nil)); err != nil {
				a.Log.WarnContext(ctx, "streams with new credentials wait for the next day", "error", a.options.Scrub.Error(err))
			}
			if a.secrets.stamp(keyFile) != seen {
				why = "a file changed"
			}
		}
		if why == "" {
			continue
		}
		seen = a.secrets.stamp(keyFile) // before the reading: a later change is seen at the next look
		if changed, err := a.Reread(ctx); err != nil {
			a.Log.WarnContext(ctx, "the secrets could not be read anew: those before stay in force", "why", why, "error", a.options.Scrub.Error(err))
		} else {
			a.Log.InfoContext(ctx, "the secrets were read anew", "why", why, "changed", changed)
		}
	}
}
