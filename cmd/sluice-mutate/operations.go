package main

import "slices"

// operationBugs make the daily work of operators go wrong: consents, secrets, sealing keys,
// metrics, figures, traces, roles, and releases.
func operationBugs() []bug {
	return slices.Concat(consentBugs(), rereadBugs(), sealBugs(), watchBugs(), roleBugs(), timelineBugs(), releaseBugs(), figureBugs())
}

// consentBugs take another consent than the one that was asked for, or show its code
// (docs/decisions/0025-consent).
func consentBugs() []bug {
	const room = "cmd/sluice/cli/consent"
	return []bug{
		tests(room, "^TestOneAnswer$", "any state will do", "an answer is taken whatever consent it belongs to",
			edit{room + "/consent.go", "subtle.ConstantTimeCompare([]byte(query.Get(\"state\")), []byte(a.State)) != 1", "query.Get(\"state\") == \"\""},
			edit{room + "/consent.go", "	\"crypto/subtle\"\n", ""}),
		tests(room, "^TestOneAnswer$", "a second answer is taken", "a later answer replaces the one that was taken",
			edit{room + "/listen.go", "	default:\n		return false\n", "	default:\n		<-l.answers\n		l.answers <- answer\n		return true\n"}),
		tests(room, "^TestOneAnswer$", "the code on the page", "the page in the browser shows the code",
			edit{room + "/listen.go", "\"Close this page, and go on in the terminal.\"", "\"Close this page, and go on in the terminal. The code is \"+code"}),
		tests(room, "^TestPaste$", "a paste is quoted", "the message about an address that cannot be read quotes it",
			edit{room + "/consent.go", "errors.New(\"the address cannot be read: paste it whole, as the browser shows it\")", "fmt.Errorf(\"the address cannot be read: %w\", err)"}),
		tests("pipeline/upstream", "^TestScopes$", "a scope with a secret", "what the token endpoint names a scope is stored as it came",
			edit{"pipeline/upstream/token/tokencall.go", "usable(scope) && string(t.scrub.Text(scope, mostScope)) == scope", "usable(scope) && len(scope) <= mostScope"}),
		tests(storeRoom, "^TestReplace$", "a token for all accounts", "all accounts may read the file that a new token made",
			edit{storeRoom + "/store.go", "		err = r.takeAfter(before)\n	}\n", "		err = r.takeAfter(before)\n	} else {\n		err = file.Chmod(0o644)\n	}\n"}),
	}
}

const storeRoom = "pipeline/engine/config/secrets"

// rereadBugs let secrets out of their stores, or lose them when they are read again
// (docs/decisions/0020-secrets-and-roles).
func rereadBugs() []bug {
	return []bug{
		tests(storeRoom, "^TestCommandsThatFail$", "what a command said", "the error of a command that failed quotes what it printed",
			edit{storeRoom + "/command.go", "run it by hand to see why\", words[0], exited.ProcessState)", "it printed %s\", words[0], exited.ProcessState, output.text.String())"}),
		tests(storeRoom, "^TestACommandDoesNotGetTheSealingKey$", "a command with the sealing key", "the program that reads a secret gets the key that seals all tokens",
			edit{storeRoom + "/command.go", "slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, encryptionKey) })", "os.Environ()"},
			edit{storeRoom + "/command.go", "	\"slices\"\n", ""}),
		tests(storeRoom, "^TestOneReadingRunsACommandOnce$", "commands by program", "two secrets that one program reads are the same secret",
			edit{storeRoom + "/secrets.go", "	known, ran := s.Reading.printed[line]\n", "	name, _, _ := strings.Cut(line, \" \")\n	known, ran := s.Reading.printed[name]\n"},
			edit{storeRoom + "/secrets.go", "		s.Reading.printed[line] = known\n", "		s.Reading.printed[name] = known\n"}),
		tests("pipeline/engine/config", "^TestOffline$", "a mistake is an absence", "a secret that is written wrongly counts as one that is not there",
			edit{"pipeline/engine/config/load.go", "missing && purpose.optional(path)", "(missing || err != nil) && purpose.optional(path)"}),
		tests("pipeline/engine", "^TestARereadThatFails$", "forgotten before they are read", "a reading that fails leaves no secret in force",
			edit{"pipeline/engine/reread.go", "	conf, err := a.secrets.load()\n", "	clear(a.secrets.organizations)\n	conf, err := a.secrets.load()\n"}),
		tests("pipeline/engine", "^TestARereadThatFails$", "gone is empty", "a secret that cannot be read again is empty, and used",
			edit{"pipeline/engine/app.go", "file.Again, options.Catalogue, options.Purpose)\n", "file.Again, options.Catalogue, config.ForOffline)\n"}),
	}
}

// sealBugs leave tokens under a key that the operator then takes away
// (docs/decisions/0020-secrets-and-roles).
func sealBugs() []bug {
	const room = "pipeline/upstream/token"
	return []bug{
		tests(room, "^TestAgain$", "sealed by another key", "a rotation leaves alone what the newest key does not open",
			edit{room + "/seal.go", "	plain, err := s.open(credential, sealed)\n	if err != nil {\n		return sealed\n", "	plain, err := s[:1].open(credential, sealed)\n	if err != nil {\n		return sealed\n"}),
		tests(room, "^TestAgain$", "sealed again by the old key", "a rotation seals with the last key of the list",
			edit{room + "/seal.go", "	return s.seal(credential, plain)\n", "	return s[len(s)-1:].seal(credential, plain)\n"}),
		tests(room, "^TestAgain$", "both tokens or none", "a credential counts as done when the newest key sealed one of its tokens",
			edit{room + "/ring.go", "access > 0 || refresh > 0", "access > 0 && refresh > 0"}),
	}
}

// watchBugs show an operator another program than the one that runs
// (docs/decisions/0024-metrics and docs/decisions/0035-traces).
func watchBugs() []bug {
	const (
		room  = "pipeline/engine/metrics"
		spans = "pipeline/engine/traces"
	)
	return []bug{
		tests(room, "^TestLabelsHaveTheirValues$", "labels in another order", "refusals are counted for an organization that is called like a service",
			edit{room + "/metrics.go", "refusal.Organization, refusal.Service, refusal.Kind", "refusal.Service, refusal.Organization, refusal.Kind"}),
		tests(room, "^TestWithoutFigures$", "up without a database", "a process that reads no table says that its database is up",
			edit{room + "/metrics.go", "c.send(out, databaseUp, 0)", "c.send(out, databaseUp, 1)"}),
		tests(spans, "^TestASpanNamesTheTemplate$", "a path in place of its template", "the identifier of a record goes to the collector",
			edit{spans + "/calls.go", "t.text(keyTemplate, call.Endpoint)", "t.text(keyTemplate, string(call.Path))"}),
		tests(spans, "^TestTheLastSpansAreSent$", "the last spans", "a process ends without sending the spans that wait",
			edit{spans + "/traces.go", "	_ = t.provider.Shutdown(ctx) ", "	go t.provider.Shutdown(ctx) "}),
	}
}

// roleBugs give roles of the database more than they need (docs/decisions/0020-secrets-and-roles).
func roleBugs() []bug {
	const room = "pipeline/warehouse/roles"
	return []bug{
		tests(room, "^TestRights$", "a receiver with tokens", "the process that the internet reaches may read the sealed tokens",
			edit{"migrations/00121_roles.sql", "    EXECUTE format('GRANT EXECUTE ON FUNCTION notifications.take_callback TO %I', p_role);\n",
				"    EXECUTE format('GRANT EXECUTE ON FUNCTION notifications.take_callback TO %I', p_role);\n    EXECUTE format('GRANT SELECT ON TABLE sluice.tokens TO %I', p_role);\n"}),
		tests(room, "^TestRights$", "a console that writes", "the role of the pages may change what it shows",
			edit{"migrations/00121_roles.sql", "masked values are made with.\n        SELECT 'GRANT SELECT ON TABLE '", "masked values are made with.\n        SELECT 'GRANT SELECT, UPDATE ON TABLE '"}),
	}
}

// timelineBugs forget that a promotion or a restore may have taken back what was committed
// (docs/decisions/0019-shared-database).
func timelineBugs() []bug {
	return []bug{
		tests("pipeline/warehouse", "^TestAClaimEndsWithItsTimeline$", "a claim of another timeline", "a worker goes on behind rows that a promotion lost",
			edit{"pipeline/warehouse/streams/claim.go", "stream.Timeline != claim.Timeline", "false"}),
		tests("pipeline/warehouse/calls", "^TestNoCallLeavesAfterTheTimelineChanged$", "calls right after a promotion",
			"calls that the database forgot count for upstream's minute and not for ours",
			edit{"migrations/00103_calls.sql", "    IF v_until > clock_timestamp() THEN\n", "    IF false THEN\n"}),
	}
}

// figureBugs show figures that are not those by which calls are decided.
func figureBugs() []bug {
	return []bug{
		tests("pipeline/warehouse/calls", "^TestAnHourThatIsOverCountsAtOnce$", "an hour not summed up",
			"the calls of an hour that is over are not shown before the next one",
			edit{"pipeline/warehouse/calls/days.go", "least(a.newest, date_bin('1 hour', v.high, 'epoch'))", "date_bin('1 hour', least(a.at, v.high), 'epoch')"}),
	}
}

// releaseBugs make two builds of one commit differ (docs/decisions/0023-releases).
func releaseBugs() []bug {
	const room = "cmd/sluice-release"
	return []bug{
		tests(room, "^TestArchivesAreEqual$", "archives of their hour", "an archive holds when its files were written",
			edit{room + "/archive.go", "ModTime: at,", "ModTime: info.ModTime(),"}),
		tests(room, "^TestArchivesAreEqual$", "archives of their umask", "an archive holds the modes that the builder's account gives",
			edit{room + "/archive.go", "Mode: int64(modeOf(info)),", "Mode: int64(info.Mode().Perm()),"}),
	}
}
