package percale

// LiveStatuses are statuses that were handed out and not released.
func LiveStatuses() int64 { return statusLiveCount() }

// KnownToC counts the Go values that C knows by a number.
func KnownToC() (count int) {
	sinks.Range(func(any, any) bool {
		count++
		return true
	})
	return count
}
