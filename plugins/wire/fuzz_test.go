package wire

import (
	"testing"

	"google.golang.org/protobuf/proto"

	pb "paceline/schemas/gen/pluginv1"
)

// FuzzTrajectory gives what a plugin might answer to Plan and Open: it is refused or well formed, and nothing panics.
func FuzzTrajectory(f *testing.F) {
	message := &pb.Message{Body: &pb.Message_Json{Json: []byte(`{"role":"user","content":"x"}`)}}
	piece := &pb.Piece{Kind: &pb.Piece_Filler{Filler: &pb.Filler{Tokens: 1, Scope: pb.Filler_SCOPE_RUN}}}
	composed := &pb.Message{Body: &pb.Message_Composed{Composed: &pb.Composed{Role: "user", Pieces: []*pb.Piece{piece}}}}
	fork := uint32(0)
	for _, said := range []*pb.Trajectory{
		{Id: "a", Turns: []*pb.Turn{{Append: []*pb.Message{message}, Recorded: message, Params: []byte(`{}`)}}},
		{Id: "b", Turns: []*pb.Turn{{Append: []*pb.Message{composed}}, {Index: 1, Branch: 1, ForkOf: &fork, After: &pb.After{Turns: []uint32{0}}}}},
	} {
		data, err := proto.Marshal(said)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		var said pb.Trajectory
		if proto.Unmarshal(data, &said) != nil {
			return
		}
		if t, err := trajectoryOf(&said, 0); err == nil && t.Check() == nil {
			_ = t.Unplayable()
		}
	})
}
