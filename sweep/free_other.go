//go:build !linux && !darwin

package sweep

// Free is not known here.
func Free(string) (n int64, ok bool) { return 0, false }
