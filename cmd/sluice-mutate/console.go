package main

// consoleBugs let the console show or do what it must not.
func consoleBugs() []bug {
	const room = "cmd/sluice/console"
	return []bug{
		tests(room, "^TestViewers$", "a viewer may act", "the console asks nothing about a person who posts, and hides the buttons alone",
			edit{room + "/act.go", "	if !request.User.Operator {\n", "	if false {\n"}),
		tests(room, "^TestActions$", "a deed that is not recorded", "the console does what an operator asked for, and no table says so",
			edit{room + "/act.go", "c.options.Record(context.WithoutCancel(r.Context()), deed)", "int64(0), error(nil)"}),
		tests(room, "^TestActions$", "forms of strangers", "a page of another origin acts by the browser of an operator",
			edit{room + "/console.go", "http.NewCrossOriginProtection().Handler(c.mux).ServeHTTP(w, r)", "c.mux.ServeHTTP(w, r)"}),
		tests(room, "^TestManyWatchOnePage$", "a page for each watcher", "what many watch is made again and again for each of them",
			edit{room + "/live.go", "		h.making.Go(func() { h.make(w) })\n	}\n", "	}\n	h.making.Go(func() { h.make(w) })\n"}),
		tests(room, "^TestErrors$", "an error as it came", "the page for an error shows its text with the secrets in it",
			edit{room + "/console.go", "text := c.options.Scrub(err)", "text := outside.Text(err.Error())"}),
	}
}
