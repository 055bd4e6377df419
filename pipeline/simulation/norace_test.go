//go:build !race

package simulation_test

// usual is how many schedules are tried where no flag says another number.
const usual = enough
