package cgen_test

import (
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"

	"paceline/tools/internal/cgen"
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
	return made, cgen.Generate(files[0], made)
}

func TestGenerate(t *testing.T) {
	made, err := generate(t, `
		// Kind is a kind.
		enum Kind { KIND_UNSPECIFIED = 0; KIND_BIG_ONE = 1; }
		message BigPair {
			optional uint32 left_hand = 2; // a hand
			Kind kind = 1; repeated string default = 9;
			oneof body { bytes json = 3; BigPair.Part part = 4; }
			message Part {}
		}`)
	if err != nil {
		t.Fatal(err)
	}
	for file, wants := range map[string][]string{
		"sdk/c/include/paceline/contract.h": {
			"// Kind is a kind.\ntypedef int32_t pl_kind;\nenum {\n\tPL_KIND_UNSPECIFIED = 0,\n\tPL_KIND_BIG_ONE = 1,\n};",
			"struct pl_big_pair {\n\tpl_kind kind;\n\tbool has_left_hand;\n\tuint32_t left_hand; // a hand\n\tpl_str json;\n\tpl_part *part;\n\tpl_str *default_;\n\tsize_t default__len;\n};",
		},
		"sdk/c/src/tables_gen.c": {
			"\t{1, PL_FORM_ENUM, 0, offsetof(pl_big_pair, kind), 0, NULL},\n\t{2, PL_FORM_OPT_U32, 0, offsetof(pl_big_pair, left_hand), offsetof(pl_big_pair, has_left_hand), NULL},",
			"\t{4, PL_FORM_MESSAGE, 1, offsetof(pl_big_pair, part), 0, &pl_layout_part},",
			`const pl_layout pl_layout_part = {"Part", NULL, 0, sizeof(pl_part)};`,
		},
		"sdk/c/src/tables_gen.h": {"extern const pl_layout pl_layout_big_pair;", "X(pl_layout_part, pl_part)"},
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
		"map":            {`message M { map<string, string> m = 1; }`, "field m: the contract has no maps"},
		"float":          {`message M { double d = 1; }`, "field d: no C form"},
		"recursion":      {`message M { N n = 1; } message N { repeated M m = 1; }`, "holds itself"},
		"two oneofs":     {`message M { oneof a { bytes b = 1; } oneof c { bytes d = 2; } }`, "has two oneofs"},
		"list of bool":   {`message M { repeated bool b = 1; }`, "no C form for a repeated bool"},
		"same type":      {`message M { message K {} } message K {}`, "both be called pl_k"},
		"same member":    {`message M { repeated uint32 a = 1; uint32 a_len = 2; }`, "two members would be called a_len"},
		"a large number": {`message M { uint32 a = 70000; }`, "number 70000 is above 65535"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := generate(t, c.body); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
