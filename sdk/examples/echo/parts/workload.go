// Package parts has the components of the example echo, for the commands that make a plugin of them: sdk/examples/echo a wasm
// module, sdk/native/examples/echo an executable.
package parts

import (
	"encoding/binary"
	"encoding/json"

	"paceline/sdk"
	"paceline/sdk/lines"
)

// Plugin is the plugin echo: a workload that asks the model to repeat each line of a text, a validator that wants an answer
// to every turn, and a scorer that counts the exact repetitions.
func Plugin() sdk.Plugin {
	return sdk.Plugin{Name: "echo", Version: "0.1.0", Components: []sdk.Component{
		{
			Name: "repeat", Summary: "asks for each line of a text", Inputs: []string{"text"},
			Capabilities: []sdk.Capability{sdk.CapabilityInputs}, Workload: openRepeat,
		},
		{
			Name: "answered", Summary: "wants an answer to every turn", Unit: sdk.UnitTurn,
			Validator: func(*sdk.Opening) (sdk.Validator, error) { return answered{}, nil },
		},
		{
			Name: "exact", Summary: "share of lines that came back unchanged", Unit: sdk.UnitTurn,
			Needs:  []sdk.Need{sdk.NeedAnswer, sdk.NeedTruth},
			Scorer: func(*sdk.Opening) (sdk.Scorer, error) { return exact{}, nil },
		},
	}}
}

// message is the part of a chat message that this plugin writes and reads.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// repeat holds where each line is; lines are read when they are planned.
type repeat struct {
	text    *sdk.Input
	offsets []int64
	lengths []int
}

func openRepeat(o *sdk.Opening) (sdk.Workload, error) {
	text, err := o.Input("text")
	if err != nil {
		return nil, err
	}
	w := &repeat{text: text}
	scan := lines.New(text, text.Size())
	for scan.Scan() {
		w.offsets = append(w.offsets, scan.Offset())
		w.lengths = append(w.lengths, len(scan.Bytes()))
	}
	if err := scan.Err(); err != nil {
		return nil, err
	}
	if len(w.offsets) == 0 {
		return nil, sdk.Faults{{Input: "text", Code: "empty", Message: "no line in it", Expected: "at least one line"}}
	}
	o.Log.Infof("%d lines", len(w.offsets))
	return w, nil
}

func (w *repeat) Info() sdk.WorkloadInfo {
	return sdk.WorkloadInfo{Trajectories: uint64(len(w.offsets)), Fixed: true, Provenance: "recorded"}
}

func (w *repeat) Plan(index uint64, _ uint32, _ []byte) (*sdk.Trajectory, error) {
	if index >= uint64(len(w.offsets)) {
		return nil, sdk.Errorf(sdk.CodeOutOfRange, "no line %d: there are %d", index, len(w.offsets))
	}
	line := make([]byte, w.lengths[index])
	if _, err := w.text.ReadAt(line, w.offsets[index]); err != nil {
		return nil, err
	}
	ask, err := json.Marshal(message{"user", "Repeat exactly: " + string(line)})
	if err != nil {
		return nil, err
	}
	truth, err := json.Marshal(string(line))
	if err != nil {
		return nil, err
	}
	var number [8]byte
	binary.BigEndian.PutUint64(number[:], index)
	return &sdk.Trajectory{
		Id:    "line-" + hex(number[4:]),
		Turns: []sdk.Turn{{Append: []sdk.Message{{Json: ask}}, Final: true, MaxTokens: 256, Truth: truth}},
	}, nil
}

func hex(b []byte) string {
	const digits = "0123456789abcdef"
	s := make([]byte, 0, 2*len(b))
	for _, c := range b {
		s = append(s, digits[c>>4], digits[c&15])
	}
	return string(s)
}
