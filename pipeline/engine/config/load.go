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
) (*Config, error) {
	return load(path, getenv, readFile, services, func(string) bool { return false }, runsNone)
}

// LoadOffline reads the file as Load does, for commands that make no call: a secret may be missing
// and is then empty. It runs the command of the key of hashes, because stored records are hashed,
// too.
func LoadOffline(
	path string,
	getenv func(string) (string, bool),
	readFile func(string) ([]byte, error),
	services []schema.Service,
) (*Config, error) {
	return load(path, getenv, readFile, services, func(string) bool { return true }, func(path string) bool { return path == privacyKey })
}

// LoadConsent reads the file as LoadOffline does, for the exchange of a consent: it runs the
// commands of client secrets, because the exchange needs one.
func LoadConsent(
	path string,
	getenv func(string) (string, bool),
	readFile func(string) ([]byte, error),
	services []schema.Service,
) (*Config, error) {
	return load(path, getenv, readFile, services, func(string) bool { return true }, func(path string) bool {
		return strings.HasSuffix(path, ".credentials.client_secret")
	})
}

// runsNone says that no command of an optional secret is run.
func runsNone(string) bool { return false }

// LoadReceiver reads the file as Load does, for a process that only receives callbacks: secrets of
// the credentials, of telemetry, of the console and of receivers of events may be missing, those of
// notifications may not.
func LoadReceiver(
	path string,
	getenv func(string) (string, bool),
	readFile func(string) ([]byte, error),
	services []schema.Service,
) (*Config, error) {
	return load(path, getenv, readFile, services, func(path string) bool {
		return strings.Contains(path, ".credentials.") || strings.HasPrefix(path, headersPath) || path == consoleSecret || path == privacyKey ||
			strings.HasPrefix(path, eventsPath)
	}, runsNone)
}

// LoadConsole reads the file as Load does, for a process that only offers the console: all secrets
// but that of the console may be missing.
func LoadConsole(
	path string,
	getenv func(string) (string, bool),
	readFile func(string) ([]byte, error),
	services []schema.Service,
) (*Config, error) {
	return load(path, getenv, readFile, services, func(path string) bool { return path != consoleSecret }, runsNone)
}

// LoadEvents reads the file as Load does, for a command that posts to receivers of events: all
// secrets but theirs may be missing.
func LoadEvents(
	path string,
	getenv func(string) (string, bool),
	readFile func(string) ([]byte, error),
	services []schema.Service,
) (*Config, error) {
	return load(path, getenv, readFile, services, func(path string) bool { return !strings.HasPrefix(path, eventsPath) }, runsNone)
}

// load reads the file; optional says of which paths the secret may be missing, runs of which of
// them a command is run all the same.
func load(
	path string,
	getenv func(string) (string, bool),
	readFile func(string) ([]byte, error),
	services []schema.Service,
	optional, runs func(path string) bool,
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
				return special(from, path, raw, optional, runs, absent)
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
// secret, unless runs says so.
func special(from secrets.Source, path, raw string, optional, runs func(string) bool, absent map[string]bool) (Secret, error) {
	if path == "database.url" || path == "database.session_url" || path == "lake.catalog" {
		return from.DatabaseURL(raw)
	}
	if path == "database.password" {
		return from.Secret(raw)
	}
	if secrets.Runs(raw) && optional(path) && !runs(path) {
		absent[path] = true
		return Secret{}, nil
	}
	read := from.Secret
	if strings.HasPrefix(path, headersPath) {
		read = from.Header
	}
	secret, err := read(raw)
	if _, missing := errors.AsType[*secrets.MissingError](err); missing && optional(path) {
		absent[path] = true
		return Secret{}, nil
	}
	return secret, err
}
