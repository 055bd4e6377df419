//go:build race

package main

// raceFactor is how many times as much memory a process takes with the race detector as without it: five to ten times
// (https://go.dev/doc/articles/race_detector, "Runtime Overheads").
const raceFactor = 5
