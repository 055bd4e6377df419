package cells_test

import (
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/cells"
	"sluice/pipeline/warehouse/warehousetest"
)

// TestRolesOfCells: the owner of the tables moves organizations, without being a superuser. A
// worker has no right to, and works in a cell as in a warehouse by itself.
func TestRolesOfCells(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	owned := warehousetest.Owner(t)
	if err := fewTables(ctx, owned); err != nil {
		t.Fatal(err)
	}
	a, b := alone(t, "a", owned), fleetOf(t, "few_tables", fewTables, "x", "b")[1]
	a.must(a.Join(ctx, 1, cells.Numbers{}))
	a.settle(moving)
	role, address := warehousetest.Worker(t, owned)
	a.exec(`SELECT sluice.grant_worker($1)`, role)
	worker := alone(t, "a", address)
	db := worker.process(calls.Rules{})
	worker.must(register(ctx, db, moving))
	call, err := db.Reserve(ctx, callOf(moving, 0), pipeline.Limits{Shared: "suite"})
	worker.must(err)
	claim, err := db.Claim(ctx, streamOf(moving), pipeline.ClassIncremental)
	worker.must(err)
	_, err = db.Load(ctx, batchOf(claim, call.Call, thing(t, 1, "by a worker", time.Now())))
	worker.must(err)
	worker.must(db.Finish(ctx, call.Call, pipeline.CallResult{Status: 200}))
	if found, err := cells.Away(ctx, worker.pool, []string{moving, other}); err != nil || len(found) != 1 {
		t.Errorf("a worker reads %v, error %v", found, err)
	}
	refused(t, move(worker, b).Run(ctx), cells.ErrElsewhere, moving, "cell a does not own")
	wants(a, b, cells.Here, "")

	run(t, move(a, b))
	wants(a, b, cells.Left, cells.Here)
	if decision, err := db.Reserve(ctx, callOf(moving, 0), pipeline.Limits{Shared: "suite"}); err != nil || decision.Refused != pipeline.RefusedAway {
		t.Errorf("a worker of the cell that it left: %+v, error %v", decision, err)
	}
	refused(t, move(b, worker).Run(ctx), cells.ErrElsewhere, moving, "cell a does not own")
	wants(b, a, cells.Here, cells.Left)
	run(t, move(b, a))
	if name := ask[string](worker, `SELECT name FROM shop.things`); !strings.Contains(name, "worker") {
		t.Errorf("the worker reads %q", name)
	}
}
