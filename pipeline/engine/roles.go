package engine

import (
	"context"
	"net/url"

	"sluice/pipeline/warehouse/roles"
)

// Roles makes the roles of the database whose names begin with a prefix, and grants what they lack.
// It returns the statements that it executed; with plan it executes none. From then on migrations
// work as the owner of the tables. It is called before and after Migrate.
func (a *App) Roles(ctx context.Context, prefix string, plan bool) (roles.Done, error) {
	if a.deployer == "" {
		a.deployer = a.URL
	}
	done, err := roles.Apply(ctx, a.deployer, roles.Standard(prefix), plan)
	if err == nil && !plan {
		a.URL = asRole(a.deployer, done.Owner)
	}
	return done, err
}

// asRole makes the sessions of an address act as a role.
func asRole(address, role string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return address
	}
	query := parsed.Query()
	query.Set("role", role)
	parsed.RawQuery = query.Encode()
	return parsed.String()
}
