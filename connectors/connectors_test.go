package connectors_test

import (
	"testing"

	"sluice/connectors"
	"sluice/schema/validate"
)

func TestCatalogueIsValid(t *testing.T) {
	t.Parallel()
	if err := validate.Services(connectors.All()); err != nil {
		t.Fatal(err)
	}
}
