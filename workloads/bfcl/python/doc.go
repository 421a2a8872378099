// Package python holds what a checker written in Python takes for granted and Go does not have: values as its json module
// reads them, its equality (1 == 1.0 == True), its reading of numbers, its lower case and its white space. It is only as
// large as the checker of BFCL needs it.
package python
