// Package simulation runs the real code of reading and positions (pipeline/sync,
// pipeline/sync/scan, schema/record) against a small upstream and a store in memory. It works on
// virtual time and in one goroutine, through random schedules drawn from seeds. A schedule has
// edits between any two pages, crashes between any two steps, workers that lost their claim without
// noticing, and nonsensical answers. The simulation checks invariants after every step. After the
// last step all faults end, and warehouse and upstream have to become equal.
//
// In a third of the schedules upstream also tells of changes: by callbacks that get lost, repeat,
// come late, come in floods, or tell of what did not change (channel_test.go). Hints then lead to
// reads by the real rule of planning and the real reading of single records (hints_test.go), and
// have rules of their own to keep (told_test.go).
//
// A schedule is a list of actions, each with an operand. So the same seed gives the same trace, and
// a failing schedule is shrunk by leaving actions out.
//
//	go test ./pipeline/simulation                      # a few thousand schedules; with -race fewer
//	go test ./pipeline/simulation -schedules 1000000   # many
//	go test ./pipeline/simulation -seed 4711           # one of them again, with its trace
//
// It holds tests only. Start reading at TestSchedules, then world.do.
package simulation_test
