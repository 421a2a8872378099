//go:build !unix || solaris || aix

package sweep

// Hold does nothing here.
func Hold(string) (release func(), err error) { return func() {}, nil }
