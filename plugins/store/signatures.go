package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"paceline/core/digest"
	"paceline/plugins/sign"
)

// Head is the file that signatures are over: the module, or the manifest of a native plugin, which has the digests of its
// executables.
func (m *Module) Head() (name string, data []byte) {
	if m.Native != nil {
		return filepath.Base(m.Native.Path), m.Native.Text
	}
	return filepath.Base(m.Path), m.Bytes
}

// HeadDigest is the digest of that file.
func (m *Module) HeadDigest() digest.SHA256 {
	if m.Native != nil {
		return m.Native.SHA256
	}
	return m.Digest
}

// readSignatures takes in what lies beside the file at path.
func (m *Module) readSignatures(path string) {
	list, err := ReadSignatures(path)
	if err != nil {
		m.Faults = append(m.Faults, err)
	}
	for _, e := range list {
		m.Envelopes = append(m.Envelopes, e.Encode())
	}
}

// ReadSignatures reads the signatures beside the file at path; there may be none.
func ReadSignatures(path string) ([]*sign.Envelope, error) {
	f, err := os.Open(path + sign.FileSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("signatures: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, sign.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", path, sign.FileSuffix, err)
	}
	list, err := sign.ParseFile(data)
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", path, sign.FileSuffix, err)
	}
	return list, nil
}
