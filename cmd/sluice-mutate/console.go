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
			edit{room + "/console.go", "c.guarded = http.NewCrossOriginProtection().Handler(c.mux)", "c.guarded = c.mux"}),
		tests(room, "^TestLive$", "a page that panics", "a mistake in one page ends the process that copies",
			edit{room + "/live.go", "if value := recover(); value != nil {", "if value := any(nil); value != nil {"}),
		tests(room, "^TestActions$", "back to another host", "an action leads to the host that the page before names",
			edit{room + "/act.go", "from.Host == r.Host && local(from.Path)", "from.Path != \"\""}),
		tests(room, "^TestManyWatchOnePage$", "a page for each watcher", "what many watch is made again and again for each of them",
			edit{room + "/live.go", "		h.making.Go(func() { h.make(w) })\n	}\n", "	}\n	h.making.Go(func() { h.make(w) })\n"}),
		tests(room, "^TestErrors$", "an error as it came", "the page for an error shows its text with the secrets in it",
			edit{room + "/console.go", "text := c.options.Scrub(err)", "text := outside.Text(err.Error())"}),
	}
}
