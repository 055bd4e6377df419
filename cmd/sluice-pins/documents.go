package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// commandLine is a line of help that names a command.
var commandLine = regexp.MustCompile(`^  ([a-z][a-z-]*) +\S`)

// help records the help of every command, the commands found in that of the one above.
func (r *recorder) help(ctx context.Context) error { return r.helpOf(ctx, nil) }

func (r *recorder) helpOf(ctx context.Context, command []string) error {
	s, err := r.sluiceWith(ctx, nil, append(command, "--help")...)
	if err != nil {
		return err
	}
	if err := r.pin("help/"+strings.Join(append([]string{"sluice"}, command...), " ")+".txt", s.text()); err != nil {
		return err
	}
	_, list, _ := strings.Cut(s.out, "Available Commands:\n")
	for _, line := range lines(list) {
		found := commandLine.FindStringSubmatch(line)
		if found == nil {
			return nil
		}
		if err := r.helpOf(ctx, append(append([]string{}, command...), found[1])); err != nil {
			return err
		}
	}
	return nil
}

// documents records what is printed out of the declarations.
func (r *recorder) documents(ctx context.Context) error {
	for name, args := range map[string][]string{
		"dictionary.md": {"dictionary"}, "erd.md": {"erd"}, "erd.dbml": {"erd", "--format", "dbml"}, "coverage.md": {"coverage"},
		"draft.sql": {"draft"}, "resources.txt": {"resources"}, "resources.json": {"resources", "--json"}, "read.txt": {"read"},
		"read.json": {"read", "--json"}, "no-command.txt": {"nonsense"}, "no-flag.txt": {"sync", "--nonsense"}, "version.json": {"version", "--json"},
		"version.txt": {"version"}, "completion.bash": {"completion", "bash"},
	} {
		s, err := r.sluiceWith(ctx, nil, args...)
		if err != nil {
			return err
		}
		text := s.out
		if s.code != 0 || s.err != "" {
			text = s.text()
		}
		if strings.HasPrefix(name, "version") || name == "draft.sql" {
			text = r.masks.printed(text)
		}
		if err := r.pin("documents/"+name, text); err != nil {
			return err
		}
	}
	return nil
}

// schema records the tables, views, functions and comments that the migrations make in an empty
// database.
func (r *recorder) schema(ctx context.Context) error {
	address, err := r.postgres.database(ctx, "schema")
	if err != nil {
		return err
	}
	config := filepath.Join(r.folder, "schema.yaml")
	if err := os.WriteFile(config, []byte(minimalConfig), 0o600); err != nil {
		return fmt.Errorf("write a configuration: %w", err)
	}
	environment := []string{"DATABASE_URL=" + address, "PINS_SECRET=secret", "SLUICE_ENCRYPTION_KEY=" + key}
	for _, args := range [][]string{{"migrate"}, {"migrate", "--json"}} {
		s, err := r.sluiceWith(ctx, environment, append([]string{"--config", config}, args...)...)
		if err != nil {
			return err
		}
		if err := r.pin("schema/"+strings.Join(args, " ")+".txt", r.masks.printed(s.text())); err != nil {
			return err
		}
	}
	return r.pinSchema(ctx, "schema/schema.sql", address)
}

// minimalConfig is the least that a configuration says.
const minimalConfig = `database: {url: "${DATABASE_URL}"}
vendor: {name: Svc, api_url: "https://api.example.com", chat_url: "https://chat.example.com", auth_url: "https://accounts.example.com"}
organizations:
  - name: north
    id: "1"
    data_center: com
    time_zone: Asia/Kolkata
    credentials: {client_id: 1000.NORTH, client_secret: "${PINS_SECRET}", refresh_token: "${PINS_SECRET}"}
    services: {accounting: {plan: standard}, inventory: {plan: standard}}
`

// dumpNoise are lines of pg_dump that are otherwise in each release or in each dump.
var dumpNoise = regexp.MustCompile(`(?m)^(-- Dumped (from|by) .*|\\(un)?restrict .*)\n`)

// pinSchema writes what pg_dump says of a database without its rows.
func (r *recorder) pinSchema(ctx context.Context, name, address string) error {
	dump := "pg_dump"
	if r.postgres.bin != "" {
		dump = filepath.Join(r.postgres.bin, "pg_dump")
	}
	cmd := exec.CommandContext(ctx, dump, "--schema-only", "--no-owner", address)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("pg_dump: %w: %s", err, errs.String())
	}
	return r.pin(name, r.masks.times(dumpNoise.ReplaceAllString(string(out), "")))
}

// tryConfigs records what is said about each configuration of the folders: NAME.good.yaml and
// NAME.bad.yaml. Nothing is asked of an upstream.
func (r *recorder) tryConfigs(ctx context.Context) error {
	address, err := r.postgres.database(ctx, "configs")
	if err != nil {
		return err
	}
	secret := filepath.Join(r.folder, "secret")
	if err := os.WriteFile(secret, []byte("of-a-file\n"), 0o600); err != nil {
		return fmt.Errorf("write a secret: %w", err)
	}
	environment := []string{
		"DATABASE_URL=" + address, "EMPTY=", "NORTH_SECRET=CANARY-secret", "NORTH_TOKEN=CANARY-token", "TWO_LINES=CANARY\nCANARY",
		"PG_PASSWORD=CANARY-password", "PG_URL=postgres://sluice:CANARY@db.example.com/warehouse", "PINS_SECRET=CANARY-pins",
		"CANARY_URL=sluice:CANARY@db.example.com:x/warehouse", "ORGANIZATION=north", "CLIENT=1000.NORTH", "SECRET_FILE=file:" + secret,
		"ACME_CLIENT_SECRET=CANARY-acme", "ACME_REFRESH_TOKEN=CANARY-acme", "SLUICE_ENCRYPTION_KEY=" + key,
	}
	paths := map[string]string{} // by name: of two the later folder has the one that asks nothing beside this database
	for folder := range strings.SplitSeq(r.configs, ",") {
		found, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
		if err != nil || len(found) == 0 {
			return errors.Join(errors.New("there are no configurations in "+folder), err)
		}
		for _, path := range found {
			paths[filepath.Base(path)] = path
		}
	}
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		text, err := os.ReadFile(paths[name])
		if err != nil {
			return fmt.Errorf("read a configuration: %w", err)
		}
		// One name for all: it is part of what is printed.
		if err := os.WriteFile(filepath.Join(r.folder, "config.yaml"), text, 0o600); err != nil {
			return fmt.Errorf("write a configuration: %w", err)
		}
		commands := [][]string{{"check"}, {"check", "--json"}, {"sync"}}
		if strings.HasSuffix(name, ".good.yaml") {
			commands = [][]string{
				{"migrate"}, {"resources"}, {"resources", "--json"}, {"plan"}, {"plan", "--json"}, {"budget"}, {"budget", "--json"},
				{"organizations"}, {"status", "--json"}, {"drift"},
			}
		}
		said, err := r.tryAll(ctx, environment, commands)
		if err != nil {
			return err
		}
		if err := r.pin("configs/"+strings.TrimSuffix(name, ".yaml")+".txt", said); err != nil {
			return err
		}
	}
	return nil
}

// tryAll runs commands and gives all that they say.
func (r *recorder) tryAll(ctx context.Context, environment []string, commands [][]string) (string, error) {
	masks := r.masks.with(r.folder, "<folder>")
	var b strings.Builder
	for _, args := range commands {
		s, err := r.sluiceWith(ctx, environment, append([]string{"--config", "config.yaml"}, args...)...)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "$ sluice %s\n%s\n", strings.Join(args, " "), masks.printed(s.text()))
		if found := accept.FindStringSubmatch(s.text()); found != nil {
			if s, err = r.sluiceWith(ctx, environment, "--config", "config.yaml", "migrate", "--accept", found[1]); err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "$ sluice migrate --accept\n%s\n", masks.printed(s.text()))
		}
	}
	return b.String(), nil
}
