package files

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"sluice/cmd/sluice-lake/shape"
	"sluice/cmd/sluice-lake/storage"
)

// Live are the files of a snapshot in one bucket.
type Live struct {
	Data, Deletes []iceberg.DataFile
}

// Rows is how many rows the data files have, deleted ones included.
func (l *Live) Rows() int64 { return rowsOf(l.Data) }

// Deleted is how many positions are deleted.
func (l *Live) Deleted() int64 { return rowsOf(l.Deletes) }

func rowsOf(files []iceberg.DataFile) int64 {
	var n int64
	for _, f := range files {
		n += f.Count()
	}
	return n
}

// NoBucket stands for the bucket of a table that has none.
const NoBucket = -1

// EveryCell stands for the cells of all files.
const EveryCell = ""

// LiveFiles reads which files the current snapshot of a table has of a cell, by bucket. A file that
// names no cell belongs to the one that asks.
func LiveFiles(store storage.Storage, t *table.Table, cell string) (map[int]*Live, error) {
	found := map[int]*Live{}
	snapshot := t.CurrentSnapshot()
	if snapshot == nil {
		return found, nil
	}
	manifests, err := snapshot.Manifests(store)
	if err != nil {
		return nil, fmt.Errorf("reading the files of %v: %w", t.Identifier(), err)
	}
	for _, manifest := range manifests {
		for entry, err := range manifest.Entries(store, true) {
			if err != nil {
				return nil, fmt.Errorf("reading the files of %v: %w", t.Identifier(), err)
			}
			file := entry.DataFile()
			if of := cellOf(file.FilePath()); cell != EveryCell && of != "" && of != cell {
				continue
			}
			bucket, err := bucketOf(file)
			if err != nil {
				return nil, err
			}
			if found[bucket] == nil {
				found[bucket] = &Live{}
			}
			if file.ContentType() == iceberg.EntryContentData {
				found[bucket].Data = append(found[bucket].Data, file)
			} else {
				found[bucket].Deletes = append(found[bucket].Deletes, file)
			}
		}
	}
	return found, nil
}

// cellOf is the cell whose rows a file has: what stands before the first point of its name, where
// another point follows. It is "" for a file of another program.
func cellOf(name string) string {
	cell, rest, _ := strings.Cut(path.Base(name), ".")
	if strings.Contains(rest, ".") {
		return cell
	}
	return ""
}

func bucketOf(file iceberg.DataFile) (int, error) {
	if len(file.Partition()) == 0 {
		return NoBucket, nil
	}
	switch bucket := file.Partition()[shape.BucketFieldID].(type) {
	case int32:
		return int(bucket), nil
	case int:
		return bucket, nil
	default:
		return 0, fmt.Errorf("%s is in no bucket of organizations: another program wrote it", file.FilePath())
	}
}

// Keys are keys of records, by organization.
type Keys map[string]map[string]struct{}

// Add adds keys.
func (k Keys) Add(organization string, ids ...string) {
	if k[organization] == nil {
		k[organization] = map[string]struct{}{}
	}
	for _, id := range ids {
		k[organization][id] = struct{}{}
	}
}

// Len is the number of keys.
func (k Keys) Len() int {
	n := 0
	for _, ids := range k {
		n += len(ids)
	}
	return n
}

// Lists are the organizations and the keys, side by side, in order.
func (k Keys) Lists() ([]string, []string) {
	var organizations, ids []string
	for _, organization := range slices.Sorted(maps.Keys(k)) {
		for _, id := range slices.Sorted(maps.Keys(k[organization])) {
			organizations, ids = append(organizations, organization), append(ids, id)
		}
	}
	return organizations, ids
}

// Search finds the rows of records in the files of a bucket, those that are deleted already left
// out. Key is the column with the key of the record.
func Search(ctx context.Context, store storage.Storage, t *table.Table, live *Live, keys Keys, key string) (Positions, error) {
	organizationField, ok := t.Schema().FindFieldByName("organization_id")
	keyField, found := t.Schema().FindFieldByName(key)
	if !ok || !found {
		return nil, fmt.Errorf("the table %v of the lake has no columns organization_id and %s", t.Identifier(), key)
	}
	result, sorted := Positions{}, map[string][]string{}
	for organization, ids := range keys {
		sorted[organization] = slices.Sorted(maps.Keys(ids))
	}
	for _, file := range live.Data {
		if !mayHave(file, sorted, organizationField.ID, keyField.ID) {
			continue
		}
		positions, err := search(ctx, store, file, keys, key)
		if err != nil {
			return nil, err
		}
		if len(positions) > 0 {
			result[file.FilePath()] = positions
		}
	}
	if len(result) == 0 || len(live.Deletes) == 0 {
		return result, nil
	}
	gone, err := ReadDeletes(ctx, store, live.Deletes, func(path string) bool { return result[path] != nil })
	if err != nil {
		return nil, err
	}
	for path, positions := range gone {
		result[path] = without(result[path], positions)
		if len(result[path]) == 0 {
			delete(result, path)
		}
	}
	return result, nil
}

// mayHave reports whether the bounds of a file leave room for one of the keys, which are in order.
func mayHave(file iceberg.DataFile, sorted map[string][]string, organizationField, keyField int) bool {
	low, high := file.LowerBoundValues(), file.UpperBoundValues()
	below := func(field int, value string) bool { return low[field] != nil && value < string(low[field]) }
	above := func(field int, value string) bool { return high[field] != nil && value > string(high[field]) }
	for organization, ids := range sorted {
		if below(organizationField, organization) || above(organizationField, organization) {
			continue
		}
		first, _ := slices.BinarySearch(ids, string(low[keyField]))
		if first < len(ids) && !above(keyField, ids[first]) {
			return true
		}
	}
	return false
}
