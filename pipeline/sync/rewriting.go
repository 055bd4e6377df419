package sync

import (
	"context"

	"sluice/pipeline"
)

// Rewriting is a source whose records are rewritten before a caller sees them: columns are left
// out, or values that an operator erased.
type Rewriting struct {
	Source

	// Rewrite rewrites the records of an answer in their places.
	Rewrite func(stream pipeline.Stream, page *pipeline.Page)
}

// LeavingOut leaves columns out of the records of a source, as their streams say, if the source has
// not done so.
func LeavingOut(source Source) Rewriting {
	return Rewriting{source, func(stream pipeline.Stream, page *pipeline.Page) {
		if !page.LeftOut {
			stream.LeaveOut.Records(page.Records)
		}
	}}
}

// Masking takes values out of the records of a source. Of returns what takes the erased values of
// an organization out of a record; nil if it has none.
func Masking(source Source, of func(organization string) func(raw []byte) []byte) Rewriting {
	return Rewriting{source, func(stream pipeline.Stream, page *pipeline.Page) {
		masked := of(stream.Organization)
		for i := 0; masked != nil && i < len(page.Records); i++ {
			page.Records[i] = masked(page.Records[i])
		}
	}}
}

// Page implements Source.
func (r Rewriting) Page(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
	page, err := r.Source.Page(ctx, request)
	r.Rewrite(request.Stream, &page)
	return page, err // unwrapped: callers need its kind
}

// Export implements Source.
func (r Rewriting) Export(ctx context.Context, request pipeline.Request, each func(pipeline.Page) error) error {
	return r.Source.Export(ctx, request, func(page pipeline.Page) error {
		r.Rewrite(request.Stream, &page)
		return each(page)
	})
}

// Details implements Source.
func (r Rewriting) Details(ctx context.Context, request pipeline.Request, ids []string) (pipeline.Page, error) {
	page, err := r.Source.Details(ctx, request, ids)
	r.Rewrite(request.Stream, &page)
	return page, err
}
