package engine

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"sluice/pipeline/warehouse/readers"
	"sluice/pipeline/warehouse/roles"
)

// AllowReader lets a role see the rows of organizations in the views, and returns the organizations
// that it sees now. An organization is one of the configuration, by name, key or id, one of the
// warehouse, by key, or readers.All.
func (a *App) AllowReader(ctx context.Context, role string, organizations []string) ([]string, error) {
	keys := make([]string, 0, len(organizations))
	for _, named := range organizations {
		key, err := a.keyForReaders(named)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	seen, err := readers.Allow(ctx, a.DB.Pool(), role, keys)
	if errors.Is(err, readers.ErrNoRole) {
		return nil, fmt.Errorf("%w: %w: make it first, CREATE ROLE … LOGIN PASSWORD …", ErrUsage, err)
	}
	return seen, err
}

// Denied is what became of a denial: the keys of the organizations, and of those that the role sees
// still.
type Denied struct{ Organizations, Seen []string }

// InVain says that the role sees one of the organizations still: because all are allowed for it, or
// by a role that it is a member of.
func (d Denied) InVain() bool {
	return slices.ContainsFunc(d.Organizations, func(key string) bool {
		return slices.Contains(d.Seen, key) || slices.Contains(d.Seen, readers.All) || key == readers.All && len(d.Seen) > 0
	})
}

// DenyReader takes the rows of organizations from a role. An organization that is gone is named by
// its key.
func (a *App) DenyReader(ctx context.Context, role string, organizations []string) (Denied, error) {
	var denied Denied
	for _, named := range organizations {
		key, err := a.keyForReaders(named)
		if err != nil {
			key = named
		}
		denied.Organizations = append(denied.Organizations, key)
	}
	var err error
	denied.Seen, err = readers.Deny(ctx, a.DB.Pool(), role, denied.Organizations)
	return denied, err
}

func (a *App) keyForReaders(named string) (string, error) {
	if named == "" {
		return "", fmt.Errorf("%w: an organization without a name: '%s' stands for all", ErrUsage, readers.All)
	}
	if named == readers.All || a.Organization(named) != nil {
		return named, nil
	}
	return a.OrganizationKey(named)
}

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
