package config

import (
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Lake says where sluice-lake publishes the tables in the format of Iceberg. The program itself
// only checks it.
type Lake struct {
	// Warehouse is the place of the files: an absolute path, or s3://bucket and a prefix. How a
	// bucket is reached, and its secrets, are in the environment. Empty means that nothing is
	// published.
	Warehouse string `yaml:"warehouse"`
	// Catalog is the address of the database whose schema lake has the catalog, migrated by this
	// program; empty means that of the warehouse. Several warehouses with one catalog and one place
	// publish into the same tables. It is a Secret because it may carry a password.
	Catalog Secret `yaml:"catalog"`
	// Every is the time between two publications.
	Every time.Duration `yaml:"every"`
	// Buckets is the number of buckets that a new table has for its organizations.
	Buckets int `yaml:"buckets"`
}

const (
	leastEvery  = 10 * time.Second
	mostBuckets = 1024
)

// bucketAddress is the form of an address of the S3 API.
var bucketAddress = regexp.MustCompile(`^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9!_.*'()=/-]*)?$`) //nolint:gochecknoglobals // a constant

func (c *checker) lake(l Lake) {
	bucket := bucketAddress.MatchString(strings.TrimRight(l.Warehouse, "/"))
	c.wantf(bucket || l.Warehouse == "" || filepath.IsAbs(l.Warehouse), "lake.warehouse",
		"has to be an absolute path or s3://bucket/prefix, not %q: its keys belong into the environment (AWS_ACCESS_KEY_ID)")
	if l.Catalog.Reveal() != "" && l.Warehouse == "" {
		c.failf("lake.catalog", "has the tables of a lake, and there is no lake.warehouse: say where their files are, or remove the catalog")
	}
	c.wantf(l.Every >= leastEvery && l.Every <= day, "lake.every", "has to be at least 10s and at most 24h, not %s")
	c.wantf(l.Buckets >= 1 && l.Buckets <= mostBuckets, "lake.buckets",
		"has to be at least 1 and at most %d, not %s: 16 suits up to some hundred million rows of a table", mostBuckets)
}
