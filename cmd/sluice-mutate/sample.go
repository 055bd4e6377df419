package main

import "slices"

// mistakes are the bugs that stand for the known mistakes of docs/reliability.md ("Deliberate
// bugs"): each sample has all of them.
func mistakes() []string {
	return []string{
		"watermark from data", "watermark from data, one second on", "strict bound", "known by its time", "order taken for granted", "one pass is enough",
		"a tie walked once", "watermark before the rows", "rows without their job", "no fence", "no reaper", "counted when sent",
		"requests are sent again", "a crash frees the slot", "done is under way", "no second look", "all callers refresh", "200 is success",
		"all columns are written", "children without their array", "numbers are floats", "last write wins", "as late is newer",
		"set back at once", "one scan is enough", "raw error texts", "redirects are followed",
	}
}

// sample keeps one in so many of the bugs beside those; another offset gives other bugs.
func sample(all []bug, oneIn, offset int) []bug {
	var some []bug
	others := 0
	for _, b := range all {
		if slices.Contains(mistakes(), b.Name) {
			some = append(some, b)
			continue
		}
		if (others+offset)%oneIn == 0 {
			some = append(some, b)
		}
		others++
	}
	return some
}
