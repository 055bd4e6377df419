package config

import (
	"time"

	"sluice/schema"
)

const (
	// defaultSweep is the interval between two sweeps of a list.
	defaultSweep = 7 * 24 * time.Hour
	// minSweep is the shortest interval, because a sweep reads the whole list twice.
	minSweep = time.Hour
	// noSweep turns sweeps of a list off.
	noSweep = "off"
)

// sweepEvery returns the default interval between two sweeps of a resource; zero for a resource
// without sweeps, such as one whose own runs read the whole list.
func sweepEvery(r *schema.Resource) time.Duration {
	if r.Swept() {
		return defaultSweep
	}
	return 0
}

// swept returns the interval between two sweeps: the one in the file, or the usual one; zero for
// none.
func (c *checker) swept(usual time.Duration, written string, declared *schema.Resource, path string) time.Duration {
	every, err := time.ParseDuration(written)
	switch {
	case c.Raw(path) == "":
		return usual
	case !declared.Swept():
		c.failf(path, "has no meaning here: only lists that are read from a watermark are swept besides; remove it")
	case written == noSweep:
		return 0
	case err != nil || every < minSweep:
		c.failf(path, "has to be off, or %s or more, such as 168h, not %s", "1h", c.Raw(path))
	default:
		return every
	}
	return usual
}

// tombstones checks the rules for tombstones.
func (c *checker) tombstones(t Tombstones) {
	if t.MaxRows < 0 {
		c.failf("tombstones.max_rows", "has to be 0 or more, not %s", c.Raw("tombstones.max_rows"))
	}
	if !(t.MaxShare >= 0 && t.MaxShare <= 1) {
		c.failf("tombstones.max_share", "has to be a share from 0 to 1, not %s: 0.02 is two in a hundred", c.Raw("tombstones.max_share"))
	}
	if t.Apart < 0 {
		c.failf("tombstones.apart", "has to be 0s or more, such as 10m, not %s", c.Raw("tombstones.apart"))
	}
}
