package connectors_test

import (
	"testing"

	"sluice/connectors"
	"sluice/schema"
)

func TestCatalogueIsValid(t *testing.T) {
	t.Parallel()
	if err := schema.Validate(connectors.All()); err != nil {
		t.Fatal(err)
	}
}
