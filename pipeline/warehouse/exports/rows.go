package exports

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/files"
	"sluice/pipeline/warehouse/postgres"
)

// Scales are the scales that decimals of a file have, so that files of two days have one type: the
// first that fits. Only if none fits, it is that of the values.
var scales = []int{10, 18, 26} //nolint:gochecknoglobals // a constant

// Columns returns the columns of a relation as a file of a format has them. For Parquet it reads
// how many digits the decimals have behind their point.
func (s *Snapshot) Columns(ctx context.Context, r *Relation, format files.Format) ([]files.Column, error) {
	columns := make([]files.Column, len(r.Columns))
	var asked []string
	var at []int
	for i := range r.Columns {
		columns[i] = files.Column{Name: r.Columns[i].Name, Kind: r.Columns[i].Kind()}
		if columns[i].Kind == files.Decimal && format == files.Parquet {
			asked, at = append(asked, "max(scale(trim_scale("+quote(r.Columns[i].Name)+")))"), append(at, i)
		}
	}
	if len(asked) == 0 {
		return columns, nil
	}
	where, args := s.where(r)
	rows, _ := s.tx.Query(ctx, "SELECT ARRAY["+strings.Join(asked, ", ")+"] FROM "+r.quoted()+where, args...)
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[[]*int32])
	if err != nil {
		return nil, failed("reading "+r.Full(), err)
	}
	for i, most := range found {
		columns[at[i]].Scale = scaleFor(most)
	}
	return columns, nil
}

// scaleFor is the scale of a column whose values need so many digits behind their point; nil if it
// has no value.
func scaleFor(most *int32) int {
	for _, scale := range scales {
		if most == nil || int(*most) <= scale {
			return scale
		}
	}
	return min(int(*most), files.MaxDigits)
}

// Each calls fn for each row of a relation, in its order. Rows are read as they are used. The row
// is valid until fn returns.
func (s *Snapshot) Each(ctx context.Context, r *Relation, fn func(row []files.Value) error) error {
	kinds := make([]files.Kind, len(r.Columns))
	for i := range r.Columns {
		kinds[i] = r.Columns[i].Kind()
	}
	where, args := s.where(r)
	sql, formats := r.statement(where)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows, err := s.tx.Query(ctx, sql, append([]any{formats}, args...)...)
	if err != nil {
		return failed("reading "+r.Full(), err)
	}
	defer func() {
		cancel() // where fn failed, Close would read all that is left
		rows.Close()
	}()
	row := make([]files.Value, len(r.Columns))
	for rows.Next() {
		for i, raw := range rows.RawValues() {
			if row[i], err = valueOf(kinds[i], raw); err != nil {
				return fmt.Errorf("reading %s.%s: %w", r.Full(), r.Columns[i].Name, err)
			}
		}
		if err := fn(row); err != nil {
			return err
		}
	}
	return failed("reading "+r.Full(), rows.Err())
}

// statement selects the rows in their order, and says in which form the values come.
func (r *Relation) statement(where string) (string, pgx.QueryResultFormats) {
	expressions, formats := make([]string, len(r.Columns)), make(pgx.QueryResultFormats, len(r.Columns))
	for i := range r.Columns {
		expressions[i], formats[i] = r.Columns[i].expression()
	}
	order := r.Order()
	for i, name := range order {
		order[i] = "t." + quote(name) // a bare name would be the selected value, which no index has
		if r.column(name).collated {
			order[i] += ` COLLATE "C"` // the order of bytes is the same on all machines
		}
	}
	return "SELECT " + strings.Join(expressions, ", ") + " FROM " + r.quoted() + " AS t" + where + " ORDER BY " + strings.Join(order, ", "), formats
}

func (s *Snapshot) where(r *Relation) (string, []any) {
	if s.scope.Organization == "" || !r.HasOrganization() {
		return "", nil
	}
	return " WHERE " + organizationColumn + " = $1", []any{s.scope.Organization}
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// expression selects the values of a column, and says in which form they come: in binary form what
// has a fixed size.
func (c *Column) expression() (string, int16) {
	name := quote(c.Name)
	switch c.Kind() {
	case files.Bool, files.Date, files.Time, files.Bytes:
		return name, pgtype.BinaryFormatCode
	case files.Int:
		return name + "::bigint", pgtype.BinaryFormatCode
	case files.Decimal:
		return name, pgtype.TextFormatCode
	case files.JSON:
		if c.Type != "jsonb" {
			name = "to_jsonb(" + name + ")"
		}
		return name, pgtype.TextFormatCode
	default:
		return name + "::text", pgtype.TextFormatCode
	}
}

// Postgres counts from 1 January 2000. Source: PostgreSQL, src/include/datatype/timestamp.h.
const (
	daysTo2000   = 10_957
	microsTo2000 = daysTo2000 * 86_400_000_000
)

// sizes are the bytes of the kinds that have a fixed size.
var sizes = [...]int{files.Bool: 1, files.Int: 8, files.Date: 4, files.Time: 8}

var errForm = errors.New("a value has another size than its type")

// valueOf reads a value as Postgres sends it. What has no beginning or no end gets the first or the
// last day that files have.
func valueOf(kind files.Kind, raw []byte) (files.Value, error) {
	if raw == nil {
		return files.Value{Null: true}, nil
	}
	if size := sizes[kind]; size > 0 && len(raw) != size {
		return files.Value{}, errForm
	}
	switch kind {
	case files.Bool:
		return files.Value{Number: int64(raw[0])}, nil
	case files.Int, files.Time:
		n := int64(binary.BigEndian.Uint64(raw)) //nolint:gosec // the bits are the same
		if kind == files.Time {
			n = instant(n)
		}
		return files.Value{Number: n}, nil
	case files.Date:
		return files.Value{Number: day(int32(binary.BigEndian.Uint32(raw)))}, nil //nolint:gosec // the bits are the same
	default:
		return files.Value{Text: raw}, nil
	}
}

func instant(n int64) int64 {
	switch n {
	case math.MaxInt64:
		return files.LastInstant
	case math.MinInt64:
		return files.FirstInstant
	default:
		return n + microsTo2000
	}
}

func day(n int32) int64 {
	switch n {
	case math.MaxInt32:
		return files.LastDay
	case math.MinInt32:
		return files.FirstDay
	default:
		return int64(n) + daysTo2000
	}
}

// failed wraps an error of the database with what Postgres advises, as schema as_of does.
func failed(op string, err error) error {
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok && answer.Hint != "" {
		err = fmt.Errorf("%w (%s)", err, answer.Hint)
	}
	return postgres.Fail(op, err)
}
