package connectors_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/connectors"
	"sluice/pipeline/check"
	"sluice/sandbox/witness"
	"sluice/schema"
	"sluice/schema/docs"
	"sluice/schema/record"
	"sluice/schema/validate"
)

// object is the part of a declaration that lies over one JSON object.
type object struct {
	columns  []schema.Column
	children []schema.Child
	ignored  map[string]string
}

// TestDeclarationsAgreeWithTheirWitnesses lays every declaration over a sample of the wire that
// another hand transcribed from the documents, both ways.
func TestDeclarationsAgreeWithTheirWitnesses(t *testing.T) {
	t.Parallel()
	for _, service := range connectors.All() {
		for i := range service.Resources {
			resource := &service.Resources[i]
			t.Run(service.Name+"."+resource.Name, func(t *testing.T) {
				t.Parallel()
				sample := check.Sure(witness.Load(service.Name, resource.Name))(t)
				check.ErrorIf(t, sample.Key != resource.Key, "the declaration reads the key %q, the witness has %q", resource.Key, sample.Key)
				check.ErrorIf(t, !strings.Contains(sample.Passage, "docs/upstream.md U"), "the witness cites no fact: %q", sample.Passage)
				whole := check.Sure(sample.Whole())(t)
				holdAssumed(t, resource, &sample)
				agree(t, "", object{resource.Columns, resource.Children, resource.Ignored}, whole)
				fits(t, resource, whole)
			})
		}
	}
}

// TestEveryWitnessHasItsDeclaration finds samples that nothing is held against.
func TestEveryWitnessHasItsDeclaration(t *testing.T) {
	t.Parallel()
	samples := check.Sure(witness.All())(t)
	var declared []string
	for _, service := range connectors.All() {
		for _, resource := range service.Resources {
			declared = append(declared, service.Name+"."+resource.Name)
		}
	}
	for _, sample := range samples {
		name := sample.Service + "." + sample.Resource
		check.ErrorIf(t, sample.Service != "" && !slices.Contains(declared, name), "%s has a witness and no declaration", name)
	}
}

func agree(t *testing.T, path string, declared object, raw json.RawMessage) {
	t.Helper()
	var wire map[string]json.RawMessage
	if err := json.Unmarshal(raw, &wire); err != nil {
		t.Errorf("%s is no object in the witness: %v", path, err)
		return
	}
	for _, column := range declared.columns {
		// What the engine supplies is never on the wire.
		_, ok := wire[column.Wire]
		check.ErrorIf(t, ok == column.Given,
			"%s%s is declared (given by the engine: %v), in the witness: %v", path, column.Wire, column.Given, ok)
		delete(wire, column.Wire)
		_, ok = wire[column.Also]
		check.ErrorIf(t, ok != (column.Also != ""), "%s%s has the second key %q, in the witness: %v", path, column.Wire, column.Also, ok)
		delete(wire, column.Also)
	}
	for i := range declared.children {
		child := &declared.children[i]
		if child.Prefix != "" {
			agreePrefix(t, path, child, wire)
			continue
		}
		value, ok := wire[child.Name]
		if !ok {
			t.Errorf("%s%s is declared, the witness lacks it", path, child.Name)
			continue
		}
		agreeArray(t, path+child.Name, child, value)
		delete(wire, child.Name)
	}
	for key := range wire {
		check.ErrorIf(t, declared.ignored[key] == "", "%s%s is in the witness, not declared and not ignored", path, key)
	}
}

// agreePrefix takes the keys that a prefix holds out of the wire: there are some, and each has its
// twin.
func agreePrefix(t *testing.T, path string, child *schema.Child, wire map[string]json.RawMessage) {
	t.Helper()
	var keys []string
	for key := range wire {
		if strings.HasPrefix(key, child.Prefix) && !strings.HasSuffix(key, child.Twin) {
			keys = append(keys, key)
		}
	}
	check.ErrorIf(t, len(keys) == 0, "%s has no key that begins with %s in the witness", path, child.Prefix)
	for _, key := range keys {
		_, ok := wire[key+child.Twin]
		check.ErrorIf(t, !ok, "%s%s has no %s in the witness", path, key, key+child.Twin)
		delete(wire, key)
		delete(wire, key+child.Twin)
	}
}

func agreeArray(t *testing.T, path string, child *schema.Child, raw json.RawMessage) {
	t.Helper()
	var elements []json.RawMessage
	if err := json.Unmarshal(raw, &elements); err != nil {
		if !child.Object {
			t.Errorf("%s is no array in the witness", path)
			return
		}
		elements = []json.RawMessage{raw}
	}
	check.ErrorIf(t, len(elements) == 0, "%s is empty in the witness: it shows nothing of an element", path)
	for _, element := range elements {
		if child.Scalar {
			check.ErrorIf(t, strings.ContainsAny(string(element[:1]), "{["), "%s has elements that are no bare values", path)
			continue
		}
		agree(t, path+".", object{child.Columns, child.Children, child.Ignored}, element)
	}
}

// fits holds the types against each other: a declared amount that the witness writes as a word does
// not become a row.
func fits(t *testing.T, resource *schema.Resource, raw []byte) {
	t.Helper()
	normalizer := check.Sure(record.New(resource, time.UTC))(t)
	record := check.Sure(normalizer.RecordUnder(raw, parentOf(resource)))(t)
	check.ErrorIf(t, record.Extra != "" || len(record.Drift) != 0, "unknown keys %s, and in all %v", record.Extra, record.Drift)
	check.ErrorIf(t, resource.Modified() != "" && record.Modified.IsZero(), "the witness has no modification time")
	for i, rows := range record.Tables {
		check.ErrorIf(t, len(rows) == 0, "table %s got no row", resource.Tables()[i].Name)
	}
}

// parentOf returns a parent that the records could have been listed under, "" for lists that have
// none.
func parentOf(resource *schema.Resource) string {
	if _, ok := resource.Cursor.(schema.PerParent); ok {
		return "a parent"
	}
	return ""
}

func TestCatalogueIsValid(t *testing.T) {
	t.Parallel()
	check.Must(t, validate.Services(connectors.All()))
}

// TestDictionaryIsCurrent fails when a declaration changed and the pages did not: write them anew
// by make dictionary.
func TestDictionaryIsCurrent(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"dictionary.md": docs.Dictionary(connectors.All()), "personal-data.md": docs.Personal(connectors.All()),
	} {
		stored := check.Sure(os.ReadFile("../docs/" + name))(t)
		diff := cmp.Diff(string(stored), want)
		check.ErrorIf(t, diff != "", "docs/%s is not current; run make dictionary (-stored +now):\n%s", name, diff)
	}
}

// TestAddingAResourceShowsTheRealOne: what the page shows as added stands in the files that it
// names, line for line.
func TestAddingAResourceShowsTheRealOne(t *testing.T) {
	t.Parallel()
	page := check.Sure(os.ReadFile("../docs/adding-a-resource.md"))(t)
	blocks := strings.Split(string(page), "```diff\n+++ b/")[1:]
	const shown = 2 // declaration, line of the list
	check.FatalIf(t, len(blocks) != shown, "the page shows %d differences, want %d", len(blocks), shown)
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		name, lines, _ := strings.Cut(block, "\n")
		file := check.Sure(os.ReadFile(filepath.Join("..", filepath.FromSlash(name))))(t)
		var added strings.Builder
		for line := range strings.Lines(lines) {
			if text, ok := strings.CutPrefix(line, "+"); ok {
				added.WriteString(text)
			}
		}
		check.ErrorIf(t, added.Len() == 0 || !strings.Contains(string(file), added.String()),
			"%s no longer holds what the page shows of it:\n%s", name, added.String())
	}
}

// personal are words of wire keys whose values lead to a person, to money or to what people wrote.
func personal() []string {
	return []string{
		"phone", "mobile", "fax", "skype", "email", "zip", "street", "address", "attention",
		"first_name", "last_name", "contact_name", "contact_person_name", "employee_name", "salesperson_name", "user_name", "created_by_name",
		"gst_no", "vat_reg_no", "tax_reg_no", "check_number", "card_number", "account_number", "iban",
		"notes", "terms_and_conditions", "description", "comments", "memo", "documents", "file_name", "custom_field_hash",
	}
}

// harmless are keys that hold such a word and tell nothing of a person, with the reason.
func harmless() map[string]string {
	return map[string]string{"mobile_country_code": "a country alone reaches no person"}
}

// TestPersonalValuesAreMasked holds the classes against words that a hand listed: what a masked
// reader sees has none of them in its key. Identifiers of records (_id), numbers and truth values
// are none of these values.
func TestPersonalValuesAreMasked(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, service := range connectors.All() {
		for i := range service.Resources {
			for _, table := range service.Resources[i].Tables() {
				for _, column := range table.Columns {
					if word := personalWord(column); word != "" {
						seen[word] = true
						check.ErrorIf(t, !column.Class.Personal() && harmless()[column.Wire] == "",
							"%s.%s.%s is %q and masked readers would see it: its key holds %q", service.Name, table.Name, column.Wire, column.Class, word)
					}
				}
			}
		}
	}
	for _, word := range []string{"phone", "mobile", "fax", "email", "zip", "address", "gst_no", "notes", "description", "check_number"} {
		check.ErrorIf(t, !seen[word], "no column of the catalogue holds %q: the test looks at none", word)
	}
}

func personalWord(column schema.Column) string {
	switch column.Kind {
	case schema.KindID, schema.KindText, schema.KindJSON:
	default:
		return ""
	}
	if strings.HasSuffix(column.Wire, "_id") {
		return ""
	}
	for _, word := range personal() {
		if strings.Contains(column.Wire, word) {
			return word
		}
	}
	return ""
}

// undocumented says whether no document shows a key of the records of a list: then all its columns
// are assumed.
func undocumented(sample *witness.Witness) bool {
	return sample.Service == "chat" && (sample.Resource == "channels" || sample.Resource == "network_channels")
}

// holdAssumed holds what a declaration assumes against the witness.
func holdAssumed(t *testing.T, resource *schema.Resource, sample *witness.Witness) {
	t.Helper()
	documents, live := []json.RawMessage{sample.Record}, []json.RawMessage{sample.Live}
	if undocumented(sample) {
		documents, live = nil, append(live, sample.Record)
	}
	onlyLive(t, "", object{columns: resource.Columns, children: resource.Children}, documents, live)
}

// onlyLive holds the columns of one place, and of the places below it, against the values that
// stand there by the document and by live services: a column that live services alone send is
// assumed, or the second key of a column, and one that the document names is not.
func onlyLive(t *testing.T, path string, declared object, documents, live []json.RawMessage) {
	t.Helper()
	named, added := members(documents), members(live)
	for _, column := range declared.columns {
		assumed(t, path+column.Wire, column, named[column.Wire], added[column.Wire])
		_, also := added[column.Also]
		check.ErrorIf(t, also != (column.Also != ""), "%s%s has the second key %q, among the live keys: %t", path, column.Wire, column.Also, also)
	}
	for i := range declared.children {
		child := &declared.children[i]
		switch {
		case child.Prefix != "": // its keys are the record's own, and no column names them.
		case child.Scalar:
			assumed(t, path+child.Name, child.Columns[0], named[child.Name], added[child.Name])
		default:
			onlyLive(t, path+child.Name+".", object{columns: child.Columns, children: child.Children}, named[child.Name], added[child.Name])
		}
	}
}

func assumed(t *testing.T, path string, column schema.Column, documents, live []json.RawMessage) {
	t.Helper()
	switch {
	case column.Given: // the engine supplies it.
	case len(documents) > 0 && column.Assumed:
		t.Errorf("%s is assumed, and the document names it", path)
	case len(documents) == 0 && len(live) > 0 && !column.Assumed:
		t.Errorf("%s is not assumed, and live services alone send it", path)
	}
}

// members gathers the members of objects by their keys. Elements of arrays stand at one place.
func members(values []json.RawMessage) map[string][]json.RawMessage {
	into := map[string][]json.RawMessage{}
	for _, value := range values {
		var array []json.RawMessage
		if json.Unmarshal(value, &array) == nil {
			for key, inner := range members(array) {
				into[key] = append(into[key], inner...)
			}
			continue
		}
		var fields map[string]json.RawMessage
		if json.Unmarshal(value, &fields) == nil {
			for key, inner := range fields {
				into[key] = append(into[key], inner)
			}
		}
	}
	return into
}
