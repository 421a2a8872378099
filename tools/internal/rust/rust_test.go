package rust_test

import (
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"

	"paceline/tools/internal/rust"
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
	return made, rust.Generate(files[0], made)
}

func TestGenerate(t *testing.T) {
	made, err := generate(t, `
		// Kind is [a] kind.
		enum LoadKind { LOAD_KIND_UNSPECIFIED = 0; LOAD_KIND_BIG_ONE = 1; // so big
		}
		message Pair { optional uint32 left_hand = 2; LoadKind kind = 1; bool final = 7; oneof body { bytes json = 5; Pair.Part part = 3; } message Part {} }`)
	if err != nil {
		t.Fatal(err)
	}
	for file, wants := range map[string][]string{
		"sdk/rust/src/contract/types.rs": {
			"/// Kind is \\[a\\] kind.\n", "pub struct LoadKind(pub i32);", "    /// so big\n    pub const BIG_ONE: LoadKind = LoadKind(1);", "1 => \"big_one\",",
			"    pub kind: LoadKind,\n", "    pub left_hand: Option<u32>,\n", "    pub body: Option<PairBody>,\n", "    pub r#final: bool,\n",
			"pub enum PairBody {\n    /// Field 5.\n    Json(Vec<u8>),\n    /// Field 3.\n    Part(Part),\n}", "pub struct Part {\n}",
		},
		"sdk/rust/src/contract/codec.rs": {
			"to.value(1, self.kind);\n        to.opt_u32(2, self.left_hand);\n        if let Some(PairBody::Part(v)) = &self.body {\n            to.present_message(3, v);",
			"7 => f.bool(&mut self.r#final),", "5 => f.member_bytes(|v| self.body = Some(PairBody::Json(v))),", "3 if f.is_blob() => {",
			"fn write(&self, _: &mut Sink<'_>) {}",
		},
		"sdk/rust/src/contract/authors.rs": {"    LoadKind,\n    Pair,\n    PairBody,\n    Part,\n"},
		"sdk/rust/recode/table.rs":         {"(\"Pair\", recode::<Pair>),"},
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
		"map":           {`message M { map<string, string> m = 1; }`, "field m: the contract has no maps"},
		"float":         {`message M { double d = 1; }`, "field d: no Rust form"},
		"recursion":     {`message M { N n = 1; } message N { repeated M m = 1; }`, "holds itself"},
		"inner cycle":   {`message M { N n = 1; } message N { N n = 1; }`, "message N: holds itself"},
		"list of bool":  {`message M { repeated bool b = 1; }`, "no Rust form for a repeated bool"},
		"text in oneof": {`message M { oneof a { string s = 1; } }`, "no Rust form for a optional string"},
		"same name":     {`message M { message K {} } message K {}`, "both be called K"},
		"name of oneof": {`message M { oneof body { bytes b = 1; } } message MBody {}`, "both be called MBody"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := generate(t, c.body); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
