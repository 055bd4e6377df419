package rules_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sluice/pipeline/check"
)

// logLine is what the program's sources or the reference say of one line of the log.
type logLine struct {
	// levels and keys are sorted and joined by ", ".
	message, levels, keys string
}

// logMethods are the methods that write a line, by the level that they write; "" for those that
// take it.
func logMethods() map[string]string {
	return map[string]string{
		"DebugContext": "debug", "InfoContext": "info", "WarnContext": "warn", "ErrorContext": "error", "Log": "", "LogAttrs": "",
	}
}

// streamKeys are the keys that Key.Log writes.
func streamKeys() []string { return []string{"organization", "resource", "service", "stream"} }

// computed are the messages that are not written out where they are logged, by file.
func computed() map[string]string {
	return map[string]string{"pipeline/engine/runlog.go": "ALARM: …"}
}

// logLines finds the lines that a function logs. Keys and levels that stand in variables are those
// that the function names anywhere.
func logLines(name string, function *ast.FuncDecl) ([]logLine, []string) {
	var found []logLine
	var broken []string
	ast.Inspect(function, func(node ast.Node) bool {
		call, is := node.(*ast.CallExpr)
		if !is {
			return true
		}
		selected, is := call.Fun.(*ast.SelectorExpr)
		if !is || len(call.Args) < 2 || !isLog(selected.X) {
			return true
		}
		level, is := logMethods()[selected.Sel.Name]
		if !is {
			return true
		}
		rest := call.Args[1:]
		levels := []string{level}
		if level == "" {
			levels, rest = levelsIn(rest[0], function), rest[1:]
		}
		message, written := literal(rest[0])
		if !written {
			message = computed()[name]
		}
		keys, ok := keysOf(rest[1:], call.Ellipsis.IsValid(), function)
		if _, about := selected.X.(*ast.CallExpr); about {
			keys = slices.Sorted(slices.Values(append(keys, streamKeys()...)))
		}
		if message == "" || !ok {
			broken = append(broken, fmt.Sprintf("%s, in %s: a line of the log has a text or a key that is not written out", name, function.Name.Name))
		}
		found = append(found, logLine{message, strings.Join(levels, ", "), strings.Join(keys, ", ")})
		return true
	})
	return found, broken
}

// isLog reports whether an expression is a log by its name: a.Log, c.logger, log, or about(…), the
// log for lines about a stream.
func isLog(x ast.Expr) bool {
	name := ""
	switch x := x.(type) {
	case *ast.CallExpr:
		of, is := x.Fun.(*ast.Ident)
		return is && of.Name == "about"
	case *ast.Ident:
		name = x.Name
	case *ast.SelectorExpr:
		name = x.Sel.Name
	}
	return strings.EqualFold(name, "log") || strings.EqualFold(name, "logger")
}

func literal(x ast.Expr) (string, bool) {
	basic, is := x.(*ast.BasicLit)
	if !is || basic.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(basic.Value)
	return text, err == nil
}

// levelsIn are the levels that an expression names, or else those that its function names.
func levelsIn(x ast.Expr, function *ast.FuncDecl) []string {
	levels := func(in ast.Node) []string {
		found := map[string]bool{}
		ast.Inspect(in, func(node ast.Node) bool {
			if selected, is := node.(*ast.SelectorExpr); is && strings.HasPrefix(selected.Sel.Name, "Level") {
				found[strings.ToLower(strings.TrimPrefix(selected.Sel.Name, "Level"))] = true
			}
			return true
		})
		return slices.Sorted(maps.Keys(found))
	}
	if own := levels(x); len(own) > 0 {
		return own
	}
	return levels(function)
}

// keysOf are the keys of a line's attributes; false if one of them cannot be read.
func keysOf(args []ast.Expr, spread bool, function *ast.FuncDecl) ([]string, bool) {
	keys := map[string]bool{}
	attribute := func(x ast.Expr) bool {
		call, is := x.(*ast.CallExpr)
		if !is {
			return false
		}
		selected, is := call.Fun.(*ast.SelectorExpr)
		if !is {
			return false
		}
		if selected.Sel.Name == "Log" && len(call.Args) == 0 {
			for _, key := range streamKeys() {
				keys[key] = true
			}
			return true
		}
		of, is := selected.X.(*ast.Ident)
		if !is || of.Name != "slog" || len(call.Args) != 2 {
			return false
		}
		key, written := literal(call.Args[0])
		if written {
			keys[key] = true
		}
		return written
	}
	if spread {
		ast.Inspect(function, func(node ast.Node) bool {
			if x, is := node.(ast.Expr); is {
				attribute(x)
			}
			return true
		})
		return slices.Sorted(maps.Keys(keys)), len(keys) > 0
	}
	for i := 0; i < len(args); i++ {
		if attribute(args[i]) {
			continue
		}
		key, written := literal(args[i])
		if !written {
			return nil, false
		}
		keys[key] = true
		i++ // its value
	}
	return slices.Sorted(maps.Keys(keys)), true
}

// documentedLines are the rows of the table of lines in the reference, and its keys.
func documentedLines(t *testing.T) ([]logLine, []string) {
	t.Helper()
	text := check.Sure(os.ReadFile(filepath.Join(root(t), "docs", "logs.md")))(t)
	var lines []logLine
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ((?:debug|info|warn|error)[a-z, ]*) \\| ([^|]*) \\| [^|]+ \\| [^|]+ \\|$")
	for _, found := range row.FindAllStringSubmatch(string(text), -1) {
		keys := strings.Split(strings.ReplaceAll(found[3], "`", ""), ", ")
		if at := slices.Index(keys, "of a stream"); at >= 0 {
			keys = append(slices.Delete(keys, at, at+1), streamKeys()...)
		}
		slices.Sort(keys)
		lines = append(lines, logLine{found[1], found[2], strings.Trim(strings.Join(keys, ", "), ", –")})
	}
	var keys []string
	for _, found := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| [^|]+ \\|$").FindAllStringSubmatch(string(text), -1) {
		keys = append(keys, found[1])
	}
	return lines, keys
}

// loggedLines are the lines that the sources of the product log.
func loggedLines(t *testing.T) map[logLine]bool {
	t.Helper()
	logged := map[logLine]bool{}
	walk(t, func(name string, text []byte) {
		product := strings.HasPrefix(name, "pipeline/") || strings.HasPrefix(name, "migrations/") || strings.HasPrefix(name, "cmd/sluice/")
		if !product || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return
		}
		file := check.Sure(parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution))(t)
		for _, declaration := range file.Decls {
			function, is := declaration.(*ast.FuncDecl)
			if !is {
				continue
			}
			found, broken := logLines(name, function)
			for _, text := range broken {
				t.Error(text)
			}
			for _, line := range found {
				logged[line] = true
			}
		}
	})
	return logged
}

// TestLogsAreDocumented: docs/logs.md has every line that the program logs, with its level and its
// keys, and no other; a key that it explains is used.
func TestLogsAreDocumented(t *testing.T) {
	t.Parallel()
	logged := loggedLines(t)
	lines, keys := documentedLines(t)
	used := map[string]bool{}
	for line := range logged {
		check.ErrorIf(t, !slices.Contains(lines, line), "docs/logs.md lacks %+v", line)
		for key := range strings.SplitSeq(line.keys, ", ") {
			used[key] = true
		}
	}
	for _, line := range lines {
		check.ErrorIf(t, !logged[line], "docs/logs.md has %+v, which nothing logs", line)
	}
	for _, key := range keys {
		check.ErrorIf(t, !used[key], "docs/logs.md explains the key %s, which nothing logs", key)
	}
}
