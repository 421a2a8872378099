// Command protogen makes the generated code of the plugin contract from schemas/plugin/v1/plugin.proto: the protobuf and
// gRPC code that the host uses, the reflection-free codec that guests use, and the test table that compares the two. It
// needs no protoc: the parser is a Go package and the generators are tools pinned in this module.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"paceline/tools/internal/assemblyscript"
	"paceline/tools/internal/cgen"
	"paceline/tools/internal/lite"
	"paceline/tools/internal/python"
	"paceline/tools/internal/rust"
)

// source is the contract's file below schemas/.
const source = "plugin/v1/plugin.proto"

func main() {
	root := flag.String("root", "..", "root of the repository")
	out := flag.String("out", "", "folder that receives the files; empty: the repository")
	flag.Parse()
	if *out == "" {
		*out = *root
	}
	if err := run(context.Background(), *root, *out); err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root, out string) error {
	compiler := protocompile.Compiler{
		Resolver:       &protocompile.SourceResolver{ImportPaths: []string{filepath.Join(root, "schemas")}},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(ctx, source)
	if err != nil {
		return fmt.Errorf("parse contract: %w", err)
	}
	made := map[string][]byte{}
	for _, tool := range []struct{ name, parameter string }{
		{"protoc-gen-go", "module=paceline"},
		{"protoc-gen-go-grpc", "module=paceline"},
	} {
		if err := runTool(ctx, root, tool.name, tool.parameter, files[0], made); err != nil {
			return fmt.Errorf("run %s: %w", tool.name, err)
		}
	}
	for _, language := range []struct {
		name     string
		generate func(protoreflect.FileDescriptor, map[string][]byte) error
	}{
		{"Go guests", lite.Generate}, {"Rust", rust.Generate}, {"Python", python.Generate},
		{"AssemblyScript", assemblyscript.Generate}, {"C", cgen.Generate},
	} {
		if err := language.generate(files[0], made); err != nil {
			return fmt.Errorf("generate the messages for %s: %w", language.name, err)
		}
	}
	return write(out, made)
}

// runTool feeds one protoc plugin, as protoc would, and adds the files that it answers to made.
func runTool(ctx context.Context, root, name, parameter string, file protoreflect.FileDescriptor, made map[string][]byte) error {
	request, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{source},
		Parameter:      proto.String(parameter),
		ProtoFile:      []*descriptorpb.FileDescriptorProto{protoutil.ProtoFromFileDescriptor(file)},
	})
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "tool", name)
	cmd.Dir = filepath.Join(root, "tools")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.Stdin = bytes.NewReader(request)
	cmd.Stderr = os.Stderr
	answer, err := cmd.Output()
	if err != nil {
		return err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(answer, &response); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	if response.Error != nil {
		return errors.New(response.GetError())
	}
	for _, f := range response.File {
		made[f.GetName()] = []byte(f.GetContent())
	}
	return nil
}

func write(out string, made map[string][]byte) error {
	for name, content := range made {
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
