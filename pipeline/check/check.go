// Package check has the few checks of which tests are made: each takes one line, so that a test
// reads as what it asserts. No stage of the program uses it.
package check

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Must ends the test if a step failed.
func Must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// Sure returns the value of a call, and ends the test if the call failed.
func Sure[T any](value T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		Must(tb, err)
		return value
	}
}

// Failure returns only the error of a call.
func Failure(_ any, err error) error { return err }

// FailsWith fails the test if the error is not of the wanted kind.
func FailsWith(tb testing.TB, err, want error) {
	tb.Helper()
	ErrorIf(tb, !errors.Is(err, want), "error %v, want %v", err, want)
}

// Same compares with cmp.Diff.
func Same[T any](tb testing.TB, what string, want, got T, options ...cmp.Option) {
	tb.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// ErrorIf fails the test where something is not as it should be, and says what.
func ErrorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}

// FatalIf does so, and ends it.
func FatalIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Fatalf(format, args...)
	}
}

// Empty fails the test if anything was found.
func Empty[T any](tb testing.TB, what string, found []T) {
	tb.Helper()
	ErrorIf(tb, len(found) != 0, "%s: %v", what, found)
}
