//go:build race

package simulation_test

// usual is the default number of schedules. Each is played in one goroutine, so the race detector
// finds little and makes them about ten times as slow. Runs without it have to cover everything.
const usual = enough / 4
