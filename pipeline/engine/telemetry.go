package engine

import (
	"sluice/pipeline/engine/traces"
)

// startTraces begins to send traces, if the configuration names a collector. A process that makes
// no call has nothing to trace.
func (a *App) startTraces() {
	telemetry := a.Config.Telemetry
	if telemetry.OTLP == "" || !a.options.Purpose.Calls() {
		return
	}
	headers := make(map[string]string, len(telemetry.Headers))
	for name, value := range telemetry.Headers {
		headers[name] = value.Reveal()
	}
	a.traces = traces.New(traces.Options{
		Collector: telemetry.OTLP, Headers: headers, Sample: telemetry.Sample, Version: a.options.Version,
		Now: a.options.Now, Log: a.Log, Scrub: a.options.Scrub,
	})
}
