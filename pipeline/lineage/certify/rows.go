package certify

import (
	"context"
	"strings"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/certificates"
)

// list compares the tables of a list with the certificate, part by part. Each part is the range of
// keys that the records of the certificate span; what came later lies between them.
func (k *check) list(ctx context.Context, l *List) error {
	if len(l.Tables) == 0 {
		return nil
	}
	for i := range l.Tables {
		lacks, err := l.Tables[i].Lacks(ctx, k.view)
		if err != nil {
			return err
		}
		if len(lacks) > 0 {
			k.moved(l.Tables[i].Name, 0, "not compared: the table has no column "+strings.Join(lacks, ", ")+" any more")
			return nil
		}
	}
	key := k.keyOf(l)
	rebuilt, err := certificates.Rebuilt(ctx, k.view, key, k.QuietBefore)
	if err != nil {
		return err
	}
	c := &comparison{check: k, list: l, key: key, rebuilt: rebuilt}
	for range l.Tables {
		c.before, c.now, c.changed = append(c.before, certificates.NewSum()), append(c.now, certificates.NewSum()), append(c.changed, 0)
	}
	if !k.single { // which records it had is not known
		pruned, err := certificates.Pruned(ctx, k.view, key, k.QuietBefore, nil)
		if err != nil {
			return err
		}
		c.changed[0] += int64(len(pruned))
	}
	of := certificates.Range{}
	for number := 0; ; number++ {
		stored, err := certificates.Stored(ctx, k.view, k.ID, l.Resource, l.Tables[0].Name, number)
		if err != nil {
			return err
		}
		of.Upto = ""
		if n := len(stored.Records); n >= certificates.PartSize {
			of.Upto = stored.Records[n-1].Key
		} else if !k.single {
			if of.Upto, err = l.Tables[0].Next(ctx, k.view, k.Organization, of.After); err != nil {
				return err
			}
		}
		if err := c.part(ctx, stored, of); err != nil {
			return err
		}
		if of.Upto == "" {
			break
		}
		of.After = of.Upto
	}
	c.conclude()
	return nil
}

// comparison is that of one list.
type comparison struct {
	*check

	list    *List
	key     pipeline.Key
	rebuilt bool
	// before are the digests of what the certificate keeps of each table, now those of what is
	// there. changed counts the records that runs changed.
	before, now []*certificates.Sum
	changed     []int64
	// wrote are the records of the part that a run wrote since; decided those whose tombstone was
	// decided since, and pruned those whose row was deleted since because the tombstone was old.
	wrote, decided, pruned map[string]bool
}

func (c *comparison) part(ctx context.Context, stored certificates.Part, of certificates.Range) error {
	for i := range c.list.Tables {
		table := &c.list.Tables[i]
		if i > 0 {
			var err error
			if stored, err = certificates.Stored(ctx, c.view, c.ID, c.list.Resource, table.Name, stored.Number); err != nil {
				return err
			}
		}
		present, err := table.Part(ctx, c.view, c.Organization, of)
		if err != nil {
			return err
		}
		c.before[i].Add(stored.Records)
		c.now[i].Add(present)
		if i == 0 {
			if err := c.explain(ctx, stored.Records, present); err != nil {
				return err
			}
		}
		if c.single {
			c.compare(i, stored.Records, present)
		} else {
			for j := range present {
				if c.wrote[present[j].Key] && i == 0 {
					c.changed[0]++
				}
			}
		}
	}
	return nil
}

// explain finds out which records of a part runs wrote, whose tombstone was decided, and whose row
// is kept no more.
func (c *comparison) explain(ctx context.Context, stored, present []certificates.Record) error {
	var err error
	if c.wrote, err = certificates.Wrote(ctx, c.view, c.key, c.Moment, present); err != nil {
		return err
	}
	var ids []string
	for i := range stored {
		ids = append(ids, stored[i].Key)
	}
	for i := range present {
		ids = append(ids, present[i].Key)
	}
	if c.decided, err = certificates.Decided(ctx, c.view, c.key, c.QuietBefore, ids); err != nil {
		return err
	}
	c.pruned, err = certificates.Pruned(ctx, c.view, c.key, c.QuietBefore, ids)
	return err
}

// compare walks both in the order of keys.
func (c *comparison) compare(at int, stored, present []certificates.Record) {
	for len(stored) > 0 || len(present) > 0 {
		switch {
		case len(present) == 0 || len(stored) > 0 && stored[0].Key < present[0].Key:
			c.gone(at, &stored[0])
			stored = stored[1:]
		case len(stored) == 0 || present[0].Key < stored[0].Key:
			c.came(at, &present[0])
			present = present[1:]
		default:
			c.differs(at, &stored[0], &present[0])
			stored, present = stored[1:], present[1:]
		}
	}
}

// accounted reports whether something of ours accounts for other values of a record, and counts
// it.
func (c *comparison) accounted(at int, record string) bool {
	if c.wrote[record] || c.rebuilt {
		c.changed[at]++
		return true
	}
	return false
}

// gone is a row that is not there any more. The row of a record goes when its tombstone is old, its
// elements go with it, or when a run writes the record.
func (c *comparison) gone(at int, was *certificates.Record) {
	table := &c.list.Tables[at]
	switch {
	case c.pruned[was.Key]:
		c.changed[at]++
	case !table.Elements():
		c.tamperedf(table.Name, was.Key, "the row is gone")
	case !c.accounted(at, was.Key):
		c.tamperedf(table.Name, was.Key, "the elements of the record are gone, and no run wrote it since")
	}
}

func (c *comparison) came(at int, is *certificates.Record) {
	table := &c.list.Tables[at]
	if !c.wrote[is.Key] && (!table.Elements() || !c.rebuilt) {
		c.tamperedf(table.Name, is.Key, "the row was added, and no run brought it")
		return
	}
	c.changed[at]++
}

func (c *comparison) differs(at int, was, is *certificates.Record) {
	table := &c.list.Tables[at].Name
	switch {
	case was.Same(is):
	case was.Leaf != is.Leaf:
		if !c.accounted(at, is.Key) {
			c.tamperedf(*table, is.Key, "a value is another one, and no run wrote the record since")
		}
	case c.wrote[is.Key] || c.decided[is.Key]:
		c.changed[at]++
	case is.Deleted == nil:
		c.tamperedf(*table, is.Key, "the tombstone is gone, and there is no evidence that the record came back")
	default:
		c.tamperedf(*table, is.Key, "the tombstone is another one, and there is no evidence for it")
	}
}

// conclude compares the digests of whole tables. The digests of single records are in the
// warehouse: the certificate says what they have to sum up to.
func (c *comparison) conclude() {
	for i := range c.list.Tables {
		table := &c.list.Tables[i]
		switch {
		case c.single && c.before[i].Digest() != table.Digest:
			c.tamperedf(ours+"certified_rows", table.Name, "the stored digests of the records are other ones than those of the certificate")
		case !c.single && c.now[i].Digest() != table.Digest && c.changed[0] == 0 && !c.rebuilt && table.Rows == c.now[i].Rows:
			c.tamperedf(table.Name, "", "its digest is another one, and no run wrote a record since")
		case !c.single && c.now[i].Digest() != table.Digest && c.changed[0] == 0 && !c.rebuilt:
			c.tamperedf(table.Name, "", "it has %d records and had %d, and no run wrote a record since", c.now[i].Rows, table.Rows)
		case !c.single && c.now[i].Digest() != table.Digest:
			c.moved(table.Name, c.changed[0], "of an old certificate, single records are not compared")
		case c.changed[i] > 0 && c.rebuilt:
			c.moved(table.Name, c.changed[i], "by runs or a rebuild: sluice verify --local holds rows against their raw records")
		case c.changed[i] > 0:
			c.moved(table.Name, c.changed[i], "")
		}
	}
}
