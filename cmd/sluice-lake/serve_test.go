package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/iceberg-go/catalog/rest"

	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/warehousetest"
)

const readersToken = "a token of the readers"

// serve starts the program, and returns the address of the catalog. It ends with the test, by a
// signal and without an error.
func (s *site) serve() string {
	s.Helper()
	cmd := exec.Command(os.Args[0], "serve", "--listen", "127.0.0.1:0", "--json", "--config", s.config)
	cmd.Env, cmd.Stderr = append(os.Environ(), "SLUICE_DATABASE_URL="+s.url, "SLUICE_LAKE_TOKEN="+readersToken, asProgram+"=1"), os.Stderr
	stdout := check.Sure(cmd.StdoutPipe())(s)
	check.Must(s, cmd.Start())
	s.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			s.Error(err)
		}
		err := cmd.Wait()
		check.ErrorIf(s, err != nil, "serve ended with %v", err)
	})
	var at struct {
		Address string `json:"address"`
	}
	check.Must(s, json.NewDecoder(bufio.NewReader(stdout)).Decode(&at))
	return at.Address
}

// command runs a command of the program that succeeds.
func (s *site) command(args ...string) {
	s.Helper()
	var out bytes.Buffer
	code := run(s.Context(), append(args, "--config", s.config), env{stdout: &out, stderr: &out, readFile: os.ReadFile, lookupEnv: s.variable})
	check.FatalIf(s, code != 0, "sluice-lake %v: exit code %d\n%s", args, code, out.String())
}

func (s *site) variable(name string) (string, bool) {
	return map[string]string{"SLUICE_DATABASE_URL": s.url}[name], name == "SLUICE_DATABASE_URL"
}

// TestReadersFindTables: Iceberg's own client, which knows nothing but an address and a token,
// finds all tables, and reads the rows of the last publication.
func TestReadersFindTables(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.currency("7")
	s.currency("8")
	s.command("publish")
	client := check.Sure(rest.NewCatalog(t.Context(), "any name", s.serve(), rest.WithOAuthToken(readersToken)))(t)
	namespaces, err := client.ListNamespaces(t.Context(), nil)
	want := [][]string{{"invoicing"}, {"sluice"}}
	check.ErrorIf(t, err != nil || !slices.EqualFunc(namespaces, want, slices.Equal), "namespaces are %v, %v, want %v", namespaces, err, want)
	below, err := client.ListNamespaces(t.Context(), []string{"invoicing"})
	check.ErrorIf(t, err != nil || len(below) != 0, "below invoicing are %v, %v", below, err)
	var tables []string
	for table, err := range client.ListTables(t.Context(), []string{"invoicing"}) {
		check.Must(t, err)
		tables = append(tables, strings.Join(table, "."))
	}
	check.ErrorIf(t, !slices.Equal(tables, []string{"invoicing.currencies"}), "tables are %v", tables)
	for name, want := range map[string]bool{"invoicing": true, "inventory": false} {
		if is, err := client.CheckNamespaceExists(t.Context(), []string{name}); err != nil || is != want {
			t.Errorf("namespace %s: %t, %v", name, is, err)
		}
		if is, err := client.CheckTableExists(t.Context(), []string{name, "currencies"}); err != nil || is != want {
			t.Errorf("table %s.currencies: %t, %v", name, is, err)
		}
	}
	ids := func() []string {
		t.Helper()
		table := check.Sure(client.LoadTable(t.Context(), []string{"invoicing", "currencies"}))(t)
		rows := check.Sure(table.Scan().ToArrowTable(t.Context()))(t)
		var found []string
		for _, chunk := range rows.Column(rows.Schema().FieldIndices("currency_id")[0]).Data().Chunks() {
			for i := range chunk.Len() {
				found = append(found, chunk.ValueStr(i))
			}
		}
		slices.Sort(found)
		return found
	}
	got := ids()
	check.ErrorIf(t, !slices.Equal(got, []string{"7", "8"}), "the rows are %v", got)
	s.currency("9")
	s.command("publish")
	got = ids()
	check.ErrorIf(t, !slices.Equal(got, []string{"7", "8", "9"}), "after another publication the rows are %v", got)
	if _, err := client.LoadTable(t.Context(), []string{"invoicing", "nothing"}); err == nil || !strings.Contains(err.Error(), "no table") {
		t.Errorf("a table that is not there: %v", err)
	}
}

// TestReadersOnlyRead: without the token there is no answer, and with it nothing changes.
func TestReadersOnlyRead(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.currency("7")
	s.command("publish")
	address := s.serve()
	client := &http.Client{Timeout: time.Minute}
	const table = "/v1/namespaces/invoicing/tables/currencies"
	ask := func(method, path, token string) (int, string, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, address+path, strings.NewReader(`{"requirements":[],"updates":[]}`))
		check.Must(t, err)
		if token != "" {
			request.Header.Set("Authorization", token)
		}
		response, err := client.Do(request)
		check.Must(t, err)
		body, err := io.ReadAll(response.Body)
		if err != nil || response.Body.Close() != nil {
			t.Fatal(err)
		}
		var failed struct {
			Error struct {
				Type string `json:"type"`
				Code int    `json:"code"`
			} `json:"error"`
		}
		err = json.Unmarshal(body, &failed)
		check.ErrorIf(t, len(body) > 0 && err != nil, "%s %s is answered with %q", method, path, body)
		if failed.Error.Code != 0 && failed.Error.Code != response.StatusCode {
			t.Errorf("%s %s: status %d, and in the body %d", method, path, response.StatusCode, failed.Error.Code)
		}
		return response.StatusCode, failed.Error.Type, string(body)
	}
	for _, path := range []string{"/v1/config", "/v1/namespaces", table, "/anything"} {
		for _, token := range []string{"", "Bearer", "Bearer ", "Bearer another token of theirs", "Bearer " + readersToken + "x", readersToken, "Basic " + readersToken} {
			status, kind, _ := ask(http.MethodGet, path, token)
			check.ErrorIf(t, status != http.StatusUnauthorized || kind != "NotAuthorizedException", "%s with %q: %d %s", path, token, status, kind)
		}
	}
	const shown = "bearer " + readersToken // the name of the scheme may be in small letters
	status, _, _ := ask(http.MethodGet, table, shown)
	check.ErrorIf(t, status != http.StatusOK, "with the token: %d", status)
	for _, request := range []string{
		"POST " + table, "DELETE " + table, "POST /v1/namespaces", "DELETE /v1/namespaces/invoicing", "POST /v1/namespaces/invoicing/tables",
		"POST /v1/namespaces/invoicing/register", "POST /v1/transactions/commit", "POST /v1/tables/rename", "GET /v1/namespaces/invoicing/views",
		"PUT " + table, "POST /v1/oauth/tokens", "GET " + table + "/credentials",
	} {
		method, path, _ := strings.Cut(request, " ")
		status, kind, _ := ask(method, path, shown)
		check.ErrorIf(t, status != http.StatusNotAcceptable || kind != "UnsupportedOperationException", "%s: %d %s", request, status, kind)
	}
	for path, want := range map[string]string{
		"/v1/namespaces/inventory": "NoSuchNamespaceException", "/v1/namespaces/inventory/tables": "NoSuchNamespaceException",
		"/v1/namespaces?parent=inventory": "NoSuchNamespaceException", "/v1/namespaces/invoicing/tables/..%2Fcurrencies": "NoSuchTableException",
		"/v1/namespaces/invoicing%1Fcurrencies": "NoSuchNamespaceException", "/v1/namespaces/invoicing/tables/';%20DROP": "NoSuchTableException",
	} {
		status, kind, _ := ask(http.MethodGet, path, shown)
		check.ErrorIf(t, status != http.StatusNotFound || kind != want, "%s: %d %s, want %s", path, status, kind, want)
	}
	// What failed is in the log of the program; a reader learns only that it did.
	metadata, err := filepath.Glob(s.lake + "/invoicing/currencies-*/metadata/*.metadata.json")
	if err != nil || len(metadata) == 0 {
		t.Fatal(metadata, err)
	}
	for _, file := range metadata {
		check.Must(t, os.Remove(file))
	}
	if status, kind, body := ask(http.MethodGet, table, shown); status != http.StatusInternalServerError || kind != "InternalServerError" || strings.Contains(body, s.lake) {
		t.Errorf("a file that is missing: %d %s", status, body)
	}
}

// TestServingNeedsFewRights: a role that may read the catalog, and of the warehouse only which
// version it has, serves.
func TestServingNeedsFewRights(t *testing.T) {
	t.Parallel()
	roles := warehousetest.OwnRoles(t)
	s := &site{TB: t, url: roles.URL, lake: t.TempDir(), config: filepath.Join(t.TempDir(), "config.yaml")}
	s.configure("lake: {warehouse: " + s.lake + "}\n")
	check.Must(t, migrations.Migrate(t.Context(), roles.URL, migrations.Options{}))
	s.currency("7")
	s.command("publish")
	roles.Administers(
		"CREATE ROLE catalog_@ LOGIN PASSWORD 'catalog'", "GRANT USAGE ON SCHEMA lake, sluice, river TO catalog_@",
		"GRANT SELECT ON ALL TABLES IN SCHEMA lake TO catalog_@", "GRANT SELECT ON sluice.schema_version, sluice.floor, river.river_migration TO catalog_@",
	)
	address := check.Sure(url.Parse(roles.URL))(t)
	address.User = url.UserPassword("catalog_"+roles.Suffix, "catalog")
	s.url = address.String()
	client := check.Sure(rest.NewCatalog(t.Context(), "sluice", s.serve(), rest.WithOAuthToken(readersToken)))(t)
	if _, err := client.LoadTable(t.Context(), []string{"invoicing", "currencies"}); err != nil {
		t.Error(err)
	}
}

// TestServingIsRefused: what would be open to all is refused before anything listens.
func TestServingIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for token, words := range map[string]string{"": "other machines reach 0.0.0.0:0", "short": "at least 16 characters"} {
		var out bytes.Buffer
		code := run(t.Context(), []string{"serve", "--listen", "0.0.0.0:0", "--config", s.config}, env{
			stdout: &out, stderr: &out, readFile: os.ReadFile,
			lookupEnv: func(name string) (string, bool) {
				if name == "SLUICE_LAKE_TOKEN" {
					return token, token != ""
				}
				return s.variable(name)
			},
		})
		check.ErrorIf(t, code != 2 || !strings.Contains(out.String(), words), "with the token %q: exit code %d\n%s", token, code, out.String())
	}
}
