// Package enginetest_test tries the engine as a whole: streams of a simulated upstream are copied
// into a database, by the calls that commands make. Words, flags and exit codes are tested in
// cmd/sluice/cli. Start reading at fixture.
package enginetest_test

import (
	"os"
	"testing"

	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }
