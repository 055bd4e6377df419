package exports

// Statement is statement without a condition, for its test.
func (r *Relation) Statement() string {
	sql, _ := r.statement("")
	return sql
}
