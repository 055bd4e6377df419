package scan

import (
	"testing"

	"pgregory.net/rapid"
)

// TestWindowsOverlap: whatever is covered, a window is a page of upstream's: it begins at a
// multiple of its size, overlaps what is covered by as much as asked for, and reaches further.
func TestWindowsOverlap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 200).Draw(t, "most")
		least := rapid.IntRange(leastOverlap, 60).Draw(t, "least")
		covered := rapid.IntRange(0, 100_000).Draw(t, "covered")
		unsized := rapid.SampledFrom([]int{0, 5_000}).Draw(t, "unsized")
		number, size := window(covered, least, most, unsized)
		if number == 0 {
			return
		}
		begins, ends := (number-1)*size, number*size
		if size > most && size != unsized || begins > covered-least || begins < 0 || ends <= covered {
			t.Errorf("page %d of %d holds %d to %d, and %d are covered", number, size, begins, ends, covered)
		}
	})
}

// TestLongListsTakeTheFewestWindows: the windows chosen one after the other are as few as any
// choice of windows. The fewest are reckoned from all positions that windows can end at.
func TestLongListsTakeTheFewestWindows(t *testing.T) {
	t.Parallel()
	const most, longest, never = 200, 50_400, 1 << 30
	fewest := make([]int, longest+2*most)
	for i := range fewest {
		fewest[i] = never
	}
	fewest[most] = 1
	for end := most; end <= longest; end++ {
		for size := leastOverlap + 1; size <= most && fewest[end] < never; size++ {
			if next := ((end-leastOverlap)/size + 1) * size; next > end {
				fewest[next] = min(fewest[next], fewest[end]+1)
			}
		}
	}
	for records, want := range map[int]int{1_000: 6, 5_000: 28, 20_160: 111, longest: 277} {
		best := never
		for end := records + 1; end < len(fewest); end++ { // the last page has to be short
			best = min(best, fewest[end])
		}
		calls := 1
		for covered := most; covered <= records; calls++ {
			number, size := window(covered, leastOverlap, most, 0)
			covered = number * size
		}
		if calls != best || calls != want {
			t.Errorf("%d records: %d calls, %d are the fewest, want %d", records, calls, best, want)
		}
	}
}
