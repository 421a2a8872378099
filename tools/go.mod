module paceline/tools

go 1.26.0

require (
	github.com/bufbuild/protocompile v0.14.1
	github.com/klauspost/compress v1.20.4
	google.golang.org/protobuf v1.36.12
)

require (
	golang.org/x/sync v0.25.0 // indirect
	google.golang.org/grpc/cmd/protoc-gen-go-grpc v1.6.2 // indirect
	paceline v0.0.0
)

tool (
	google.golang.org/grpc/cmd/protoc-gen-go-grpc
	google.golang.org/protobuf/cmd/protoc-gen-go
)

replace paceline => ../

replace paceline/sdk => ../sdk

replace paceline/sdk/native => ../sdk/native
