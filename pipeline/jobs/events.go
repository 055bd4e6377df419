package jobs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/riverqueue/river"
)

// queueEvents is the queue of deliveries to receivers of events: a receiver that is slow takes no
// worker from the streams.
const queueEvents = "events"

// eventsEvery is the time between two looks whether a receiver has to be told something.
const eventsEvery = time.Second

// Events is what the queue needs to deliver events. Jobs say that a delivery is due; how far each
// receiver is stands in a table of ours.
type Events struct {
	// Receivers are those of this process's configuration.
	Receivers []string
	// Ahead returns those of them that can be told something now.
	Ahead func(ctx context.Context) ([]string, error)
	// Deliver delivers to one of them until it has everything or fails. It ends soon after the
	// queue begins to stop.
	Deliver func(ctx context.Context, receiver string) error
}

// telling are the arguments of a job: the receiver that is told something.
type telling struct {
	Receiver string `json:"receiver" river:"unique"`
}

// Kind names the job kind in River's tables.
func (telling) Kind() string { return "events" }

// InsertOpts makes a job unique among unfinished jobs only: one process at a time delivers to a
// receiver.
func (telling) InsertOpts() river.InsertOpts {
	opts := Args{}.InsertOpts()
	opts.Queue, opts.Priority = queueEvents, river.PriorityDefault
	return opts
}

// queuesOf are the queues that a process works.
func queuesOf(o *Options) map[string]river.QueueConfig {
	queues := map[string]river.QueueConfig{queueStreams: {MaxWorkers: o.Workers, FetchPollInterval: pollInterval}}
	if o.Events != nil {
		queues[queueEvents] = river.QueueConfig{MaxWorkers: len(o.Events.Receivers), FetchPollInterval: pollInterval}
	}
	return queues
}

// tell inserts the jobs of the receivers that can be told something.
func (q *Queue) tell(ctx context.Context) error {
	ahead, err := q.options.Events.Ahead(ctx)
	if err != nil || len(ahead) == 0 {
		return err
	}
	params := make([]river.InsertManyParams, len(ahead))
	for i, receiver := range ahead {
		params[i] = river.InsertManyParams{Args: telling{Receiver: receiver}}
	}
	if _, err := q.client.InsertMany(ctx, params); err != nil {
		return fmt.Errorf("queue the events of %v: %w", ahead, err)
	}
	return nil
}

// teller works the jobs of receivers.
type teller struct {
	river.WorkerDefaults[telling]

	queue *Queue
}

// NextRetry returns the instant of the next attempt after an error of ours. Failures of receivers
// are no errors here.
func (t *teller) NextRetry(*river.Job[telling]) time.Time {
	return t.queue.options.Now().Add(jitter(tellAgain))
}

const tellAgain = 5 * time.Second

// Work delivers to the receiver. If this process does not know it, the job ends: a process that
// does inserts it again.
func (t *teller) Work(ctx context.Context, job *river.Job[telling]) error {
	end := t.queue.working.begin(job.ID)
	defer end()
	events := t.queue.options.Events
	if events == nil || !slices.Contains(events.Receivers, job.Args.Receiver) {
		return nil
	}
	return events.Deliver(ctx, job.Args.Receiver)
}
