package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
)

// secret is part of the key of case 38.
const secret = "7f3a9c"

// cmdClean looks for the secret in every file of a run folder, in compressed ones too.
func cmdClean(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 1, "clean DIR")
	dir, files := ts.MkAbs(args[0]), 0
	ts.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, ".zst") {
			if text, err = unpack(text); err != nil {
				return err
			}
		}
		files++
		if bytes.Contains(text, []byte(secret)) {
			ts.Fatalf("%s holds the secret", path)
		}
		return nil
	}))
	if files < 5 {
		ts.Fatalf("%s holds %d files only", dir, files)
	}
}

func unpack(packed []byte) ([]byte, error) {
	d, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(packed, nil)
}

// cmdWithUser puts the key of case 38 into URL as the password of a user.
func cmdWithUser(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 0, "withuser")
	ts.Setenv("URL", strings.Replace(ts.Getenv("URL"), "://", "://user:sk-test-7f3a9c-EXAMPLE@", 1))
}

// cmdSeedOf sets SEED to the seed that a run has drawn.
func cmdSeedOf(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 1, "seedof DIR")
	v, err := decode([]byte(ts.ReadFile(args[0] + "/run.json")))
	ts.Check(err)
	seed, ok := lookUp(v, "seed")
	if !ok {
		ts.Fatalf("run.json has no seed")
	}
	ts.Setenv("SEED", plain(seed))
}

// cmdSameBodies compares the bodies of N requests from number A on with those from number B on, whatever their order.
func cmdSameBodies(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 3, "samebodies A B N")
	n := number(ts, args[2])
	var sets [2][]string
	for i := range sets {
		all, from := endpointOf(ts).Requests(), number(ts, args[i])-1
		if from+n > len(all) {
			ts.Fatalf("only %d requests came", len(all))
		}
		for _, r := range all[from : from+n] {
			sets[i] = append(sets[i], string(r.Body))
		}
		slices.Sort(sets[i])
	}
	if slices.Equal(sets[0], sets[1]) == neg {
		ts.Fatalf("equal: %v\n%s\n%s", !neg, sets[0][0], sets[1][0])
	}
}

// withTLS serves with a certificate of its own for 127.0.0.1 and writes it to ca.pem.
func withTLS(ts *testscript.TestScript, l net.Listener, expired bool) net.Listener {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	now := time.Now()
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"},
		NotBefore: now.Add(-48 * time.Hour), NotAfter: now.Add(48 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	if expired {
		c.NotAfter = now.Add(-24 * time.Hour)
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("ca.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return tls.NewListener(l, &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12,
	})
}
