package rules_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
)

// sqlTexts finds times that SQL compares as texts; <> asks for no order.
var sqlTexts = regexp.MustCompile(`(?i)((modified|watermark|bound|_at|_time|_since)::text|to_char\([^)]*\))\s*(>|<[^>])`)

// orderOfTexts returns the comparisons of times as texts in a piece of a program, in Go or in SQL.
func orderOfTexts(node ast.Node) []string {
	var operands []ast.Expr
	switch n := node.(type) {
	case *ast.BasicLit:
		if found := sqlTexts.FindString(n.Value); n.Kind == token.STRING && found != "" {
			return []string{"compares in SQL " + found}
		}
	case *ast.BinaryExpr:
		if slices.Contains([]token.Token{token.LSS, token.GTR, token.LEQ, token.GEQ}, n.Op) {
			operands = []ast.Expr{n.X, n.Y}
		}
	case *ast.CallExpr:
		if called, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Compare", "Less"}, called.Sel.Name) {
			operands = n.Args
		}
	}
	for _, operand := range operands {
		call, ok := operand.(*ast.CallExpr)
		if !ok {
			continue
		}
		if called, ok := call.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "Format" && !onlyDay(call) {
			return []string{"puts times in order by their texts"}
		}
	}
	return nil
}

// onlyDay reports whether a time is formatted as a day, which has one text and sorts by it.
func onlyDay(call *ast.CallExpr) bool {
	if len(call.Args) != 1 {
		return false
	}
	layout, ok := call.Args[0].(*ast.SelectorExpr)
	return ok && layout.Sel.Name == "DateOnly"
}
