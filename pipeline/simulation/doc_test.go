// Package simulation runs the real code of reading and positions (pipeline/sync,
// pipeline/sync/scan, schema/record) against a small upstream and a store in memory, on virtual
// time and in one goroutine, through schedules drawn from seeds: edits between any two pages,
// crashes between any two steps, workers that lost their stream and do not know it, answers that
// are nonsense. After every step the invariants are checked that can be checked then, and after the
// last one everything heals and the two sides have to be equal.
//
// A schedule is a list of actions, each with an operand, so that the same seed gives the same
// trace, and a schedule that fails is made smaller by leaving actions out.
//
//	go test ./pipeline/simulation                      # a few thousand schedules; with -race fewer
//	go test ./pipeline/simulation -schedules 1000000   # many
//	go test ./pipeline/simulation -seed 4711           # one of them again, with its trace
//
// It holds tests only. Start reading at TestSchedules, then world.do.
package simulation_test
