// Package wire sends one request and reads one answer, for everything that talks to upstream:
// addresses, connections, timeouts, and the count of every call.
//
// It never sends a request twice, never follows a redirect, never sends one that was not counted,
// and never puts what was sent or what came into an error. It knows neither tokens nor lists.
//
// Start reading at Counted and Door.Open.
package wire
