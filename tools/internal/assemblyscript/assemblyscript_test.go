package assemblyscript_test

import (
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"

	"paceline/tools/internal/assemblyscript"
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
	return made, assemblyscript.Generate(files[0], made)
}

func TestGenerate(t *testing.T) {
	made, err := generate(t, `
		// Kind is a kind. */
		enum Kind { KIND_UNSPECIFIED = 0; KIND_BIG_ONE = 1; }
		message Pair { optional uint32 left_hand = 2; Kind kind = 1; oneof body { bytes json = 3; Pair.Part part = 4; } repeated uint32 size = 20; message Part {} }`)
	if err != nil {
		t.Fatal(err)
	}
	for file, wants := range map[string][]string{
		"paceline/contract/types_gen.ts": {
			" * Kind is a kind. * /\n */\nexport enum Kind {\n  Unspecified = 0,\n  BigOne = 1,\n}", "hasLeftHand: bool = false;", "set leftHand(v: u32) {",
			"kind: Kind = Kind.Unspecified;", "json: Uint8Array | null = null;", "part: Part | null = null;", "size: u32[] = [];",
		},
		"paceline/contract/codec_gen.ts": {
			"const f2 = m.leftHand;\n  if (m.hasLeftHand) size += 1 + sizeVarint(f2);", "if (!taken && f4 !== null) {", "w.numbers(162, f20);",
			"size += 2 + sizeBlob(sizeNumbers(f20));", "m.part = null;\n        m.json = r.bytes();", "m.kind = <i32>r.value as Kind;", "r.leave(end, 4, \"Part\");",
		},
		"paceline/contract_gen.ts":          {"export {\n  Kind,\n  Pair,\n  Part,\n} from"},
		"paceline/testing/messages_gen.mjs": {`[2, "leftHand", "number", 32, "", true, false],`, `[4, "part", "message", 32, "Part", false, true],`},
		"test/kinds/recode_gen.ts":          {`if (name == "Pair") {`},
	} {
		for _, want := range wants {
			if text := string(made["sdk/assemblyscript/"+file]); !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", file, want, text)
			}
		}
	}
}

func TestGenerateRefuses(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"map":           {`message M { map<string, string> m = 1; }`, "field m: the contract has no maps"},
		"float":         {`message M { double d = 1; }`, "field d: no AssemblyScript form"},
		"recursion":     {`message M { N n = 1; } message N { repeated M m = 1; }`, "holds itself"},
		"two oneofs":    {`message M { oneof a { bytes b = 1; } oneof c { bytes d = 2; } }`, "has two oneofs"},
		"list of bool":  {`message M { repeated bool b = 1; }`, "no AssemblyScript form for a repeated bool"},
		"optional text": {`message M { optional string s = 1; }`, "no AssemblyScript form for a optional string"},
		"same name":     {`message M { message K {} } message K {}`, "both be called K"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := generate(t, c.body); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
