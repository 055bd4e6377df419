package plan

import (
	"slices"
	"testing"
	"time"
)

func TestTheSameSeedGivesTheSamePlan(t *testing.T) {
	t.Parallel()
	steps := Of(7, 3, 100, 8, 2)
	if !slices.Equal(steps, Of(7, 3, 100, 8, 2)) {
		t.Error("the same seed gives another plan")
	}
	if slices.Equal(steps, Of(8, 3, 100, 8, 2)) {
		t.Error("another seed gives the same plan")
	}
	count, off := map[Fault]int{}, 0
	for _, s := range steps {
		count[s.Fault]++
		if s.Clock != 0 {
			off++
		}
		if s.Slot < 0 || s.Slot > 2 || s.Pause <= 0 || s.Pause > time.Second || s.Lasts > 25*time.Second || s.Clock.Abs() > 30*time.Minute {
			t.Errorf("%+v", s)
		}
	}
	if count[Kill]+count[KillLeader] != 100 || count[KillLeader] != 2 || count[Crash]+count[KillSession] != 8 || off < len(steps)/8 {
		t.Errorf("%v, %d clocks are off", count, off)
	}
	for _, d := range []Fault{
		Terminate, Suspend, JumpAhead, JumpBack, FillDisk, LockTable, Crowd, DBReset, DBHold, DBSwallow, DBCut, DBDelay, HTTPReset, HTTPSwallow, HTTPCut, HTTPDelay, Refuse, Fail, Revoke,
	} {
		if count[d] == 0 {
			t.Errorf("a plan of 100 kills has no %s", d)
		}
	}
}

func TestThePlanOfReceivers(t *testing.T) {
	t.Parallel()
	steps := OfReceivers(7, 2, 30)
	if !slices.Equal(steps, OfReceivers(7, 2, 30)) || slices.Equal(steps, OfReceivers(8, 2, 30)) {
		t.Error("the seed does not fix the plan")
	}
	count := map[Fault]int{}
	for _, s := range steps {
		count[s.Fault]++
		if s.Slot < 0 || s.Slot > 1 || s.Pause <= 0 || s.Pause > 3*time.Second || s.Calls != 0 {
			t.Errorf("%+v", s)
		}
	}
	if count[KillReceiver] != 15 || count[KillAfterInsert] != 15 {
		t.Errorf("%v, want 30 kills", count)
	}
	for _, d := range []Fault{TerminateReceiver, SuspendReceiver, InboxReset, InboxSwallow, InboxDelay, PublicReset, PublicCut, PublicSwallow} {
		if count[d] == 0 {
			t.Errorf("a plan of 30 kills has no %s", d)
		}
	}
}
