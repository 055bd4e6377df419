package connectors_test

import (
	"strings"
	"testing"

	"sluice/connectors"
	"sluice/schema"
)

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
	return map[string]string{
		"mobile_country_code": "a country alone reaches no person",
	}
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
						if !column.Class.Personal() && harmless()[column.Wire] == "" {
							t.Errorf("%s.%s.%s is %q and masked readers would see it: its key holds %q",
								service.Name, table.Name, column.Wire, column.Class, word)
						}
					}
				}
			}
		}
	}
	for _, word := range []string{"phone", "mobile", "fax", "email", "zip", "address", "gst_no", "notes", "description", "check_number"} {
		if !seen[word] {
			t.Errorf("no column of the catalogue holds %q: the test looks at none", word)
		}
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
