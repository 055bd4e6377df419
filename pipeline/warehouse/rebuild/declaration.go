package rebuild

import (
	"crypto/sha256"
	"fmt"

	"sluice/pipeline"
	"sluice/schema/record"
)

// Declaration is a digest of what a stream's declaration makes of records: its tables and columns, and the rule of the content hash.
func Declaration(stream pipeline.Stream) []byte {
	digest := sha256.New()
	_, _ = fmt.Fprintln(digest, record.HashRule) // a hash takes everything
	tables := stream.Resource.Tables()
	for i := range tables {
		_, _ = fmt.Fprintf(digest, "%q %q\n", tables[i].Name, tables[i].Path)
		for c := range tables[i].Columns {
			column := &tables[i].Columns[c]
			_, _ = fmt.Fprintf(digest, "%q %q %d\n", column.Wire, column.ColumnName(), column.Kind)
		}
	}
	return digest.Sum(nil)
}
