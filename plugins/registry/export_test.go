package registry

// For tests.
var (
	IsLoopback = isLoopback
	Redirect   = redirect
)
