package engine

import (
	"context"
	"fmt"

	"sluice/pipeline/warehouse/places"
	"sluice/schema"
)

// Search says where Find searches.
type Search struct {
	// Organization and Resource are names as on a command line, "" for all.
	Organization, Resource string
	// Limit bounds the records that are listed for each resource of each organization.
	Limit int
	// Progress is told before each table; nil if there is no interest.
	Progress func(done, all int, table string)
}

// Find returns the places of the warehouse in which a text stands.
func (a *App) Find(ctx context.Context, text *places.Needle, in Search) (places.Found, error) {
	organization, err := a.OrganizationKey(in.Organization)
	if err != nil {
		return places.Found{}, err
	}
	query := places.Query{Needle: text, Organization: organization, Limit: in.Limit, Progress: in.Progress}
	for s := range a.Catalogue {
		service := &a.Catalogue[s]
		for r := range service.Resources {
			query.Lists = append(query.Lists, searchedList(service, &service.Resources[r]))
		}
	}
	if in.Resource != "" {
		streams, err := a.Declared(in.Resource)
		if err != nil {
			return places.Found{}, err
		}
		list := searchedList(streams[0].Service, streams[0].Resource)
		query.List = &list
	}
	found, err := places.Find(ctx, a.DB.Sessions(), query)
	if err != nil {
		return found, fmt.Errorf("find: %w", err)
	}
	return found, nil
}

// searchedList is a list as package places knows it. Where identifiers are unique under one parent
// only, that of a raw record does not name a record.
func searchedList(service *schema.Service, r *schema.Resource) places.List {
	list := places.List{Service: service.Name, Name: r.Name, Schema: r.SchemaName(service), Key: r.ID}
	if cursor, under := r.Cursor.(schema.PerParent); under && cursor.Identifier != "" {
		list.Key = ""
	}
	return list
}
