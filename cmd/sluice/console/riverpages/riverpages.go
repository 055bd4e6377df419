// Package riverpages shows the jobs of the queue in River's own pages: what waits, what works, what
// failed and with which error. An operator who looks for a stuck job finds it there.
//
// River's makers bring what answers the pages' requests, and the pages. The program takes the first
// as it is, and the pages from a folder of its own, where they are compressed
// (docs/decisions/0034-river-ui).
//
// Start reading at Handler.
package riverpages

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/apiframe/apiendpoint"
	"github.com/riverqueue/apiframe/apitype"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivershared/baseservice"
	"github.com/riverqueue/river/rivershared/startstop"
	"riverqueue.com/riverui"
	"riverqueue.com/riverui/uiendpoints"

	"sluice/cmd/sluice/console"
)

// policy is what these pages may load. They set styles on elements, so inline styles are allowed,
// here and on no page of the console. Scripts come from this server only.
const policy = "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// Handler returns River's pages for the queue in a schema of the database, to be served below
// console.QueuePath. It answers only after start was called; what start begins ends with its
// context.
//
// The pages have no access control, and no guard against requests from other sites. They cancel,
// delete and retry jobs, and pause queues (POST, PUT and PATCH below /river/api). The one who
// serves the handler lets operators through only, and puts http.CrossOriginProtection before it.
//
// Arguments of jobs are hidden in lists until an operator asks for them. They are identifiers only.
func Handler(pool *pgxpool.Pool, schema string, logger *slog.Logger) (
	handler http.Handler, start func(context.Context) error, err error, //nolint:nonamedreturns // the names say which is which
) {
	// Without queues and workers the client works nothing: it lists and changes jobs.
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Schema: schema, Logger: logger})
	if err != nil {
		return nil, nil, fmt.Errorf("prepare the client of the queue's pages: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", file)
	services := mount(mux, riverui.NewEndpoints[pgx.Tx](client, nil), logger)
	start = func(ctx context.Context) error { return startstop.StartAll(ctx, services...) }
	return guarded(http.StripPrefix(console.QueuePath, mux)), start, nil
}

// mount mounts what answers the pages' requests, below /api, and returns what counts jobs in the
// background for it.
func mount(mux *http.ServeMux, endpoints uiendpoints.Bundle, logger *slog.Logger) []startstop.Service {
	endpoints.Configure(&uiendpoints.BundleOpts{JobListHideArgsByDefault: true})
	options := &apiendpoint.MountOpts{Logger: logger, Validator: apitype.NewValidator()}
	var services []startstop.Service
	for _, endpoint := range endpoints.MountEndpoints(baseservice.NewArchetype(logger), logger, mux, options) {
		if counting, ok := endpoint.(interface{ SubServices() []startstop.Service }); ok {
			services = append(services, counting.SubServices()...)
		}
	}
	return services
}

// guarded sends the headers of the pages.
func guarded(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "same-origin")
		pages.ServeHTTP(w, r)
	})
}
