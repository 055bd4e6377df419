package sync_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
)

// answer is a source of one function.
type answer func(pipeline.Request) (pipeline.Page, error)

// Details implements sync.Source.
func (answer) Details(context.Context, pipeline.Request, []string) (pipeline.Page, error) {
	return pipeline.Page{}, errors.ErrUnsupported
}

// Page implements sync.Source.
func (a answer) Page(_ context.Context, request pipeline.Request) (pipeline.Page, error) {
	return a(request)
}

// Export implements sync.Source.
func (a answer) Export(_ context.Context, request pipeline.Request, each func(pipeline.Page) error) error {
	page, err := a(request)
	if err != nil {
		return err
	}
	return each(page)
}

func nopSettle(context.Context, pgx.Tx, bool) error { return nil }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
