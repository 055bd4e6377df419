package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/lineage/rebuild"
	"sluice/pipeline/sync"
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

// TextErased is what became of a text.
type TextErased struct {
	erasures.Receipt

	// Earlier is the number of an erasure of the text whose values runs leave out; 0 if there is
	// none.
	Earlier int64 `json:"earlier"`
	// Rewritten are the rows that were made anew out of their raw records without the text. Waiting
	// says of which lists rows could not be yet, and why.
	Rewritten int      `json:"rewritten"`
	Waiting   []string `json:"waiting,omitempty"`
}

// EraseText takes a text out of all that an organization has here, and out of records that are
// loaded later. Then it makes the rows anew that held it, so that their hashes fit. A dry run
// counts and writes nothing. If the text stands nowhere, it returns erasures.ErrNothing.
func (a *App) EraseText(ctx context.Context, subject *erasures.TextSubject, dry bool) (TextErased, error) {
	var result TextErased
	var err error
	if result.Earlier, err = erasures.EarlierText(ctx, a.DB.Pool(), subject.Organization, subject.Text); err != nil {
		return result, fmt.Errorf("erase: %w", err)
	}
	result.Receipt, err = erasures.EraseText(ctx, a.DB.Sessions(), subject, dry)
	if err != nil && !errors.Is(err, erasures.ErrNothing) {
		return result, fmt.Errorf("erase: %w", err)
	}
	if !dry { // one that was killed may have left rows to make anew
		if rebuilt := a.renewErased(ctx, subject.Organization, &result); rebuilt != nil {
			return result, fmt.Errorf("erase: %w", rebuilt)
		}
	}
	return result, err
}

// busyTries is how often the rows of a list are tried that a run is writing to, busyPause the time
// between two tries.
const (
	busyTries = 20
	busyPause = time.Second
)

// renewErased makes the rows anew in which texts were replaced.
func (a *App) renewErased(ctx context.Context, organization string, result *TextErased) error {
	rewritten, err := erasures.Rewritten(ctx, a.DB.Pool(), organization)
	if err != nil {
		return err
	}
	for _, stream := range a.Streams() {
		tables := slices.DeleteFunc(tablesOf(stream), func(name string) bool { return !slices.Contains(rewritten, name) })
		if stream.Organization != organization || stream.Work != pipeline.WorkList || len(tables) == 0 {
			continue
		}
		counts, err := a.Rebuild(ctx, stream, rebuild.Changed, false, nil)
		for tries := 1; tries < busyTries && (errors.Is(err, ErrBusy) || errors.Is(err, pipeline.ErrLostClaim)) && wait(ctx, busyPause) == nil; tries++ {
			counts, err = a.Rebuild(ctx, stream, rebuild.Changed, false, nil)
		}
		if err == nil {
			err = erasures.Rebuilt(ctx, a.DB.Pool(), organization, tables)
		}
		if err != nil {
			result.Waiting = append(result.Waiting, fmt.Sprintf("%s: %s", resourceName(stream), err))
			continue
		}
		result.Rewritten += counts.Rewritten
	}
	return nil
}

// tablesOf names the tables of a stream's resource.
func tablesOf(stream pipeline.Stream) []string {
	var names []string
	for _, table := range stream.Resource.Tables() {
		names = append(names, stream.Resource.SchemaName(stream.Service)+"."+table.Name)
	}
	return names
}

// masking returns a source whose records lack the values that were erased, as those of runs do.
func (a *App) masking(ctx context.Context, source sync.Source, streams []pipeline.Stream) (sync.Source, error) {
	masks := map[string]func([]byte) []byte{}
	for _, stream := range streams {
		if _, known := masks[stream.Organization]; known {
			continue
		}
		masked, err := a.DB.Masked(ctx, stream.Organization)
		if err != nil {
			return nil, err
		}
		masks[stream.Organization] = masked
	}
	return sync.Masking(source, func(organization string) func([]byte) []byte { return masks[organization] }), nil
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
