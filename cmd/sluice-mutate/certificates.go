package main

// certificateBugs make a certificate, or its check, miss what was tampered with
// (docs/decisions/0032-certificate).
func certificateBugs() []bug {
	const (
		room  = "cmd/sluice/cli"
		rows  = "pipeline/lineage/certify/rows.go"
		check = "pipeline/lineage/certify/check.go"
	)
	return []bug{
		tests(room, "^TestCertificate$", "any run accounts for a value", "an edit by hand is taken for what a run wrote",
			edit{rows, "	if c.wrote[record] || c.rebuilt {\n", "	if c.wrote[record] || !c.rebuilt {\n"}),
		tests(room, "^TestCertificate$", "a tombstone without evidence", "a tombstone that an operator wrote by hand is accounted for",
			edit{rows, "	case c.wrote[is.Key] || c.decided[is.Key]:\n", "	case c.wrote[is.Key] || c.decided[is.Key] || is.Deleted != nil:\n"}),
		tests(room, "^TestCertificate$", "a watermark without a run", "a watermark that something else moved is taken for a run's",
			edit{check, "			if !reached {\n", "			if false && !reached {\n"}),
		tests(room, "^TestCertificate$", "a signature of anything", "a certificate that was rewritten passes its own check",
			edit{"pipeline/lineage/certify/sign.go", "|| !ed25519.Verify(key.public(), d.Certificate, sealed) {", "|| len(sealed) == 0 {"}),
	}
}
