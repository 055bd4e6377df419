package main

import (
	"os"
	"testing"

	"sluice/pipeline/warehouse/warehousetest"
)

// asProgram makes the test binary the program itself: tests that kill or signal
// processes start it anew.
const asProgram = "SLUICE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(warehousetest.Run(m))
}
