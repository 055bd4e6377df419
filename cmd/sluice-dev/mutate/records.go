package mutate

// recordBugs coerce or lose what does not fit.
func recordBugs() []bug {
	return []bug{
		tests("pipeline/sync", "TestClashingIdentifiersAreKept", "a clash is a duplicate", "of several records under one identifier one stays, and the others are dropped",
			edit{"pipeline/sync/batch.go", "			others = append(others, record)\n", "			batch.Duplicates++\n"}),
		schedules("5000", "a poison record hides the rest", "the first record that does not fit ends its page",
			edit{"pipeline/sync/unchanged/unchanged.go", "		if err := each(raw, record, misfit); err != nil {\n", "		if err := each(raw, record, misfit); err != nil || misfit != nil {\n"}),
		tests("schema/jsonscan", "TestOnceSaysNoToNamesThatMayComeTwice", "names inside come twice", "of an object inside a value the last of two equal names counts",
			edit{"schema/jsonscan/value.go", "		if string(data[before.from:before.to]) == string(data[name.from:name.to]) {\n			return false\n", "		if before == name {\n			return false\n"}),
		tests("schema/record/...", "(TestDecimalIsExact|TestAppend|TestRecordBecomesRows|TestWhatDoesNotFit)", "numbers are floats", "a number passes through a float",
			edit{"schema/record/canonical/decimal.go", "	mantissa, exponent, ok := splitExponent(literal)\n", "	float, _ := strconv.ParseFloat(string(literal), 64)\n	literal = strconv.AppendFloat(nil, float, 'g', -1, 64)\n	mantissa, exponent, ok := splitExponent(literal)\n"}),
		tests("pipeline/upstream/body", "TestDepthIsJudgedByRecord", "a deep record loses its list", "what is too deep in one record is the whole answer's fault",
			edit{"pipeline/upstream/body/depth.go", "	return n.inRecord()\n", "	return false\n"}),
	}
}
