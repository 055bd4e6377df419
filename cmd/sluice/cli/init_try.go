package cli

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
)

// playedOrganization is what a sandbox says about an organization that it plays.
type playedOrganization struct {
	ID           string            `json:"organization_id"`
	Services     map[string]string `json:"services"`
	Vendor       string            `json:"vendor"`
	ClientID     string            `json:"client_id"`
	ClientSecret string            `json:"client_secret"`
	RefreshToken string            `json:"refresh_token"`
}

// keyBytes is the size of the encryption key, in bytes.
const keyBytes = 32

// initTry writes a configuration for a sandbox on this machine, with its secrets and a sealing key
// in files.
func (c *cli) initTry(ctx context.Context, path, address string, force bool) error {
	full, err := filepath.Abs(path)
	if err != nil {
		return usage("%s: %w", path, err)
	}
	address = strings.TrimRight(address, "/")
	for _, q := range initQuestions() {
		if q.flag == "api-url" {
			if err := q.judge(address, c.env.LookupEnv); err != nil {
				return usage("--from-sandbox %w", err)
			}
		}
	}
	played, err := askSandbox(ctx, address)
	if err != nil {
		return err
	}
	folder := filepath.Join(filepath.Dir(full), "sluice-try")
	file := func(name string) string { return filepath.Join(folder, name) }
	answers := initAnswers{
		Name: "try", ID: played.ID, DataCenter: "com", Vendor: played.Vendor, Services: servicesText(played.Services),
		APIURL: address, AuthURL: address, Chat: address, ClientID: played.ClientID, Database: "file:" + file("database_url"),
		clientSecret: "file:" + file("client_secret"), refreshes: "file:" + file("refresh_token"),
	}
	if err := writeSecrets(folder, map[string]string{"client_secret": played.ClientSecret, "refresh_token": played.RefreshToken}); err != nil {
		return err
	}
	if err := writeConfig(path, answers, force); err != nil {
		return err
	}
	next := []string{"export SLUICE_ENCRYPTION_KEY_FILE=" + shellWord(file("sealing_key")), "sluice migrate", "sluice sync"}
	database := "The database is the one of sluice-sandbox postgres."
	if _, err := os.Stat(file("database_url")); errors.Is(err, fs.ErrNotExist) {
		database = "The database is missing: run sluice-sandbox postgres --dir " + shellWord(folder) + " in another terminal, and leave it running."
	}
	return c.show(initView{Config: path, Secrets: []string{answers.Database, answers.clientSecret, answers.refreshes}, Next: next},
		view.Line("%s is written, for the sandbox at %s, which has to run. The secrets are in %s.\n%s", path, address, folder, database),
		nextLines(next))
}

// servicesText writes services with their plans as the flag --services takes them.
func servicesText(plans map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(plans)) {
		parts = append(parts, name+"="+plans[name])
	}
	return strings.Join(parts, ",")
}

// askSandbox asks a sandbox for the organization that it plays first.
func askSandbox(ctx context.Context, address string) (playedOrganization, error) {
	const limit = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	fail := func(err error) (playedOrganization, error) {
		return playedOrganization{}, fmt.Errorf("no sandbox answers at %s (start it: sluice-sandbox serve): %w: %w", address, errEnvironment, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/_sandbox/organizations", http.NoBody)
	if err != nil {
		return fail(err)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	if err != nil {
		return fail(err)
	}
	defer func() { _ = response.Body.Close() }() // it was read
	var played []playedOrganization
	const maxBody = 1 << 20
	err = json.NewDecoder(http.MaxBytesReader(nil, response.Body, maxBody)).Decode(&played)
	if err == nil && (response.StatusCode != http.StatusOK || len(played) == 0 || len(played[0].Services) == 0) {
		err = fmt.Errorf("unexpected response with status %s", response.Status)
	}
	if err != nil {
		return fail(err)
	}
	return played[0], nil
}

// writeSecrets writes the secrets of a try, and a sealing key unless there is one: tokens in the
// database of an earlier try are sealed with it.
func writeSecrets(folder string, secrets map[string]string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return &exitError{code: codeEnvironment, err: fmt.Errorf("make the folder of the try: %w", err)}
	}
	const sealing = "sealing_key"
	if _, err := os.Lstat(filepath.Join(folder, sealing)); err != nil {
		key := make([]byte, keyBytes)
		if _, err := rand.Read(key); err != nil {
			return fmt.Errorf("make a key: %w", err)
		}
		secrets[sealing] = base64.StdEncoding.EncodeToString(key)
	}
	for name, value := range secrets {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(value+"\n"), 0o600); err != nil {
			return &exitError{code: codeEnvironment, err: fmt.Errorf("write the sandbox's secrets: %w", err)}
		}
	}
	return nil
}
