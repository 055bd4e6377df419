package main

// secretBugs let words of others out unscrubbed (invariant 10).
func secretBugs() []bug {
	const ground, door = "pipeline/outside", "pipeline/upstream"
	return []bug{
		tests(door, "^TestNoEchoOfATokenIsSaid$", "a code is kept as it came", "an envelope's code that echoes the token is cut and kept",
			edit{door + "/verdict.go", "Code: c.scrub.Text(code, wordLength)", "Code: outside.Plain(code)"}),
		tests(ground, "^TestScrubbedBeforeItIsCut$", "cut before scrubbing", "a text is cut to its length first, so that half a secret is none",
			edit{ground + "/text.go", "Visible(s.Scrub(raw))", "Visible(s.Scrub(raw[:min(most, len(raw))]))"}),
		tests(ground, "^TestNoSpellingOfASecretComesThrough$", "escapes are not seen through", "a secret with a percent sign in it is another text",
			edit{ground + "/views.go", "round < depth", "round < 0"}),
		tests("cmd/sluice/cli/view", "^TestOutlet$", "a terminal is commanded", "what upstream names things goes to the terminal as it is",
			edit{"cmd/sluice/cli/view/outlet.go", "outside.VisibleLines(o.scrub.Scrub(text))", "o.scrub.Scrub(text)"}),
	}
}
