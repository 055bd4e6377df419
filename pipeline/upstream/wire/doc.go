// Package wire sends one request and reads one answer, for everything that talks to upstream:
// addresses, connections, timeouts, and the count of every call.
//
// It never sends a request twice, never follows a redirect, and never sends a request that was not
// counted. It never puts what was sent or received into an error. It knows neither tokens nor
// lists.
//
// Start reading at Counted and Door.Open.
package wire
