package main

const cadenceRoom = "pipeline/planning/cadence"

// scheduleBugs spend the calls of learned intervals badly, or believe that they are spent well
// (docs/decisions/0013-schedules).
func scheduleBugs() []bug {
	return []bug{
		tests(cadenceRoom, "^TestPlan$", "intervals follow the rate", "an interval is shared out in proportion to calls over changes and not to the root of that",
			edit{cadenceRoom + "/cadence.go", "t := math.Sqrt(price * b.cost / b.pull)", "t := price * b.cost / b.pull"}),
		tests(cadenceRoom, "^TestPlan$", "learning waits for the declared interval", "a stream that was just loaded shows its changes only after the declared interval",
			edit{cadenceRoom + "/cadence.go", "	case s.First:\n", "	case false:\n"}),
		tests(cadenceRoom, "^TestUsualHours$", "all hours get the same calls", "the calls of a day are spread evenly, although most changes come in a few hours",
			edit{cadenceRoom + "/hours.go", "	return math.Sqrt(h[at.UTC().Hour()]) * float64(len(h)) / sum\n", "	return 0*sum + 1\n"}),
	}
}
