package python_test

import (
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"

	"paceline/tools/internal/python"
)

const contract = `syntax = "proto3"; package x.v1;
	// Kind is a kind.
	enum BigKind {
	  BIG_KIND_UNSPECIFIED = 0;
	  BIG_KIND_ONE = 1; // the "first" \ one
	}
	message Pair {
	  optional uint32 left_hand = 2; // where it is known
	  repeated Part parts = 1;
	  repeated BigKind kinds = 4;
	  oneof body { bytes json = 3; Part part = 5; }
	}
	// Part is one part.
	// It has two lines.
	message Part {}
	service Work { rpc Do(Pair) returns (Part); }`

func TestGenerate(t *testing.T) {
	compiler := protocompile.Compiler{
		Resolver:       &protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(map[string]string{"x.proto": contract})},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(t.Context(), "x.proto")
	if err != nil {
		t.Fatal(err)
	}
	made := map[string][]byte{}
	if err := python.Generate(files[0], made); err != nil {
		t.Fatal(err)
	}
	for file, wants := range map[string][]string{
		"sdk/python/src/paceline/contract.py": {
			"class BigKind(enum.IntEnum):\n    \"\"\"Kind is a kind.\"\"\"\n\n    UNSPECIFIED = 0\n    ONE = 1  # the \"first\" \\\\ one\n",
			"FindMessageTypeByName(\"x.v1.\" + name)", "Pair = _message(\"Pair\")\n",
			"SERVICES = {\n    \"Work\": {\n        \"Do\": (Pair, Part),\n    },\n}\n",
		},
		"sdk/python/src/paceline/contract.pyi": {
			"    left_hand: int\n    \"\"\"where it is known\"\"\"\n", "    parts: _containers.RepeatedCompositeFieldContainer[Part]\n",
			"        kinds: Iterable[int] | None = ...,\n", "HasField(self, field_name: Literal[\"left_hand\", \"json\", \"part\"])",
			"WhichOneof(self, oneof_group: Literal[\"body\"]) -> Literal[\"json\", \"part\"] | None",
			"    \"\"\"Part is one part.\n    It has two lines.\n    \"\"\"\n    def __init__(self) -> None: ...\n",
		},
	} {
		for _, want := range wants {
			if !strings.Contains(string(made[file]), want) {
				t.Errorf("%s lacks %q:\n%s", file, want, made[file])
			}
		}
	}
}
