package contract_test

import (
	"errors"
	"strings"
	"testing"

	"paceline/sdk/contract"
)

func TestOneofSendsTheLowestMember(t *testing.T) {
	m := contract.Piece{Text: []byte("a"), Filler: &contract.Filler{Tokens: 3}}
	if got, want := string(m.Marshal()), "\x0a\x01a"; got != want {
		t.Errorf("Marshal() = %q, want %q", got, want)
	}
	if got, want := m.EncodedSize(), 3; got != want {
		t.Errorf("EncodedSize() = %d, want %d", got, want)
	}
}

func TestOneofKeepsTheLastMember(t *testing.T) {
	seven := uint32(7)
	data := (&contract.Piece{AnswerOfTurn: &seven}).AppendTo((&contract.Piece{Text: []byte{}}).Marshal())
	var m contract.Piece
	if err := m.Unmarshal(data); err != nil {
		t.Fatal(err)
	}
	if m.Text != nil || m.AnswerOfTurn == nil || *m.AnswerOfTurn != 7 {
		t.Errorf("got %+v, want the answer of turn 7 alone", m)
	}
}

func TestPresence(t *testing.T) {
	var empty, zero contract.Turn
	zero.ForkOf, zero.After = new(uint32), &contract.After{}
	if got := empty.Marshal(); len(got) != 0 {
		t.Errorf("an empty turn is %x, want nothing", got)
	}
	var back contract.Turn
	if err := back.Unmarshal(zero.Marshal()); err != nil {
		t.Fatal(err)
	}
	if back.ForkOf == nil || *back.ForkOf != 0 || back.After == nil || back.After.Turns != nil {
		t.Errorf("got %+v, want a present zero and a present empty message", back)
	}
}

func TestInvalidTextIsReplaced(t *testing.T) {
	m := contract.Finding{Code: "cut", Message: "rune cut \xe2\x82"}
	var back contract.Finding
	if data := m.Marshal(); len(data) != m.EncodedSize() {
		t.Errorf("%d bytes, EncodedSize says %d", len(data), m.EncodedSize())
	} else if err := back.Unmarshal(data); err != nil {
		t.Fatal(err)
	}
	if want := "rune cut \uFFFD"; back.Message != want {
		t.Errorf("got %q, want %q", back.Message, want)
	}
}

func TestUnmarshalSharesInput(t *testing.T) {
	m := contract.FoldRequest{Account: []byte("abc")}
	data := m.Marshal()
	var back contract.FoldRequest
	if err := back.Unmarshal(data); err != nil {
		t.Fatal(err)
	}
	if cap(back.Account) != 3 {
		t.Errorf("capacity is %d: an append would write into the next field", cap(back.Account))
	}
}

func TestUnmarshalFaults(t *testing.T) {
	deep := strings.Repeat("\xfb\x07", 101)
	for name, c := range map[string]struct {
		data string
		want error
	}{
		"length beyond the end":   {"\x0a\x05ab", contract.ErrTruncated},
		"huge length":             {"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", contract.ErrTruncated},
		"tag cut":                 {"\x80", contract.ErrTruncated},
		"varint of eleven bytes":  {"\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", contract.ErrVarint},
		"varint above 64 bits":    {"\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", contract.ErrVarint},
		"field 0":                 {"\x00\x01", contract.ErrField},
		"wire type 6":             {"\x0e", contract.ErrWireType},
		"end of no group":         {"\x0c", contract.ErrGroup},
		"group without end":       {"\xfb\x07\x08\x01", contract.ErrTruncated},
		"group with other end":    {"\xfb\x07\x0c", contract.ErrGroup},
		"groups nested deeply":    {deep, contract.ErrDepth},
		"fixed64 cut":             {"\xf9\x07\x01\x02", contract.ErrTruncated},
		"string not UTF-8":        {"\x0a\x01\xff", contract.ErrUTF8},
		"fault in a nested field": {"\x2a\x02\x08\x80", contract.ErrTruncated},
	} {
		t.Run(name, func(t *testing.T) {
			var m contract.Trajectory
			if err := m.Unmarshal([]byte(c.data)); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

func TestUnmarshalSkips(t *testing.T) {
	for name, data := range map[string]string{
		"unknown varint":          "\xf8\x07\x05",
		"unknown bytes":           "\xfa\x07\x02ab",
		"unknown fixed32":         "\xfd\x07abcd",
		"unknown fixed64":         "\xf9\x07abcdefgh",
		"unknown group":           "\xfb\x07\x08\x01\xfb\x07\xfc\x07\xfc\x07",
		"known field, other wire": "\x08\x05",
	} {
		t.Run(name, func(t *testing.T) {
			var m contract.Trajectory
			if err := m.Unmarshal([]byte(data + "\x12\x04code")); err != nil {
				t.Fatal(err)
			}
			if m.Domain != "code" || m.Id != "" {
				t.Errorf("got %+v, want the domain alone", m)
			}
		})
	}
}

func TestNumericListsInBothForms(t *testing.T) {
	var m contract.After
	if err := m.Unmarshal([]byte("\x08\x01\x0a\x02\x02\x03\x08\x04")); err != nil {
		t.Fatal(err)
	}
	if got, want := string(m.Marshal()), "\x0a\x04\x01\x02\x03\x04"; got != want {
		t.Errorf("Marshal() = %q, want %q", got, want)
	}
}

func FuzzTrajectory(f *testing.F) {
	one := uint64(1)
	f.Add((&contract.Trajectory{Id: "t", Turns: []contract.Turn{{Append: []contract.Message{{Json: []byte("{}")}},
		After: &contract.After{Turns: []uint32{0}}}}, StartOffsetNs: &one}).Marshal())
	f.Fuzz(func(t *testing.T, data []byte) {
		var m, back contract.Trajectory
		if m.Unmarshal(data) != nil {
			return
		}
		first := m.Marshal()
		if len(first) != m.EncodedSize() {
			t.Fatalf("%d bytes, EncodedSize says %d", len(first), m.EncodedSize())
		}
		if err := back.Unmarshal(first); err != nil {
			t.Fatalf("own bytes refused: %v", err)
		}
		if string(back.Marshal()) != string(first) {
			t.Fatalf("second encoding differs")
		}
	})
}
