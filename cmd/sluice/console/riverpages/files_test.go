package riverpages_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"riverqueue.com/riverui"

	"sluice/cmd/sluice/console"
	"sluice/pipeline/jobs"
)

var update = flag.Bool("update", false, "write the files of River's pages anew, after a new version of them")

// types are what the types of files begin with. Of an icon it depends on the machine.
var types = map[string]string{
	".css": "text/css", ".html": "text/html", ".ico": "image/", ".js": "text/javascript", ".png": "image/png", ".svg": "image/svg+xml",
}

// TestFiles: each file of River's pages, and the start page, is what River's own handler sends,
// compressed or not; and the program has no other file. A browser keeps those whose names change
// with their content.
func TestFiles(t *testing.T) {
	t.Parallel()
	server, pool := serve(t)
	logger := slog.New(slog.NewTextHandler(t.Output(), nil))
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Schema: jobs.Schema, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := riverui.NewHandler(&riverui.HandlerOpts{
		Endpoints: riverui.NewEndpoints[pgx.Tx](client, nil), Logger: logger, Prefix: console.QueuePath,
	})
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]string{"index.html.gz": theirAnswer(t, theirs, "/")}
	for _, name := range namesOf(t, riverui.FrontendIndex, "dist") {
		if !strings.HasPrefix(name, ".vite/") && name != "index.html" && name != "robots.txt" {
			wanted[name+".gz"] = theirAnswer(t, theirs, "/"+name)
		}
	}
	if *update {
		write(t, wanted)
		return // this program has the files of before
	}
	for _, name := range namesOf(t, os.DirFS("."), "files") {
		if _, ok := wanted[name]; !ok {
			t.Errorf("files/%s is no file of River's", name)
		}
	}
	for name, want := range wanted {
		for _, encoding := range []string{"gzip, br", "identity"} {
			got := ask(t, server, http.MethodGet, console.QueuePath+"/"+strings.TrimSuffix(name, ".gz"), "", "Accept-Encoding", encoding)
			if compressed := got.header.Get("Content-Encoding") == "gzip"; compressed != (encoding != "identity") {
				t.Errorf("%s as %s: compressed is %t", name, encoding, compressed)
			} else if compressed {
				got.text = uncompressed(t, got.text)
			}
			if got.status != http.StatusOK || got.text != want {
				t.Errorf("%s as %s: status %d, %d bytes, want other %d (after a new version of River's pages, run this test with -update)",
					name, encoding, got.status, len(got.text), len(want))
			}
			if lasts := got.header.Get("Cache-Control") != ""; lasts != strings.HasPrefix(name, "assets/") {
				t.Errorf("%s may be kept by a browser: %t", name, lasts)
			}
			kind, begins := got.header.Get("Content-Type"), types[filepath.Ext(strings.TrimSuffix(name, ".gz"))]
			if begins == "" || !strings.HasPrefix(kind, begins) {
				t.Errorf("%s is of type %q, want %q", name, kind, begins)
			}
		}
	}
}

// theirAnswer is what River's own handler answers to a path below the prefix.
func theirAnswer(t *testing.T, theirs http.Handler, path string) string {
	t.Helper()
	recorder := httptest.NewRecorder()
	theirs.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, console.QueuePath+path, nil))
	if recorder.Code != http.StatusOK {
		t.Fatalf("River answers %d for %s", recorder.Code, path)
	}
	return recorder.Body.String()
}

// namesOf are the files in a folder, with their paths in it.
func namesOf(t *testing.T, files fs.FS, folder string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(files, folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, strings.TrimPrefix(path, folder+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// write writes the folder of files anew.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	if err := os.RemoveAll("files"); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		var content bytes.Buffer
		zip, err := gzip.NewWriterLevel(&content, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := zip.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := zip.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("files", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// uncompressed is a text that was sent compressed.
func uncompressed(t *testing.T, text string) string {
	t.Helper()
	zip, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var plain bytes.Buffer
	if _, err := plain.ReadFrom(zip); err != nil {
		t.Fatal(err)
	}
	return plain.String()
}
