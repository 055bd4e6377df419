package main

// eventBugs lose messages to receivers, or send them in another order
// (docs/decisions/0028-change-log).
func eventBugs() []bug {
	const room = "pipeline/events"
	const stored = "pipeline/warehouse/receivers/receivers.go"
	return []bug{
		tests(room, "^TestReplica$", "told before it was heard", "the position moves past a page although a post failed",
			edit{room + "/deliver.go", "		if done.all {\n", "		if done.all || done.failure != nil {\n"}),
		tests(room, "^TestReplica$", "any lane", "messages about one record are posted side by side",
			edit{room + "/lanes.go", "maphash.String(laneSeed, l.messages[i].lane)", "maphash.String(laneSeed, l.messages[i].id)"}),
		tests(room, "^TestMessages$", "the end of a run at any time", "a receiver hears that a run ended before it hears what it changed",
			edit{room + "/deliver.go", "alone || ends {", "alone && many == 0 {"}),
		tests(room, "^TestMoved$", "a lost claim still moves", "a process stores its position after the operator chose another one",
			edit{stored, "	next_attempt = CASE WHEN $5::bigint > 0 THEN NULL ELSE next_attempt END\nWHERE name = $1 AND claim = $2`", "	next_attempt = CASE WHEN $5::bigint > 0 THEN NULL ELSE next_attempt END\nWHERE name = $1 AND $2::bigint > 0`"}),
		tests(room, "^TestDown$", "all lanes ask a receiver that is down", "each attempt after a failure posts in all lanes",
			edit{room + "/lanes.go", "	if r.claim.Failures > 0 {\n", "	if r.claim.Failures < 0 {\n"}),
		tests(room, "^TestFailures$", "receivers redirect messages", "a message goes where an answer sends it",
			edit{room + "/post.go", "{ return http.ErrUseLastResponse }", "{ return nil }"}),
	}
}
