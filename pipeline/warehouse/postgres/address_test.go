package postgres_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sluice/pipeline/warehouse/postgres"
)

func TestCheckAddress(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(t.TempDir(), "good.pem")
	if err := os.WriteFile(good, []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"postgres://u:canary@db/w":                                                                   "",
		"postgres://u:canary@db/w?sslmode=bogus":                                                     "sslmode",
		"host=db user=u password=canary sslmode='bogus'":                                             "sslmode",
		"postgres://u:canary@db/w?sslmode=verify-full&sslrootcert=/no/such.pem":                      "sslrootcert cannot be read: no such file",
		"postgres://u:canary@db/w?sslmode=verify-full&sslrootcert=" + empty:                          "sslrootcert",
		"postgres://u:canary@db/w?sslmode=verify-full&sslcert=/no&sslkey=/no.k":                      "sslcert",
		"postgres://u:canary@db/w?pool_max_conns=abc":                                                "pool_",
		"postgres://u:canary@db:port/w?sslrootcert=" + good:                                          "postgres://user@host",
		"postgres://u:canary@db/w?sslrootcert=" + good + "&sslcert=" + good + "&sslkey=/no/such.key": "sslkey cannot be read",
		"postgres://u:canary@db:port/w":                                                              "postgres://user@host",
	} {
		err := postgres.CheckAddress(address)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", address, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", address, err, want)
		case err != nil && strings.Contains(err.Error(), "canary"):
			t.Errorf("the password is shown: %v", err)
		}
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"postgres://u:can%41ry@db/w", "postgres://u@db/w?password=can%41ry", "host=db user=u password=canAry", "host=db password = 'canAry'",
		"postgres://u:can%41ry@db/w?sslmode=bogus", "host=db password=canAry sslmode=bogus", "postgres://u@db/w?sslpassword=canAry&sslkey=/no",
	} {
		if got := postgres.Passwords(address); !slices.Contains(got, "canAry") {
			t.Errorf("%s: %q", address, got)
		}
	}
}

func TestPasswordsOfTheEnvironment(t *testing.T) { //nolint:paralleltest // the environment belongs to the process
	t.Setenv("PGPASSWORD", "canary")
	if got := postgres.Passwords("postgres://u@db/w"); !slices.Contains(got, "canary") {
		t.Errorf("%q", got)
	}
}
