package postgres_test

import (
	"testing"

	"sluice/pipeline/warehouse/postgres"
)

func TestExposed(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"postgres://u@127.0.0.1/w":                                              "",
		"postgres://u@127.8.0.1/w?sslmode=disable":                              "",
		"postgres://u@[::1]/w":                                                  "",
		"postgres://u@localhost/w":                                              "",
		"postgres://u@LocalHost/w":                                              "",
		"postgres:///w?host=/run/postgresql":                                    "",
		"host=/run/postgresql user=u":                                           "",
		"postgres://u@db.example.com/w?sslmode=verify-full":                     "",
		"host=db.example.com user=u sslmode=verify-full":                        "",
		"postgres://u@a.example.com,b.example.com/w?sslmode=verify-full":        "",
		"postgres://u@db.example.com/w":                                         "db.example.com",
		"host=db.example.com user=u":                                            "db.example.com",
		"host='db.example.com' user=u sslmode='require'":                        "db.example.com",
		"postgres:///w?host=db.example.com":                                     "db.example.com",
		"postgres://u@db.example.com/w?sslmode=disable":                         "db.example.com",
		"postgres://u@db.example.com/w?sslmode=allow":                           "db.example.com",
		"postgres://u@db.example.com/w?sslmode=prefer":                          "db.example.com",
		"postgres://u@db.example.com/w?sslmode=require":                         "db.example.com",
		"postgres://u@10.0.0.1/w?sslmode=verify-ca":                             "10.0.0.1",
		"postgres://u@[2001:db8::1]/w":                                          "2001:db8::1",
		"postgres://u@0.0.0.0/w":                                                "0.0.0.0",
		"postgres://u@localhost.example.com/w":                                  "localhost.example.com",
		"postgres://u@localhost,db.example.com/w":                               "db.example.com",
		"postgres://u@127.0.0.1:5432,10.0.0.2:5433/w":                           "10.0.0.2",
		"postgres:///w?host=/run/postgresql,10.0.0.3&port=5432,5432":            "10.0.0.3",
		"host=localhost,db.example.com user=u sslmode=require":                  "db.example.com",
		"postgres://u:p@no such address":                                        "",
		"postgres:///w?host=/run/postgresql,db.example.com&sslmode=verify-full": "",
	} {
		if got := postgres.Exposed(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

func TestExposedByTheEnvironment(t *testing.T) {
	t.Setenv("PGHOST", "db.example.com")
	for _, c := range []struct{ mode, address, want string }{
		{"", "postgres:///w", "db.example.com"},
		{"require", "postgres:///w", "db.example.com"},
		{"verify-full", "postgres:///w", ""},
		{"verify-full", "postgres:///w?sslmode=prefer", "db.example.com"},
		{"verify-full", "postgres://other.example.com/w", ""},
		{"", "postgres://localhost/w", ""},
		{"disable", "postgres://other.example.com/w?sslmode=verify-full", ""},
	} {
		t.Setenv("PGSSLMODE", c.mode)
		if got := postgres.Exposed(c.address); got != c.want {
			t.Errorf("PGSSLMODE=%s, %s: %q, want %q", c.mode, c.address, got, c.want)
		}
	}
}
