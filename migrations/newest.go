package migrations

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Newest is the number of the last embedded file: the version of the schema that this program
// migrates a database to.
func Newest() (int64, error) {
	names, err := fs.Glob(FS, "*.sql")
	if err != nil {
		return 0, fmt.Errorf("listing the embedded migrations: %w", err)
	}
	if len(names) == 0 {
		return 0, errors.New("the program has no migrations")
	}
	number, _, _ := strings.Cut(names[len(names)-1], "_") // Glob sorts
	newest, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the number of the migration %s: %w", names[len(names)-1], err)
	}
	return newest, nil
}
