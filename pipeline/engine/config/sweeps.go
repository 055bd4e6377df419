package config

import (
	"time"

	"sluice/schema"
)

const (
	// defaultSweep is the interval between two sweeps of a list.
	defaultSweep = 7 * 24 * time.Hour
	// defaultLook is the interval between two looks for deletions.
	defaultLook = 24 * time.Hour
	// minSweep is the shortest interval of both, because a sweep reads the whole list twice.
	minSweep = time.Hour
	// noSweep turns sweeps or looks of a list off.
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

// lookEvery returns the default interval between two looks at a resource; zero for a resource
// without looks.
func lookEvery(r *schema.Resource) time.Duration {
	if r.Looked() {
		return defaultLook
	}
	return 0
}

// swept returns the interval between two sweeps: the one in the file, or the usual one; zero for
// none.
func (c *checker) swept(usual time.Duration, written string, declared *schema.Resource, path string) time.Duration {
	return c.besides(usual, written, declared.Swept(), "only lists that are read from a watermark are swept besides", path)
}

// looked returns the interval between two looks: the one in the file, or the usual one; zero for
// none. Looks hand what they cannot tell to sweeps, so there are none without sweeps.
func (c *checker) looked(usual time.Duration, written string, declared *schema.Resource, path string) time.Duration {
	return c.besides(usual, written, declared.Looked(), "only swept lists that show every record in the order of creation are looked at", path)
}

// besides returns the interval of runs beside those of the list: the one in the file, or the usual
// one; zero for none.
func (c *checker) besides(usual time.Duration, written string, possible bool, why, path string) time.Duration {
	every, err := time.ParseDuration(written)
	switch {
	case c.Raw(path) == "":
		return usual
	case !possible:
		c.failf(path, "has no meaning here: %s; remove it", why)
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
