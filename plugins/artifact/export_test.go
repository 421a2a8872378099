package artifact

import "bytes"

// OpenTar opens a layout whose tar file is in memory, for tests.
func OpenTar(data []byte) (*Layout, error) {
	t := &tarFile{file: unclosed{bytes.NewReader(data)}, entries: map[string]span{}}
	if err := t.scan(int64(len(data))); err != nil {
		return nil, err
	}
	return newLayout("memory", t)
}

type unclosed struct{ *bytes.Reader }

func (unclosed) Close() error { return nil }
