package calls_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/calls"
)

// book is a second implementation of the rule about classes: calls by class and by the hour in
// which they were made. All calls of an hour leave the day together, a day and a minute after its
// end: for the rest of that hour they no longer count.
type book struct {
	daily  int
	floors map[pipeline.Class]float64
	calls  map[pipeline.Class]map[int]int
	// stay is how many hours count: 25 with the present one, and in its first minute 26.
	stay int
}

// made counts the calls of a class in hours from first to last.
func (b *book) made(class pipeline.Class, first, last int) int {
	sum := 0
	for hour, calls := range b.calls[class] {
		if hour >= first && hour <= last {
			sum += calls
		}
	}
	return sum
}

func (b *book) free(hour int) int {
	free := b.daily
	for class := range b.calls {
		free -= b.made(class, hour-b.stay+1, hour)
	}
	return free
}

// need is the most that a class can call in this hour and the i before it while it keeps to its
// floor. It assumes that the class made no calls but those up to the hour known.
func (b *book) need(class pipeline.Class, known, hour, i int) int {
	floor := b.floors[class] * float64(b.daily)
	need := int(floor)
	for w := 0; w+i <= 25; w++ {
		need = min(need, int(floor*float64(min(24, w+i+1))/24)-b.made(class, hour-w, min(hour, known)))
	}
	return max(0, need)
}

// wait is in how many hours a call of the class could leave, if no other calls are made; zero if at
// once.
func (b *book) wait(class pipeline.Class, now int) int {
	for later := range 24 {
		if b.fits(class, now, later) {
			return later
		}
	}
	return 24
}

// fits says whether a call of the class, made so many hours later, leaves the other classes what
// they may need then.
func (b *book) fits(class pipeline.Class, now, later int) bool {
	for i := range 26 {
		need := 0
		for other := range b.floors {
			if other != class {
				need += b.need(other, now, now+later, i)
			}
		}
		if b.free(now+later+i)-1 < need {
			return false
		}
	}
	return true
}

func (b *book) make(class pipeline.Class, hour int) {
	if b.calls[class] == nil {
		b.calls[class] = map[int]int{}
	}
	b.calls[class][hour]++
}

// The rule itself: whatever the other classes do, a class that keeps to its floor and its pace is
// never refused.
func TestAFloorCannotBeStarved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := &book{
			stay:  rapid.SampledFrom([]int{25, 26}).Draw(t, "stay"),
			daily: rapid.IntRange(20, 90).Draw(t, "daily"),
			floors: map[pipeline.Class]float64{
				pipeline.ClassIncremental: 0.4,
				pipeline.ClassProbe:       rapid.SampledFrom([]float64{0, 0.02, 0.2}).Draw(t, "probe"),
				pipeline.ClassHinted:      rapid.SampledFrom([]float64{0, 0.05, 0.3}).Draw(t, "hinted"),
			},
			calls: map[pipeline.Class]map[int]int{},
		}
		for now := range 54 {
			for range rapid.IntRange(0, 9).Draw(t, "tries") {
				class := rapid.SampledFrom([]pipeline.Class{
					pipeline.ClassIncremental, pipeline.ClassBackfill, pipeline.ClassProbe, pipeline.ClassSweep, pipeline.ClassHinted,
				}).Draw(t, "class")
				granted := b.free(now) > 0 && b.wait(class, now) == 0
				if !granted && b.keeps(class, now) {
					t.Fatalf("hour %d: a call of %s is refused though the class keeps to its floor", now, class)
				}
				if granted {
					b.make(class, now)
				}
			}
		}
	})
}

// keeps says whether the class keeps to its floor with one more call: no more than n/24 of it in
// any n hours up to this one, and no more than the floor in 26.
func (b *book) keeps(class pipeline.Class, now int) bool {
	for n := 1; n <= 26; n++ {
		if b.made(class, now-n+1, now)+1 > int(b.floors[class]*float64(b.daily)*float64(min(n, 24))/24) {
			return false
		}
	}
	return true
}

// dayAround returns a day, within a tenth of a second of the usual one, for which the instant is in
// the middle of an hour. The database counts hours from 1970. So its decisions do not depend on
// when in an hour the test runs.
func dayAround(now time.Time) time.Duration {
	hours := float64(now.Unix()/3600) + 0.5
	day := 24 * time.Duration(float64(now.UnixNano())/hours)
	return day.Truncate(1440 * time.Microsecond) // its minutes are whole microseconds too
}

// The database follows the rule: for any past, its answer is that of the book.
func TestTheDatabaseKeepsTheFloors(t *testing.T) {
	h := open(t)
	rules := calls.DefaultRules()
	rules.Day = dayAround(ask[time.Time](h, `SELECT clock_timestamp()`))
	process, hour := h.process(rules), rules.Day/24
	outcomes := map[pipeline.Refusal]int{}
	rapid.Check(t, func(r *rapid.T) {
		h.exec(`TRUNCATE sluice.calls`)
		b := &book{stay: 25, daily: rapid.IntRange(10, 120).Draw(r, "daily"), calls: map[pipeline.Class]map[int]int{}, floors: map[pipeline.Class]float64{
			pipeline.ClassIncremental: rapid.SampledFrom([]float64{0, 0.25, 0.5, 0.5}).Draw(r, "incremental"),
			pipeline.ClassProbe:       rapid.SampledFrom([]float64{0, 0.25, 0.25}).Draw(r, "probe"),
			pipeline.ClassHinted:      rapid.SampledFrom([]float64{0, 0.05, 0.2}).Draw(r, "hinted"),
		}}
		shares := pipeline.Shares{}
		for class, floor := range b.floors {
			shares[class] = pipeline.Share{Floor: floor}
		}
		// Calls in the middle of hours that are over.
		var classes []string
		var agos []int
		spenders := rapid.SampledFrom([][]pipeline.Class{
			pipeline.Classes(), {pipeline.ClassSweep}, {pipeline.ClassBackfill, pipeline.ClassProbe}, {pipeline.ClassHinted, pipeline.ClassDetails},
		}).Draw(r, "spenders")
		oldest := rapid.SampledFrom([]int{3, 8, 22}).Draw(r, "oldest")
		for range b.daily - 1 - rapid.IntRange(0, b.daily/2).Draw(r, "left") {
			class, ago := rapid.SampledFrom(spenders).Draw(r, "of"), rapid.IntRange(1, oldest).Draw(r, "hours ago")
			b.make(class, -ago)
			classes, agos = append(classes, string(class)), append(agos, ago)
		}
		h.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, finished_at, free_at)
			SELECT 'o', 'shop', 'things', class, 'suite', 'GET', '/things', at AS a, at AS b, at AS c, at AS d
			FROM unnest($1::text[], $2::integer[]) AS u (class, ago),
				LATERAL (VALUES (date_bin($3, clock_timestamp(), 'epoch') - ago * $3::interval + $3 / 2)) AS h (at)`, classes, agos, hour)
		h.exec(`SELECT sluice.recount_calls($1)`, rules.Day)
		class := rapid.SampledFrom(pipeline.Classes()).Draw(r, "class")
		decision := h.reserve(process, class, pipeline.Limits{Shared: "suite", Daily: b.daily, Shares: shares})
		want := b.wait(class, 0)
		outcomes[decision.Refused]++
		switch {
		case (decision.Refused == pipeline.RefusedClass) != (want > 0) || (decision.Refused == "") != (want == 0):
			r.Fatalf("decision %+v, the book says %d hours", decision, want)
		case want > 0 && (decision.Wait < time.Duration(want)*hour-time.Second || decision.Wait > time.Duration(want)*hour+time.Millisecond):
			r.Fatalf("wait of %s, the book says %d hours", decision.Wait, want)
		}
	})
	check.ErrorIf(t, len(outcomes) != 2, "outcomes %v: not everything was tried", outcomes)
}
