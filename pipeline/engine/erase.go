package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/erasures"
	"sluice/pipeline/warehouse/places"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema"
	"sluice/schema/record"
)

// EraseRecord erases a record of an organization, wherever a copy of it stands, and refuses it from
// then on. Name is a name of its resource, id its key in the warehouse, note what the receipt is to
// say. A dry run writes nothing. If nothing of it stands anywhere, it returns erasures.ErrNothing.
func (a *App) EraseRecord(ctx context.Context, name, id, organization, note string, dry bool) (erasures.Receipt, error) {
	stream, err := a.list(name, organization)
	if err != nil {
		return erasures.Receipt{}, err
	}
	is, err := recognizer(stream, id)
	if err != nil {
		return erasures.Receipt{}, fmt.Errorf("erase: %w", err)
	}
	receipt, err := a.DB.Erase(ctx, &erasures.Subject{Stream: stream, Record: id, Is: is, Note: note}, dry)
	return receipt, postgres.Fail("erase", err)
}

// Erasure returns the number of the erasure because of which a record is refused; 0 if it is not.
func (a *App) Erasure(ctx context.Context, name, id, organization string) (int64, error) {
	stream, err := a.list(name, organization)
	if err != nil {
		return 0, err
	}
	number, err := erasures.Earlier(ctx, a.DB.Pool(), stream.ListKey(), id)
	return number, postgres.Fail("erase", err)
}

// AllowErased lets an erased record be loaded again, and says whether it was refused.
func (a *App) AllowErased(ctx context.Context, name, id, organization string) (bool, error) {
	stream, err := a.list(name, organization)
	if err != nil {
		return false, err
	}
	was, err := erasures.Allow(ctx, a.DB.Pool(), stream.ListKey(), id)
	return was, postgres.Fail("erase", err)
}

// list returns the list of an organization that brings a resource.
func (a *App) list(name, organization string) (pipeline.Stream, error) {
	streams, err := a.Declared(name)
	if err != nil {
		return pipeline.Stream{}, err
	}
	for _, stream := range streams {
		if stream.Organization == organization {
			return stream, nil
		}
	}
	return pipeline.Stream{}, fmt.Errorf("%w: organization %s has no %s in the configuration", ErrUsage, organization, name)
}

// recognizer returns what tells raw records of a record from others of its resource. A raw record
// that does not fit the declaration is recognized by its identifier as long as that can be read.
func recognizer(stream pipeline.Stream, id string) (func(raw []byte) bool, error) {
	if cursor, ok := stream.Resource.Cursor.(schema.PerParent); ok && cursor.Identifier != "" {
		own := id[strings.LastIndexByte(id, '/')+1:]
		return func(raw []byte) bool { // the key is qualified by the parent, which the raw record lacks
			var keys map[string]json.RawMessage
			var text string
			return json.Unmarshal(raw, &keys) == nil && (string(keys[cursor.Identifier]) == own ||
				json.Unmarshal(keys[cursor.Identifier], &text) == nil && text == own)
		}, nil
	}
	normalizer, err := record.New(stream.Resource, stream.Org.Zone())
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", stream, err)
	}
	return func(raw []byte) bool {
		found, err := normalizer.Record(raw)
		if misfit, ok := errors.AsType[*record.RejectedError](err); ok {
			return misfit.ID == id
		}
		return err == nil && found.ID == id
	}, nil
}

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
	for service, resource := range schema.Each(a.Catalogue) {
		query.Lists = append(query.Lists, searchedList(service, resource))
	}
	if in.Resource != "" {
		streams, err := a.Declared(in.Resource)
		if err != nil {
			return places.Found{}, err
		}
		list := searchedList(streams[0].Service, streams[0].Resource)
		query.List = &list
	}
	found, err := places.Find(ctx, a.DB.Pool(), query)
	return found, postgres.Fail("find", err)
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
