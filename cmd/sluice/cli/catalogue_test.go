package cli

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"sluice/connectors"
	"sluice/pipeline/engine/config"
	"sluice/schema"
	"sluice/schema/custom"
)

// TestEntriesDeclareTheSame: what "sluice resources catalogue NAME" prints declares the same list, once it is
// pasted into the configuration. Only that its parts are assumed is not said there.
func TestEntriesDeclareTheSame(t *testing.T) {
	t.Parallel()
	for _, service := range connectors.All() {
		for i := range service.Further {
			want := service.Further[i]
			t.Run(want.Name, func(t *testing.T) {
				t.Parallel()
				var out, errs bytes.Buffer
				if code := Main(t.Context(), []string{"resources", "catalogue", want.Name}, Env{
					Stdout: &out, Stderr: &errs, LookupEnv: func(string) (string, bool) { return "", false },
					ReadFile: os.ReadFile, Now: time.Now,
				}); code != codeFine {
					t.Fatalf("exit code %d: %s", code, errs.String())
				}
				path := filepath.Join(t.TempDir(), "config.yaml")
				must(t, os.WriteFile(path, []byte(furtherHead+out.String()), 0o600))
				loaded, err := config.Load(path, func(string) (string, bool) { return "postgres://home/warehouse", true }, os.ReadFile, connectors.All(), config.ForOffline)
				must(t, err)
				at := slices.IndexFunc(loaded.Services, func(s schema.Service) bool { return s.Name == service.Name })
				resources := loaded.Services[at].Resources
				at = slices.IndexFunc(resources, func(r schema.Resource) bool { return r.Name == want.Name && r.Schema == custom.Schema })
				if at < 0 {
					t.Fatal("the list is not declared")
				}
				if diff := gocmp.Diff(sayable(want), sayable(resources[at])); diff != "" {
					t.Errorf("-ready-made +pasted\n%s\n%s", diff, out.String())
				}
			})
		}
	}
}

const furtherHead = `database: {url: "${URL}"}
vendor: {api_url: "https://www.example.com", chat_url: "https://chat.example.com", auth_url: "https://accounts.example.com"}
organizations:
  - name: north
    id: "1"
    credentials: {client_id: 1000.NORTH, client_secret: "${SECRET}", refresh_token: "${TOKEN}"}
    services:
      accounting: {plan: standard}
`

// sayable leaves out what an entry cannot say.
func sayable(r schema.Resource) schema.Resource {
	every, _ := time.ParseDuration(r.Every)
	r.Every, r.Assumed = every.String(), nil
	r.Columns = named(r.Columns)
	r.Children = slices.Clone(r.Children)
	for i := range r.Children {
		r.Children[i].Columns = named(r.Children[i].Columns)
	}
	return r
}

func named(columns []schema.Column) []schema.Column {
	columns = slices.Clone(columns)
	for i := range columns {
		columns[i].Assumed = false
		columns[i].Name = cmp.Or(columns[i].Name, columns[i].Wire)
	}
	return columns
}
