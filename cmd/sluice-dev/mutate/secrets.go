package mutate

// secretBugs let a secret out.
func secretBugs() []bug {
	return []bug{
		tests("pipeline/upstream", "TestNoEchoOfATokenIsSaid", "a code is kept as it came", "an envelope's code that echoes the token is cut and kept",
			edit{"pipeline/upstream/verdict.go", "Code: c.scrub.Text(code, wordLength)", "Code: outside.Plain(code)"}),
		tests("pipeline/outside", "TestScrubbedBeforeItIsCut", "cut before scrubbing", "a text is cut to its length first, so that half a secret is none",
			edit{"pipeline/outside/text.go", "Visible(s.Scrub(raw))", "Visible(s.Scrub(raw[:min(most, len(raw))]))"}),
		tests("pipeline/outside", "TestNoSpellingOfASecretComesThrough", "escapes are not seen through", "a secret with a percent sign in it is another text",
			edit{"pipeline/outside/views.go", "round < depth", "round < 0"}),
		tests("cmd/sluice/cli/consent", "TestOneAnswer", "the code on the page", "the page in the browser shows the code",
			edit{"cmd/sluice/cli/consent/listen.go", `"Close this page, and go on in the terminal."`, `"Close this page, and go on in the terminal. The code is "+code`}),
		tests("pipeline/engine/config/secrets", "TestReplace", "a token for all accounts", "all accounts may read the file that a new token made",
			edit{"pipeline/engine/config/secrets/store.go", "		err = r.takeAfter(before)\n	}\n", "		err = r.takeAfter(before)\n	} else {\n		err = file.Chmod(0o644)\n	}\n"}),
		tests("pipeline/engine/config/secrets", "TestCommandsThatFail", "what a command said", "the error of a command that failed quotes what it printed",
			edit{"pipeline/engine/config/secrets/command.go", `run it by hand to see why", words[0], exited.ProcessState)`, `it printed %s", words[0], exited.ProcessState, output.text.String())`}),
		tests("pipeline/engine/config/secrets", "TestACommandDoesNotGetTheSealingKey", "a command with the sealing key", "the program that reads a secret gets the key that seals all tokens",
			edit{"pipeline/engine/config/secrets/command.go", "slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, encryptionKey) })", "os.Environ()"},
			edit{"pipeline/engine/config/secrets/command.go", "	\"slices\"\n", ""}),
		tests("pipeline/engine/config/secrets", "TestWhoMayOwnASecret", "a secret that others write", "a file with a secret is read although others may write it",
			edit{"pipeline/engine/config/secrets/file.go", "mode.Perm()&0o022 != 0", "mode.Perm()&0o002 != 0"}),
		tests("pipeline/warehouse/roles", "TestRights", "a receiver with tokens", "the process that the internet reaches may read the sealed tokens",
			edit{"migrations/00121_roles.sql", "    EXECUTE format('GRANT EXECUTE ON FUNCTION notifications.take_callback TO %I', p_role);\n", "    EXECUTE format('GRANT EXECUTE ON FUNCTION notifications.take_callback TO %I', p_role);\n    EXECUTE format('GRANT SELECT ON TABLE sluice.tokens TO %I', p_role);\n"}),
		tests("pipeline/upstream", "TestRedirectsAreNotFollowed", "redirects are followed", "the token goes where an answer says",
			edit{"pipeline/upstream/wire/transport.go", "d.transport.RoundTrip(request)", "(&http.Client{Transport: d.transport}).Do(request)"}),
	}
}
