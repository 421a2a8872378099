// Package artifact turns plugins into OCI content and back: it packs them so that equal plugins have equal bytes, reads them
// from any source with a limit on every size and a digest on every byte, and keeps them in OCI layouts, which are folders or
// tar files. It knows no network.
//
// A wasm plugin is a manifest in the CNCF layout: a configuration and exactly one layer application/wasm. A native plugin is an
// index with one manifest a platform; their configuration is the plugin's own manifest, their layer the executable. A
// signature is a manifest that refers to either, with a DSSE envelope as its layer.
package artifact
