package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// passphraseEnv is the variable that may hold the passphrase of a key.
const passphraseEnv = "PACELINE_KEY_PASSPHRASE"

// passphrase reads a key's passphrase: from a file, else from the environment, else from the terminal, twice for a new key. It
// is never taken from the command line, which other users of the machine can see.
func (a *app) passphrase(file string, isNew bool) ([]byte, error) {
	if file != "" {
		return passphraseOf(file)
	}
	if text := a.getenv(passphraseEnv); text != "" {
		return []byte(text), nil
	}
	in, ok := a.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return nil, failHint(exitUsage, errors.New("a passphrase is needed, and there is no terminal to ask for it"), "give --passphrase-file FILE, or set "+passphraseEnv)
	}
	pass, err := a.readHidden(in, "passphrase: ")
	if err != nil || !isNew {
		return pass, err
	}
	again, err := a.readHidden(in, "once more: ")
	if err == nil && !bytes.Equal(pass, again) {
		err = fail(exitUsage, errors.New("the two passphrases differ"))
	}
	return pass, err
}

func (a *app) readHidden(in *os.File, prompt string) ([]byte, error) {
	fmt.Fprint(a.Stderr, prompt)
	pass, err := term.ReadPassword(int(in.Fd()))
	fmt.Fprintln(a.Stderr)
	if err != nil {
		return nil, fail(exitUsage, fmt.Errorf("read the passphrase: %w", err))
	}
	return pass, nil
}

// passphraseOf is the first line of a file.
func passphraseOf(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fail(exitInput, fmt.Errorf("--passphrase-file: %w", err))
	}
	defer f.Close()
	const most = 4 << 10
	text, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, fail(exitInput, fmt.Errorf("--passphrase-file: %w", err))
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), nil
}
