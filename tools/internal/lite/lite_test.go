package lite_test

import (
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"

	"paceline/tools/internal/lite"
)

// generate runs the generator over the body of a contract.
func generate(t *testing.T, body string) (map[string][]byte, error) {
	t.Helper()
	compiler := protocompile.Compiler{
		Resolver: &protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(map[string]string{
			"x.proto": `syntax = "proto3"; package x; ` + body,
		})},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(t.Context(), "x.proto")
	if err != nil {
		t.Fatal(err)
	}
	made := map[string][]byte{}
	return made, lite.Generate(files[0], made)
}

func TestGenerate(t *testing.T) {
	made, err := generate(t, `
		// Kind is a kind.
		enum Kind { KIND_UNSPECIFIED = 0; KIND_BIG_ONE = 1; }
		message Pair { optional uint32 left_hand = 2; Kind kind = 1; oneof body { bytes json = 3; Pair.Part part = 4; } message Part {} }`)
	if err != nil {
		t.Fatal(err)
	}
	for file, wants := range map[string][]string{
		"sdk/contract/types_gen.go": {"// Kind is a kind.\ntype Kind int32", "KindBigOne      Kind = 1", "LeftHand *uint32", "Part     *Part"},
		"sdk/contract/codec_gen.go": {
			"{1, formEnum, false, unsafe.Offsetof(Pair{}.Kind), nil},\n\t{2, formOptUint32,",
			"{3, formPresent, true,", "{4, formMessage, true, unsafe.Offsetof(Pair{}.Part), &layoutPart},", "l := (*[]Part)(list)",
		},
		"sdk/contract_gen.go":                         {"Pair = contract.Pair", "KindBigOne = contract.KindBigOne"},
		"schemas/gen/pluginv1/messages_table_test.go": {"new(pluginv1.Pair_Part) }, func() liteMessage { return new(contract.Part)"},
	} {
		for _, want := range wants {
			if !strings.Contains(string(made[file]), want) {
				t.Errorf("%s lacks %q:\n%s", file, want, made[file])
			}
		}
	}
}

func TestGenerateRefuses(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"map":          {`message M { map<string, string> m = 1; }`, "field m: the contract has no maps"},
		"float":        {`message M { double d = 1; }`, "field d: no Go form"},
		"recursion":    {`message M { N n = 1; } message N { repeated M m = 1; }`, "holds itself"},
		"two oneofs":   {`message M { oneof a { bytes b = 1; } oneof c { bytes d = 2; } }`, "has two oneofs"},
		"list of bool": {`message M { repeated bool b = 1; }`, "no Go form for a repeated bool"},
		"same name":    {`message M { message K {} } message K {}`, "both be called K"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := generate(t, c.body); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
