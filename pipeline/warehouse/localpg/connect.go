package localpg

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// URL is the connection string of the server's first database, "postgres".
func (s *Server) URL() string { return s.DatabaseURL("postgres") }

// DatabaseURL is the connection string of the named database, which need not exist yet.
func (s *Server) DatabaseURL(name string) string {
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/" + name}
	// libpq's kind of URL knows %20 for a blank, but not +.
	u.RawQuery = strings.ReplaceAll(url.Values{"host": {s.socketDir}, "port": {port}}.Encode(), "+", "%20")
	return u.String()
}

// SocketDir is the folder of the server's unix socket, what libpq calls the host.
func (s *Server) SocketDir() string { return s.socketDir }

// Dir is the folder that holds the server, with its log in server.log.
func (s *Server) Dir() string { return s.dir }

// PsqlCommand is the line with which a person opens the named database in psql.
func (s *Server) PsqlCommand(database string) string {
	psql := filepath.Join(s.bin, "psql")
	if !isExecutable(psql) {
		psql = "psql" // some packages have the client elsewhere
	}
	quote := func(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
	return fmt.Sprintf("%s -h %s -p %s -U %s -d %s", psql, quote(s.socketDir), port, superuser, quote(database))
}

// answers says whether something accepts connections on the socket, be it that more wait in line than it takes.
func answers(socketDir, number string) bool {
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.Dial("unix", filepath.Join(socketDir, ".s.PGSQL."+number))
	if err != nil {
		return errors.Is(err, syscall.EAGAIN)
	}
	_ = conn.Close() // nothing was said
	return true
}
