//go:build race

package simulation_test

// usual is how many schedules are tried where no flag says another number: each is played in one
// goroutine, so the race detector finds little in them and makes them some ten times as slow. All
// that has to be shown is shown without it.
const usual = enough / 4
