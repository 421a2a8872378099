package registry

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"paceline/plugins/artifact"
)

// failure is an error of a registry: what it said, cleaned, and what is behind it.
type failure struct {
	text string
	err  error
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.err }

// failed says what was being done and why it did not work.
func (r *Repository) failed(doing string, err error) error {
	text := fmt.Sprintf("registry %s: %s: %s", r.name, clean(doing), clean(err.Error()))
	behind := err
	if errors.Is(err, errdef.ErrNotFound) {
		behind = artifact.ErrNotFound
	}
	answer, ok := errors.AsType[*errcode.ErrorResponse](err)
	if ok && (answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden) || errors.Is(err, auth.ErrBasicCredentialNotFound) {
		text += "; credentials come from the Docker configuration: log in with docker, podman or oras"
	}
	return &failure{text: text, err: behind}
}

// clean cuts what a registry says and takes out what could move a terminal's cursor.
func clean(text string) string {
	const most = 600
	text = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(text, "?"))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}
