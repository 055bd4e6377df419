package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// compare prints which pins differ, and the lines in which they do.
func compare(before, after string, most int, out io.Writer) error {
	if before == "" || after == "" {
		return errors.New("name two folders: -old DIR -new DIR")
	}
	olds, err := readPins(before)
	if err != nil {
		return err
	}
	news, err := readPins(after)
	if err != nil {
		return err
	}
	all := maps.Clone(olds)
	maps.Copy(all, news)
	different := 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, had := olds[name]
		is, has := news[name]
		if had && has && was == is {
			continue
		}
		different++
		switch {
		case !has:
			_, err = fmt.Fprintf(out, "== %s: only in %s\n", name, before)
		case !had:
			_, err = fmt.Fprintf(out, "== %s: only in %s\n", name, after)
		default:
			_, err = fmt.Fprintf(out, "== %s\n%s", name, difference(lines(was), lines(is), most))
		}
		if err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	if _, err := fmt.Fprintf(out, "%d pins, %d of them differ\n", len(all), different); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	if different > 0 {
		return errDifferent
	}
	return nil
}

// readPins reads all files of a recording.
func readPins(folder string) (map[string]string, error) {
	pins := make(map[string]string)
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read a pin: %w", err)
		}
		name, err := filepath.Rel(folder, path)
		pins[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the recording %s: %w", folder, err)
	}
	return pins, nil
}

// window is how far apart equal lines are looked for.
const window = 200

// difference lists the lines that left and those that came, at most so many, with their numbers.
func difference(was, is []string, most int) string {
	var b strings.Builder
	shown, total := 0, 0
	show := func(sign string, number int, line string) {
		if total++; shown < most {
			shown++
			fmt.Fprintf(&b, "%s%5d: %s\n", sign, number+1, line)
		}
	}
	i, j := 0, 0
	for i < len(was) || j < len(is) {
		if i < len(was) && j < len(is) && was[i] == is[j] {
			i, j = i+1, j+1
			continue
		}
		left, came := nextEqual(was[i:], is[j:])
		if left == came { // lines that changed, one for one
			for range left {
				before, after := apart(was[i], is[j])
				show("-", i, before)
				show("+", j, after)
				i, j = i+1, j+1
			}
			continue
		}
		for range left {
			show("-", i, was[i])
			i++
		}
		for range came {
			show("+", j, is[j])
			j++
		}
	}
	if total > shown {
		fmt.Fprintf(&b, "  … and %d lines more\n", total-shown)
	}
	return b.String()
}

// around is how much of a long line is shown before and behind what differs, in bytes.
const around = 60

// widest is how much of a line is shown at most, in bytes.
const widest = 400

// apart shortens two lines that differ to where they do.
func apart(was, is string) (string, string) {
	from, end := 0, 0
	for from < min(len(was), len(is)) && was[from] == is[from] {
		from++
	}
	for end < min(len(was), len(is))-from && was[len(was)-1-end] == is[len(is)-1-end] {
		end++
	}
	cut := func(line string) string {
		first, last := max(0, from-around), min(len(line), len(line)-end+around)
		last = min(last, first+widest)
		text := strings.ToValidUTF8(line[first:last], "")
		if first > 0 {
			text = "…" + text
		}
		if last < len(line) {
			text += "…"
		}
		return text
	}
	return cut(was), cut(is)
}

// nextEqual says how many lines of both sides come before the next ones that are equal.
func nextEqual(was, is []string) (int, int) {
	for sum := 1; sum < 2*window; sum++ {
		for left := max(0, sum-window); left <= min(sum, window); left++ {
			if came := sum - left; left < len(was) && came < len(is) && was[left] == is[came] {
				return left, came
			}
		}
	}
	return min(len(was), window), min(len(is), window)
}
