package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"reflect"
	"strings"

	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/engine/config/strict"
	"sluice/schema"
)

// Error is a configuration that cannot be used, with all its mistakes in the order of the file.
type Error = strict.Error

// Mistake is one error in the file, with what to do about it.
type Mistake = strict.Mistake

// Purpose is what the configuration is read for: it decides which secrets may be missing, which are
// then empty, and of which of these the command is run all the same.
type Purpose int

const (
	// ForAll needs all secrets.
	ForAll Purpose = iota
	// ForOffline is for commands that make no call. It runs the command of the key of hashes, because
	// stored records are hashed, too.
	ForOffline
	// ForConsent is for the exchange of a consent, which needs a client secret.
	ForConsent
	// ForReceiver is for a process that only receives callbacks: it needs the secrets of notifications.
	ForReceiver
	// ForConsole is for a process that only offers the console, and needs its secret.
	ForConsole
	// ForEvents is for a command that posts to receivers of events, and needs their secrets.
	ForEvents
)

// Calls reports whether the process may call upstream.
func (p Purpose) Calls() bool { return p == ForAll || p == ForConsent }

// optional reports whether the secret at a path may be missing.
func (p Purpose) optional(path string) bool {
	events := strings.HasPrefix(path, eventsPath)
	switch p {
	case ForOffline, ForConsent:
		return true
	case ForReceiver:
		return strings.Contains(path, ".credentials.") || strings.HasPrefix(path, headersPath) || path == consoleSecret || path == privacyKey || events
	case ForConsole:
		return path != consoleSecret
	case ForEvents:
		return !events
	case ForAll:
	}
	return false
}

// runs reports whether the command of an optional secret is run.
func (p Purpose) runs(path string) bool {
	return p == ForOffline && path == privacyKey || p == ForConsent && strings.HasSuffix(path, ".credentials.client_secret")
}

// Load reads the configuration file at path. getenv looks up a variable and reports whether it is
// set. readFile reads the configuration. services are the built-in declarations, against which
// plans and resources are checked.
//
// The error is an *Error with all mistakes if the file could be read, else the error of readFile,
// wrapped.
func Load(
	path string,
	getenv func(string) (string, bool),
	readFile func(string) ([]byte, error),
	services []schema.Service,
	purpose Purpose,
) (*Config, error) {
	text, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no configuration: %w (sluice init writes one)", err)
	case err != nil:
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	from, absent := secrets.Source{Getenv: getenv, Reading: &secrets.Reading{}}, make(map[string]bool)
	doc := defaults()
	sources := make(map[string]string)
	file := strict.Decode(text, &doc, strict.Options{
		Expand: func(path, text string) (string, error) { return value(from, path, text) },
		Special: map[reflect.Type]func(path, raw string) (any, error){
			reflect.TypeFor[Secret](): func(path, raw string) (any, error) {
				sources[path] = secrets.Whence(raw)
				return special(from, path, raw, purpose, absent)
			},
			reflect.TypeFor[netip.Prefix](): func(_, raw string) (any, error) { return network(from, raw) },
		},
	})
	if file.Shaped() {
		newChecker(file, getenv, services, absent).complete(&doc)
	}
	if err := file.Err(path); err != nil {
		return nil, err
	}
	doc.SecretFiles, doc.SecretsFrom = from.Reading.Files, sources
	return &doc.Config, nil
}

// value expands the references of the value at a path. User-declared resources take no references:
// they are the same on every machine, and their values are shown.
func value(from secrets.Source, path, text string) (string, error) {
	if strings.HasPrefix(path, "custom[") && secrets.Refers(text) {
		return "", errors.New("a declared resource takes no ${…}: write the value out")
	}
	return from.Expand(text)
}

// special reads the values of type Secret: secrets, and addresses of databases, which may hold
// one. It records the paths of missing secrets that are optional. A command is not run for such a
// secret, unless the purpose says so.
func special(from secrets.Source, path, raw string, purpose Purpose, absent map[string]bool) (Secret, error) {
	if path == "database.url" || path == "database.session_url" || path == "lake.catalog" {
		return from.DatabaseURL(raw)
	}
	if path == "database.password" {
		return from.Secret(raw)
	}
	if secrets.Runs(raw) && purpose.optional(path) && !purpose.runs(path) {
		absent[path] = true
		return Secret{}, nil
	}
	read := from.Secret
	if strings.HasPrefix(path, headersPath) {
		read = from.Header
	}
	secret, err := read(raw)
	if _, missing := errors.AsType[*secrets.MissingError](err); missing && purpose.optional(path) {
		absent[path] = true
		return Secret{}, nil
	}
	return secret, err
}
