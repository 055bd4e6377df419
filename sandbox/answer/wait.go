package answer

import (
	"net/http"
	"time"
)

// Wait pauses an answer for a time. It returns false if the client left first.
func Wait(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}
