//go:build !race

package simulation_test

// usual is the default number of schedules.
const usual = enough
