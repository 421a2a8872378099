package lock

import (
	"cmp"
	"strings"
)

// isName accepts names of plugins and components.
func isName(s string) bool {
	if s == "" || len(s) > 64 || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for i := range len(s) {
		if !isNameByte(s[i]) {
			return false
		}
	}
	return true
}

func isNameByte(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' }

// isPresetName accepts what isName does, and _ . / inside, with something other than dots between the slashes.
func isPresetName(s string) bool {
	if len(s) > 128 {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if strings.Trim(part, ".") == "" {
			return false
		}
	}
	for i := range len(s) {
		if c := s[i]; !isNameByte(c) && c != '_' && c != '.' && c != '/' {
			return false
		}
	}
	return true
}

// isSemver accepts MAJOR.MINOR.PATCH with an optional pre-release and build.
func isSemver(s string) bool {
	s, build, hasBuild := strings.Cut(s, "+")
	s, pre, hasPre := strings.Cut(s, "-")
	parts := strings.Split(s, ".")
	if len(parts) != 3 || hasBuild && !identifiers(build, false) || hasPre && !identifiers(pre, true) {
		return false
	}
	for _, p := range parts {
		if !isNumber(p) {
			return false
		}
	}
	return true
}

func identifiers(s string, strict bool) bool {
	for id := range strings.SplitSeq(s, ".") {
		if id == "" {
			return false
		}
		digits := true
		for i := range len(id) {
			c := id[i]
			if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-') {
				return false
			}
			digits = digits && c >= '0' && c <= '9'
		}
		if strict && digits && !isNumber(id) {
			return false
		}
	}
	return true
}

// isNumber accepts digits without a leading zero.
func isNumber(s string) bool {
	if s == "" || len(s) > 10 || len(s) > 1 && s[0] == '0' {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

func sortedUnique[T cmp.Ordered](list []T) bool {
	for i := 1; i < len(list); i++ {
		if list[i-1] >= list[i] {
			return false
		}
	}
	return true
}
