// Package rest tells readers by Iceberg's REST protocol which tables the lake has, and gives them
// the metadata of each. Engines that speak it need no right to the database of the catalog.
//
// It only reads: sluice-lake publish is the one way to change a table, because all tables of a cut
// change together (docs/decisions/0030-lake). It hands out no keys of the storage.
//
// Source: https://github.com/apache/iceberg/blob/main/open-api/rest-catalog-open-api.yaml.
// Start reading at New.
package rest

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice-lake/catalog"
	"sluice/cmd/sluice-lake/storage"
	"sluice/pipeline/warehouse/postgres"
)

// Options say which lake is told of, and to whom.
type Options struct {
	// Pool is the database that has the catalog.
	Pool  *pgxpool.Pool
	Store storage.Storage
	// Token is what a reader has to show; "" asks for none.
	Token string
	Log   *slog.Logger
}

type server struct{ Options }

// The requests that are answered, as the configuration tells clients of them. A HEAD asks whether
// something is there.
const (
	listNamespaces = "GET /v1/{prefix}/namespaces"
	loadNamespace  = "GET /v1/{prefix}/namespaces/{namespace}"
	hasNamespace   = "HEAD /v1/{prefix}/namespaces/{namespace}"
	listTables     = "GET /v1/{prefix}/namespaces/{namespace}/tables"
	loadTable      = "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}"
	hasTable       = "HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}"
)

// New makes the handler. Each answer is of the last publication at its time.
func New(options Options) http.Handler {
	s := &server{options}
	routes := map[string]answer{
		listNamespaces: s.namespaces, loadNamespace: s.namespace, hasNamespace: s.namespace,
		listTables: s.tables, loadTable: s.table, hasTable: s.has,
	}
	mux := http.NewServeMux()
	mux.Handle("GET /v1/config", s.handle(func(*http.Request) (any, error) {
		return map[string]any{"defaults": struct{}{}, "overrides": struct{}{}, "endpoints": slices.Sorted(maps.Keys(routes))}, nil
	}))
	for pattern, of := range routes {
		mux.Handle(strings.Replace(pattern, "/{prefix}", "", 1), s.handle(of))
	}
	mux.Handle("/", s.handle(func(r *http.Request) (any, error) {
		return nil, &refusal{http.StatusNotAcceptable, "UnsupportedOperationException",
			r.Method + " " + r.URL.Path + " is not answered: this catalog only tells of the tables of the lake, and sluice-lake publish changes them"}
	}))
	return mux
}

// answer is what one request is answered with.
type answer func(r *http.Request) (any, error)

// refusal is an answer that says why there is no other one.
type refusal struct {
	Status int    `json:"code"`
	Kind   string `json:"type"`
	Text   string `json:"message"`
}

func (r *refusal) Error() string { return r.Text }

// handle answers those who show the token.
func (s *server) handle(of answer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		var document any
		err := s.admits(r)
		if err == nil {
			document, err = of(r)
		}
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		s.write(w, r, document)
	})
}

// admits asks for the token.
func (s *server) admits(r *http.Request) error {
	const scheme = "Bearer "
	shown := r.Header.Get("Authorization")
	if s.Token == "" {
		return nil
	}
	if len(shown) > len(scheme) && strings.EqualFold(shown[:len(scheme)], scheme) &&
		subtle.ConstantTimeCompare([]byte(shown[len(scheme):]), []byte(s.Token)) == 1 {
		return nil
	}
	return &refusal{http.StatusUnauthorized, "NotAuthorizedException", "show the token of the catalog: Authorization: Bearer …"}
}

// refuse says why there is no answer. What failed here is in the log, not in the answer.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	known, ok := errors.AsType[*refusal](err)
	switch {
	case ok:
	case r.Context().Err() != nil:
		return // the reader has left
	default:
		s.Log.ErrorContext(r.Context(), "a reader of the catalog got no answer", "path", r.URL.Path, "error", err)
		known = &refusal{http.StatusInternalServerError, "InternalServerError", "the catalog could not be read: the log of sluice-lake says why"}
		if postgres.Unreachable(err) || postgres.Busy(err) {
			known = &refusal{http.StatusServiceUnavailable, "ServiceUnavailableException", "the database of the catalog does not answer: ask again later"}
		}
	}
	if known.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.WriteHeader(known.Status)
	s.write(w, r, struct {
		Error *refusal `json:"error"`
	}{known})
}

// write writes a document; a reader that has left gets none.
func (s *server) write(w http.ResponseWriter, r *http.Request, document any) {
	if err := json.NewEncoder(w).Encode(document); err != nil {
		s.Log.DebugContext(r.Context(), "a reader of the catalog did not take its answer", "error", err)
	}
}

// look reads the catalog of now.
func (s *server) look(ctx context.Context) (*catalog.Catalog, error) {
	var c *catalog.Catalog
	err := pgx.BeginTxFunc(ctx, s.Pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var err error
		c, err = catalog.Look(ctx, tx, s.Store)
		return err
	})
	return c, err
}

// named are the tables of each namespace; a namespace is there as long as it has a table.
func (s *server) named(ctx context.Context) (map[string][]string, error) {
	c, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	found := make(map[string][]string)
	for _, full := range slices.Sorted(maps.Keys(c.Locations())) {
		namespace, table, _ := strings.Cut(full, ".")
		found[namespace] = append(found[namespace], table)
	}
	return found, nil
}

// within are the tables of the namespace that is asked for.
func (s *server) within(r *http.Request, namespace string) ([]string, error) {
	all, err := s.named(r.Context())
	if err != nil {
		return nil, err
	}
	if len(all[namespace]) == 0 {
		return nil, &refusal{http.StatusNotFound, "NoSuchNamespaceException", fmt.Sprintf("the lake has no namespace %q", namespace)}
	}
	return all[namespace], nil
}

func (s *server) namespaces(r *http.Request) (any, error) {
	list := [][]string{}
	if parent := r.URL.Query().Get("parent"); parent != "" { // no namespace has others in it
		_, err := s.within(r, parent)
		return map[string]any{"namespaces": list}, err
	}
	all, err := s.named(r.Context())
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, []string{name})
	}
	return map[string]any{"namespaces": list}, err
}

func (s *server) namespace(r *http.Request) (any, error) {
	name := r.PathValue("namespace")
	_, err := s.within(r, name)
	return map[string]any{"namespace": []string{name}, "properties": struct{}{}}, err
}

func (s *server) tables(r *http.Request) (any, error) {
	type identifier struct {
		Namespace []string `json:"namespace"`
		Name      string   `json:"name"`
	}
	namespace := r.PathValue("namespace")
	names, err := s.within(r, namespace)
	list := make([]identifier, len(names))
	for i, name := range names {
		list[i] = identifier{[]string{namespace}, name}
	}
	return map[string]any{"identifiers": list}, err
}

// location is the metadata file of the table that is asked for.
func (s *server) location(r *http.Request) (string, error) {
	c, err := s.look(r.Context())
	if err != nil {
		return "", err
	}
	full := r.PathValue("namespace") + "." + r.PathValue("table")
	if !c.Has(full) {
		return "", &refusal{http.StatusNotFound, "NoSuchTableException", fmt.Sprintf("the lake has no table %q", full)}
	}
	return c.Locations()[full], nil
}

func (s *server) has(r *http.Request) (any, error) { return s.location(r) }

// table gives the metadata as it is written. Between the look at the catalog and the read of the
// file, a publication and an expiry may have removed it: then there is a newer one.
func (s *server) table(r *http.Request) (any, error) {
	const tries = 2
	var at string
	for range tries {
		var err error
		if at, err = s.location(r); err != nil {
			return nil, err
		}
		switch text, err := s.Store.ReadFile(at); {
		case err == nil:
			return map[string]any{"metadata-location": at, "metadata": json.RawMessage(text), "config": struct{}{}}, nil
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("reading %s: %w", at, err)
		}
	}
	return nil, fmt.Errorf("%s is missing: the files of the lake are not those of its catalog", at)
}
