package percale

// LiveStatuses returns the number of statuses that the library handed out and that are not
// released.
func LiveStatuses() int64 { return statusLiveCount() }

// KnownToC returns the number of Go values that C refers to by an id.
func KnownToC() (count int) {
	registry.Range(func(any, any) bool {
		count++
		return true
	})
	return count
}
