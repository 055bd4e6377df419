package goods

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"sluice/schema"
)

// Mix says which version a record has: all 0, all 1, or one in a hundred 1.
type Mix int

// The mixes.
const (
	First Mix = iota
	Hundredth
	Second
)

// Version of record number n.
func (m Mix) Version(n int) int {
	const hundred = 100
	switch {
	case m == Second, m == Hundredth && n%hundred == 0:
		return 1
	default:
		return 0
	}
}

// AppendPage appends page number page (from 1) of a list of total records.
func AppendPage(buf []byte, resource *schema.Resource, page, size, total int, mix Mix) []byte {
	buf = append(buf, `{"code":0,"message":"success","`...)
	buf = append(append(buf, resource.Key...), `":[`...)
	from, to := (page-1)*size, min(page*size, total)
	for n := from; n < to; n++ {
		if n > from {
			buf = append(buf, ',')
		}
		buf = Append(buf, resource, n, mix.Version(n))
	}
	return fmt.Appendf(buf, `],"page_context":{"page":%d,"per_page":%d,"has_more_page":%t}}`, page, size, to < total)
}

// WriteLines writes an export of total chats, without a header.
func WriteLines(w io.Writer, total int) error {
	out := bufio.NewWriterSize(w, 1<<16) //nolint:mnd // bytes at once
	var line []byte
	for n := range total {
		line = append(appendID(line[:0], n), `,"Team `...)
		line = append(strconv.AppendInt(line, int64(n%5000), 10), `, ""open"" questions",2026-01-0`...)
		line = append(append(line, byte('1'+n%9)), `T10:00:00Z,2026-02-0`...)
		line = append(append(line, byte('1'+n%9)), `T11:30:00Z,`...)
		line = append(strconv.AppendInt(line, int64(n%50), 10), ',')
		line = append(strconv.AppendInt(line, int64(n%9000), 10), ',')
		line = append(appendID(line, n%700), '\n')
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("write a line: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write lines: %w", err)
	}
	return nil
}

// Serve answers for pages until the listener closes: /items?page=3&per_page=200&total=50000&mix=0 and /chats?total=1000. The
// records are written while they are sent, with some 2 microseconds for each.
func Serve(listener net.Listener) error {
	service := Service()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{resource}", func(w http.ResponseWriter, r *http.Request) {
		number := func(name string) int {
			n, err := strconv.Atoi(r.FormValue(name))
			if err != nil {
				return 0
			}
			return n
		}
		resource, err := Find(service, r.PathValue("resource"))
		switch {
		case err != nil:
			http.NotFound(w, r)
		case resource.Name == "chats":
			_ = WriteLines(w, number("total")) // the reader is gone
		default:
			body := AppendPage(nil, resource, number("page"), number("per_page"), number("total"), Mix(number("mix")))
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			_, _ = w.Write(body) // the reader is gone
		}
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	if err := server.Serve(listener); err != nil {
		return fmt.Errorf("serve pages: %w", err)
	}
	return nil
}
