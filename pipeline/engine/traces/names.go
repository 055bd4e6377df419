package traces

// The names of spans.
const (
	spanChunk = "chunk"
	spanCall  = "call"
	spanLoad  = "load"
)

// ours begins the names of attributes that no convention names.
const ours = "sluice."

// The attributes. Operators search by them, so a name never changes its meaning;
// docs/operations/traces.md has them all.
const (
	keyOrganization = ours + "organization"
	keyService      = ours + "service"
	keyResource     = ours + "resource"
	keyClass        = ours + "class"
	keyRun          = ours + "run.id"
	keyJob          = ours + "job.id"
	keyCall         = ours + "call.id"
	keyCalls        = ours + "call.ids"
	keyWaited       = ours + "call.waited_seconds"
	keyPage         = ours + "call.page"
	keyCountBatches = ours + "count.batches"
	keyReceived     = ours + "records.received"
	keyInserted     = ours + "records.inserted"
	keyUpdated      = ours + "records.updated"
	keyUnchanged    = ours + "records.unchanged"
	keySuperseded   = ours + "records.superseded"
	keyRejected     = ours + "records.rejected"
	// These are names of OpenTelemetry's conventions.
	keyError    = "error.type"
	keyMethod   = "http.request.method"
	keyStatus   = "http.response.status_code"
	keyBytes    = "http.response.body.size"
	keyTemplate = "url.template"
)
