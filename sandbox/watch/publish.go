package watch

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"sluice/sandbox/watch/channel"
	"sluice/sandbox/watch/delivery"
)

// Event is an operation on records of one module.
type Event struct {
	Module    string // its API name
	Operation channel.Operation
	Records   []Record
	// Related says that the operation concerned records associated with these.
	Related bool
}

// Record is one record concerned, with the changed fields and their new values, in JSON.
type Record struct {
	ID     string
	Fields map[string]json.RawMessage
}

// callback is the body of a callback (docs/upstream.md U279). A token that was not given is null
// (U133).
type callback struct {
	ServerTime  int64             `json:"server_time"`
	QueryParams map[string]string `json:"query_params"`
	Module      string            `json:"module"`
	ResourceURI string            `json:"resource_uri"`
	IDs         []string          `json:"ids"`
	Operation   string            `json:"operation"`
	ChannelID   string            `json:"channel_id"`
	Token       *string           `json:"token"`
}

// documented is a callback as docs/upstream.md U279 describes it. affected_fields has the changed
// fields of one record after the other, with values if the channel asked for them.
type documented struct {
	callback

	AffectedFields []map[string]json.RawMessage `json:"affected_fields"`
}

// seen is a callback as live services send it (docs/upstream.md U285): affected_fields has names by
// record id, affected_values the values.
type seen struct {
	callback

	AffectedFields []map[string][]string `json:"affected_fields"`
	AffectedValues []values              `json:"affected_values,omitempty"`
}

type values struct {
	RecordID string                     `json:"record_id"`
	Values   map[string]json.RawMessage `json:"values"`
}

// Publish queues a callback to every living channel that wants the event, and returns the number of
// those channels. Each callback names BatchIDs records at most. It fails, and queues nothing, if a
// value is invalid JSON.
func (s *Server) Publish(happened Event) (int, error) {
	happened.Records = slices.Clone(happened.Records)
	for n, record := range happened.Records {
		for name, value := range record.Fields {
			if !json.Valid(value) {
				return 0, fmt.Errorf("watch: %s %s: the value of field %s is no JSON", happened.Module, record.ID, name)
			}
		}
		happened.Records[n].Fields = maps.Clone(record.Fields) // callbacks are written later
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events++
	now := s.options.Now()
	var callbacks []delivery.Callback
	for _, c := range s.channels {
		if !now.Before(c.Expires) || !c.Wants(happened.Module, happened.Operation) || (happened.Related && !c.Related) {
			continue
		}
		for batch := range slices.Chunk(c.concerned(happened), s.options.BatchIDs) {
			if c.silent {
				s.silent++
				continue
			}
			callbacks = append(callbacks, s.callback(c, happened, batch))
		}
	}
	s.Add(callbacks...)
	return len(callbacks), nil
}

// concerned returns the records that pass the channel's condition.
func (c subscribed) concerned(happened Event) []Record {
	var records []Record
	for _, record := range happened.Records {
		changed := func(field string) bool { _, found := record.Fields[field]; return found }
		if c.Selects(happened.Module, changed) {
			records = append(records, record)
		}
	}
	return records
}

// callback returns one callback, in the form that is switched on.
func (s *Server) callback(c subscribed, happened Event, records []Record) delivery.Callback {
	live := !s.habits.Documented
	common := callback{
		QueryParams: parameters(c.NotifyURL), Module: happened.Module, ResourceURI: c.base + happened.Module,
		Operation: word(happened.Operation, live), ChannelID: strconv.FormatInt(c.ID, 10), Token: c.Token,
	}
	for _, record := range records {
		common.IDs = append(common.IDs, record.ID)
	}
	return delivery.Callback{Address: c.NotifyURL, Body: func(sent time.Time) ([]byte, error) {
		common.ServerTime = sent.UnixMilli()
		if live {
			return json.Marshal(asSeen(common, records, c.Values))
		}
		return json.Marshal(inDocument(common, records, c.Values))
	}}
}

func inDocument(common callback, records []Record, wanted bool) documented {
	body := documented{callback: common, AffectedFields: []map[string]json.RawMessage{}}
	for _, record := range records {
		if wanted && len(record.Fields) > 0 {
			body.AffectedFields = append(body.AffectedFields, record.Fields)
		}
	}
	return body
}

func asSeen(common callback, records []Record, wanted bool) seen {
	body := seen{callback: common, AffectedFields: []map[string][]string{}}
	for _, record := range records {
		if len(record.Fields) == 0 {
			continue
		}
		names := slices.Sorted(maps.Keys(record.Fields))
		body.AffectedFields = append(body.AffectedFields, map[string][]string{record.ID: names})
		if wanted {
			body.AffectedValues = append(body.AffectedValues, values{record.ID, record.Fields})
		}
	}
	return body
}

// word returns the name of an operation in callbacks. The document has insert for a creation
// (docs/upstream.md U280) and no words for the others; live services say update and delete.
func word(operation channel.Operation, live bool) string {
	switch {
	case operation == channel.Create:
		return "insert"
	case operation == channel.Edit && live:
		return "update"
	default:
		return string(operation)
	}
}

// parameters returns the query parameters of notify_url; of repeated ones the first.
func parameters(address string) map[string]string {
	parameters := make(map[string]string)
	parsed, err := url.Parse(address)
	if err != nil { // it was checked when the channel was enabled
		return parameters
	}
	for name, given := range parsed.Query() {
		parameters[name] = given[0]
	}
	return parameters
}
