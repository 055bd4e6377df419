//go:build !race

package main

// raceFactor is how many times as much memory a process takes as it does by itself.
const raceFactor = 1
