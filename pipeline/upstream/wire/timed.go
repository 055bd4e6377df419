package wire

import (
	"context"
	"sync"
	"time"

	"sluice/pipeline"
)

// Observer is told of each call that left, when it has ended. Kind is 0 for a call that went well.
type Observer interface {
	Called(service string, kind pipeline.Kind, took time.Duration)
}

// Timed is a gate that tells an observer how long calls took: from the gate's word until the answer
// was read. It is safe for concurrent use.
type Timed struct {
	Gate

	Now      func() time.Time
	Observer Observer

	// left has the instant at which each call under way left, by its number.
	left sync.Map
}

// Enter implements Gate.
func (t *Timed) Enter(ctx context.Context, call pipeline.Call) (int64, error) {
	number, err := t.Gate.Enter(ctx, call)
	if err == nil {
		t.left.Store(number, t.Now())
	}
	return number, err
}

// Leave implements Gate.
func (t *Timed) Leave(ctx context.Context, call pipeline.Call, number int64, result pipeline.CallResult) error {
	if at, found := t.left.LoadAndDelete(number); found {
		if left, is := at.(time.Time); is {
			t.Observer.Called(call.Service, result.Kind, t.Now().Sub(left))
		}
	}
	return t.Gate.Leave(ctx, call, number, result)
}
