package shape_test

import (
	"context"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-lake/shape"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// TestNumbers: each number is what Postgres says that it is as numeric(38, 18), or Postgres says
// that it does not fit.
func TestNumbers(t *testing.T) {
	t.Parallel()
	conn := warehousetest.Connect(t, warehousetest.New(t))
	numbers := []string{
		"0", "1", "-1", "0.1", "-0.000000000000000001", "0.0000000000000000001", "9999", "10000", "100000000", "0.0001", "0.00010001", "1.5000", "10000.0001",
		"99999999999999999999.999999999999999999", "-99999999999999999999.999999999999999999", "100000000000000000000", "12345678901234567890.12",
		"0.123456789012345678", "0.1234567890123456789", "0.1000000000000000000000", "170141183460469231731.687303715884105728", "1e-30", "1e19", "1e30", "NaN",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		digits := make([]byte, 1+r.IntN(40))
		for i := range digits {
			digits[i] = "0000123456789"[r.IntN(13)]
		}
		at := r.IntN(len(digits) + 1)
		numbers = append(numbers, strings.Repeat("-", r.IntN(2))+"0"+string(digits[:at])+"."+string(digits[at:])+"0")
	}
	for _, number := range numbers {
		raw := read(t, conn, number)
		got, fits, err := shape.Decimal(raw)
		check.FatalIf(t, err != nil, "%s: %v", number, err)
		var want *string
		err = conn.QueryRow(t.Context(), `SELECT CASE WHEN $1::text = 'NaN' OR abs($1::text::numeric) >= 1e20 OR $1::text::numeric <> round($1::text::numeric, 18)
			THEN NULL ELSE $1::text::numeric::numeric(38, 18)::text END`, number).Scan(&want)
		check.Must(t, err)
		if fits != (want != nil) || fits && got.ToString(shape.Scale) != *want {
			t.Errorf("%s: got %s, fits %t", number, got.ToString(shape.Scale), fits)
		}
	}
	_, _, err := shape.Decimal([]byte{0, 1, 0, 0})
	check.ErrorIf(t, err == nil, "half a number is read")
}

// read is a number as Postgres sends it in binary form.
func read(t *testing.T, conn *pgx.Conn, number string) []byte {
	t.Helper()
	rows, err := conn.Query(context.WithoutCancel(t.Context()), `SELECT $1::text::numeric`, pgx.QueryResultFormats{pgx.BinaryFormatCode}, number)
	check.Must(t, err)
	defer rows.Close()
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	return append([]byte(nil), rows.RawValues()[0]...)
}

// TestBuckets: other engines find an organization in the same bucket. The first hash is that of the
// specification (appendix B), the others of another implementation of the same function.
func TestBuckets(t *testing.T) {
	t.Parallel()
	for organization, hash := range map[string]int{"iceberg": 1210000089, "1": 337030291, "10234695": 1951501468, "acme_eu": 1180012739} {
		if got := shape.Bucket(organization, 1000); got != hash%1000 {
			t.Errorf("%s is in bucket %d of 1000, want %d", organization, got, hash%1000)
		}
	}
}
