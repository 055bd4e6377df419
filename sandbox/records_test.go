package sandbox_test

import (
	"encoding/csv"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox"
	"sluice/sandbox/witness"
)

func keysOf[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// compareKeys compares the keys of a served value with the witness's: an object has the same keys,
// the objects of an array those of the sample's first element. It skips values where the service
// writes "" or [] for an absent array or object. It notes each nested object by path.
func compareKeys(t *testing.T, path string, sample, served json.RawMessage, met map[string]bool) {
	t.Helper()
	var sampleArray, servedArray []json.RawMessage
	if json.Unmarshal(sample, &sampleArray) == nil {
		if json.Unmarshal(served, &servedArray) == nil && len(sampleArray) > 0 {
			for _, element := range servedArray {
				compareKeys(t, path+"[]", sampleArray[0], element, met)
			}
		} else if len(servedArray) > 0 {
			t.Errorf("%s: elements served that no document shows: %s", path, served)
		}
		return
	}
	var sampleObject, servedObject object
	if json.Unmarshal(sample, &sampleObject) != nil || json.Unmarshal(served, &servedObject) != nil {
		return
	}
	met[path] = true
	if diff := cmp.Diff(keysOf(sampleObject), keysOf(servedObject)); diff != "" {
		t.Errorf("%s: keys differ (-witness +served):\n%s", path, diff)
		return
	}
	for name := range sampleObject {
		compareKeys(t, path+"."+name, sampleObject[name], servedObject[name], met)
	}
}

// nested notes the paths of objects with keys in a sample.
func nested(path string, sample json.RawMessage, into map[string]bool) {
	var array []json.RawMessage
	var fields object
	if json.Unmarshal(sample, &array) == nil {
		if len(array) > 0 {
			nested(path+"[]", array[0], into)
		}
	} else if json.Unmarshal(sample, &fields) == nil && fields != nil {
		into[path] = true
		for name, value := range fields {
			nested(path+"."+name, value, into)
		}
	}
}

func TestServedKeysAreTheWitness(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Seed: 7, Records: 1000, Limits: off()})
	for _, l := range listings() {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			sample := sure(witness.Load(l.service, l.name))(t)
			equal(t, sample.Key, l.key, "witness key")
			met, want := map[string]bool{}, map[string]bool{}
			for record := range u.Truth(l.service, l.name) {
				compareKeys(t, l.name, sample.Record, record, met)
				if t.Failed() {
					return
				}
			}
			nested(l.name, sample.Record, want)
			equal(t, keysOf(met), keysOf(want), "objects of the witness never served (-witness +served):\n")
		})
	}
}

func TestPagingCoversEachRecordOnce(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Seed: 3, Records: 1000, Limits: off()})
	for _, l := range listings() {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			truth := map[string]string{}
			for fields := range u.truths(t, l.service, l.name) {
				truth[text(t, fields[l.id])] = canonical(t, fields)
			}
			for _, per := range []string{"200", "37"} {
				listed := map[string]string{}
				for _, record := range u.all(t, l, "per_page", per) {
					id := text(t, record[l.id])
					_, twice := listed[id]
					fatalIf(t, twice, "record %s listed twice", id)
					listed[id] = canonical(t, record)
				}
				diff := cmp.Diff(truth, listed)
				fatalIf(t, diff != "", "per_page %s (-truth +listed):\n%.500s", per, diff)
			}
		})
	}
}

func canonical(t *testing.T, fields object) string {
	t.Helper()
	data := sure(json.Marshal(fields))(t)
	return string(data)
}

func TestExportIsTheTruth(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Seed: 3, Records: 3000})
	sample := sure(witness.Load("chat", "conversations"))(t)
	answer := u.serve(t, http.MethodGet, "/maintenanceapi/v2/chats?fields=chat_id,title,creation_time,last_modified_time,participant_count,total_message_count,creator_id", csvHeader())
	rows := sure(csv.NewReader(answer.Body).ReadAll())(t)
	columns := rows[0]
	exported := map[string]map[string]string{}
	for _, row := range rows[1:] {
		fields := map[string]string{}
		for n, name := range columns {
			fields[name] = row[n]
		}
		exported[fields["chat_id"]] = fields
	}
	truth := map[string]map[string]string{}
	awkward := 0
	for record := range u.Truth("chat", "conversations") {
		compareKeys(t, "chat", sample.Record, record, map[string]bool{})
		var fields map[string]string
		unmarshal(t, record, &fields)
		truth[fields["chat_id"]] = fields
		if strings.ContainsAny(fields["title"], "\n\",") {
			awkward++
		}
	}
	if diff := cmp.Diff(truth, exported); diff != "" || len(truth) != 600 || len(rows) != 601 {
		t.Errorf("%d rows, %d in truth (-truth +exported):\n%.500s", len(rows)-1, len(truth), diff)
	}
	errorIf(t, awkward == 0, "no title needs quoting")
}

func TestExportNeedsItsParameters(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 50, NoCSVHeader: true, Strict: true})
	for _, c := range []struct {
		target string
		header http.Header
		status int
	}{
		{"/maintenanceapi/v2/chats?fields=title", nil, http.StatusNotAcceptable},
		{"/maintenanceapi/v2/chats", csvHeader(), http.StatusBadRequest},
		{"/maintenanceapi/v2/chats?fields=title,colour", csvHeader(), http.StatusBadRequest},
		{"/maintenanceapi/v2/other?fields=title", csvHeader(), http.StatusNotFound},
		{"/maintenanceapi/v2/chats?fields=chat_id", csvHeader(), http.StatusOK},
	} {
		answer := u.serve(t, http.MethodGet, c.target, c.header)
		equal(t, answer.Code, c.status, c.target)
		if c.status == http.StatusOK && (strings.Contains(answer.Body.String(), "chat_id") || strings.Count(answer.Body.String(), "\r\n") != 10) {
			t.Errorf("export without header: %q", answer.Body)
		}
	}
}

func TestHeadersOnly(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 300, HeadersOnly: true, Limits: off()})
	kit := readPage(t, u.get(t, "/inventory/v1/compositeitems"), "composite_items").Records[0]
	var alone struct {
		Kit object `json:"composite_item"`
	}
	decode(t, u.get(t, "/inventory/v1/compositeitems/"+text(t, kit["composite_item_id"])), &alone)
	errorIf(t, kit["mapped_items"] != nil || alone.Kit["mapped_items"] == nil,
		"mapped items: listed %s, alone %s", kit["mapped_items"], alone.Kit["mapped_items"])
	for _, l := range listings() {
		listed := readPage(t, u.get(t, l.path), l.key).Records[0]
		var envelope, single object
		decode(t, u.get(t, l.path+"/"+text(t, listed[l.id])), &envelope)
		unmarshal(t, envelope[l.one], &single)
		for name, value := range listed {
			errorIf(t, l.name != "chart_of_accounts" && string(single[name]) != string(value),
				"%s: %s is %s in the list and %s alone", l.name, name, value, single[name])
		}
		wide := map[string]string{"bills": "line_items", "credit_notes": "line_items", "vendor_payments": "bills", "items": "locations"}[l.name]
		if wide != "" && (listed[wide] != nil || single[wide] == nil || listed["notes"] != nil || l.name == "items" && (listed["item_tax_preferences"] != nil || listed["custom_fields"] != nil)) {
			t.Errorf("%s: %s listed %s, alone %s", l.name, wide, listed[wide], single[wide])
		}
	}
}

// TestNewRefusesBadOptions: an option that makes no sense is named in the error, or at least refused.
func TestNewRefusesBadOptions(t *testing.T) {
	t.Parallel()
	type more = []sandbox.OrganizationOptions
	const books = sandbox.WorldBooks
	now := newClock().Now
	for name, c := range map[string]struct {
		options sandbox.Options
		names   string
	}{
		"no clock":                          {sandbox.Options{}, "Now"},
		"an unknown zone":                   {sandbox.Options{Now: now, TimeZone: "Nowhere/Land"}, "TimeZone"},
		"an unknown plan":                   {sandbox.Options{Now: now, Plan: "golden"}, "Plan"},
		"a network with a blank":            {sandbox.Options{Now: now, Networks: []string{"a b"}}, "Networks"},
		"a module twice":                    {sandbox.Options{Now: now, CustomModules: []string{"cm_a", "cm_a"}}, "CustomModules"},
		"an organization twice":             {sandbox.Options{Now: now, Organizations: more{{ID: org}}}, "Organizations"},
		"a data center with a slash":        {sandbox.Options{Now: now, Organizations: more{{ID: "1", DataCenter: "a/b"}}}, "data center"},
		"an organization on the moon":       {sandbox.Options{Now: now, Organizations: more{{ID: "1", TimeZone: "Moon/Base"}}}, "Moon"},
		"a negative page":                   {sandbox.Options{Now: now, ChatPage: -1}, "ChatPage"},
		"a rate of 2":                       {sandbox.Options{Now: now, Chaos: sandbox.Chaos{Reencode: 2}}, ""},
		"an unknown world":                  {sandbox.Options{Now: now, World: "novel"}, ""},
		"an unknown currency":               {sandbox.Options{Now: now, World: books, Base: "XYZ"}, ""},
		"one of another organization":       {sandbox.Options{Now: now, World: books, Organizations: more{{ID: "2", Base: "JPY"}}}, ""},
		"a currency without books":          {sandbox.Options{Now: now, Base: "EUR"}, ""},
		"a planted change without books":    {sandbox.Options{Now: now, Plant: []string{"difference"}}, ""},
		"an unknown planted change in them": {sandbox.Options{Now: now, World: books, Plant: []string{"chaos"}}, ""},
	} {
		_, err := sandbox.New(c.options)
		errorIf(t, err == nil || !strings.Contains(err.Error(), c.names), "%s: error %v, want one that names %q", name, err, c.names)
	}
}
