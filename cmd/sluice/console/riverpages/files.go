package riverpages

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"embed"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
)

// files are River's pages as its own handler sends them, each compressed. TestFiles
// compares them with that handler, and writes them anew with -update.
//
//go:embed files
var files embed.FS

// index is the start page. It is also the answer to all addresses that are no file, such as that of
// a job: its script shows what the address names.
const index = "/index.html"

// file sends one file, compressed to all who take it so.
func file(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path
	content, err := files.ReadFile("files" + name + ".gz")
	if err != nil {
		name = index
		if content, err = files.ReadFile("files" + name + ".gz"); err != nil {
			http.Error(w, "the queue's start page is missing", http.StatusInternalServerError)
			return
		}
	}
	header := w.Header()
	header.Set("Content-Type", cmp.Or(mime.TypeByExtension(path.Ext(name)), "image/x-icon")) // Go knows all but .ico
	header.Set("Vary", "Accept-Encoding")
	if strings.HasPrefix(name, "/assets/") {
		header.Set("Cache-Control", "max-age=31536000, immutable") // the name has a hash of the content
	}
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		_, _ = w.Write(content) //nolint:gosec // a file of the program; a failure means that the browser has left
		return
	}
	plain, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		http.Error(w, "the file is damaged", http.StatusInternalServerError)
		return
	}
	_, _ = io.Copy(w, plain) //nolint:gosec // a file of the program is no bomb
}
