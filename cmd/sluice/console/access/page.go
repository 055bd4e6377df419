package access

import (
	"html/template"
	"net/http"
	"strings"
)

// answer is what a person sees in place of the console.
type answer struct {
	Title, Text string
	// SignIn and SignOut are paths that are offered; "" offers none.
	SignIn, SignOut string
}

// page is plain on purpose: it is shown to people without a proven name, so it has no part of the
// console.
var page = template.Must(template.New("answer").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{{.Title}} – sluice</title>
</head>
<body>
<h1>{{.Title}}</h1>
<p>{{.Text}}</p>
{{with .SignIn}}<p><a href="{{.}}">Sign in</a></p>
{{end}}{{with .SignOut}}<form method="post" action="{{.}}"><button>Sign out</button></form>
{{end}}</body>
</html>
`))

// show answers with a page, or with a line for programs.
func (a *Access) show(w http.ResponseWriter, r *http.Request, status int, what answer) {
	head := w.Header()
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		head.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(what.Title + ": " + what.Text + "\n")) // a broken connection is the reader's
		return
	}
	head.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = page.Execute(w, what) // a broken connection is the reader's
}
