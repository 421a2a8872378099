package sdk_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"paceline/sdk"
	"paceline/sdk/contract"
)

// disk is a host whose first input is of 100 bytes and gives at most 7 of them a call; the others fail as told.
type disk struct{ result int64 }

var content = bytes.Repeat([]byte("0123456789"), 10)

func (disk) Log(sdk.Level, string) {}

func (d disk) ReadInput(handle uint32, p []byte, offset int64) int64 {
	if handle != 0 {
		return d.result
	}
	if offset >= 100 {
		return 0
	}
	return int64(copy(p[:min(len(p), 7)], content[offset:]))
}

// input opens a component just to get at its input of that handle.
func input(t *testing.T, d disk, handle uint32) *sdk.Input {
	t.Helper()
	var got *sdk.Input
	p := sdk.Plugin{Name: "p", Version: "1.0.0", Components: []sdk.Component{{Name: "c", Counter: func(o *sdk.Opening) (sdk.Counter, error) {
		var err error
		got, err = o.Input("data")
		return judge{}, err
	}}}}
	request := &contract.OpenRequest{Component: "c", Inputs: []contract.Input{{Name: "data", Handle: handle, Size: 100}}}
	if _, err := sdk.ParseReply(sdk.NewInstance(&p, d).Invoke(contract.MethodOpen, request.Marshal())); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestReadAt(t *testing.T) {
	in := input(t, disk{}, 0)
	if in.Size() != 100 {
		t.Errorf("size %d, want 100", in.Size())
	}
	p := make([]byte, 20)
	if n, err := in.ReadAt(p, 15); n != 20 || err != nil || string(p) != "56789012345678901234" {
		t.Errorf("read %d bytes %q, %v", n, p, err)
	}
	if n, err := in.ReadAt(p, 95); n != 5 || err != io.EOF {
		t.Errorf("read %d bytes, %v; want 5 and the end", n, err)
	}
	if n, err := in.ReadAt(p, -1); n != 0 || err == nil {
		t.Errorf("read %d bytes before the start, %v", n, err)
	}
	if n, err := in.ReadAt(nil, 200); n != 0 || err != nil {
		t.Errorf("read %d bytes, %v; want nothing", n, err)
	}
	all, err := io.ReadAll(io.NewSectionReader(in, 0, in.Size()))
	if err != nil || !bytes.Equal(all, content) {
		t.Errorf("read %q, %v", all, err)
	}
}

func TestReadAtFaults(t *testing.T) {
	for result, want := range map[int64]error{
		sdk.ReadNoInput: sdk.ErrNoInput, sdk.ReadMemory: sdk.ErrInputRange, sdk.ReadOffset: sdk.ErrInputRange,
		sdk.ReadFailed: sdk.ErrInputRead, sdk.ReadNotInUse: sdk.ErrNoInput,
	} {
		if n, err := input(t, disk{result}, 1).ReadAt(make([]byte, 1), 0); n != 0 || !errors.Is(err, want) {
			t.Errorf("result %d: got %d, %v; want %v", result, n, err, want)
		}
	}
}
