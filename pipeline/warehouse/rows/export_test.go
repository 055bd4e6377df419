package rows

// LeaveOutLog makes a loader write no changes to the log.
func (l *Loader) LeaveOutLog() { l.unlogged = true }
