// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// credentialsLifetime outlives any use of a data directory; there is no
// renewal.
const credentialsLifetime = 10 * 365 * 24 * time.Hour

// credentials are what client and server prove themselves with. The key of
// the CA is not among them: it signs the one server certificate and is then
// forgotten, so that nothing on disk can sign another.
type credentials struct {
	ca    []byte // PEM
	cert  []byte // PEM
	key   []byte // PEM
	token string // 128 random bits in hex
}

// files maps names in the credentials directory to fields.
func (c *credentials) files() map[string][]byte {
	return map[string][]byte{"ca.crt": c.ca, "server.crt": c.cert, "server.key": c.key, "token": []byte(c.token)}
}

// loadOrCreateCredentials returns the credentials in dir, which it makes if it
// is missing.
func loadOrCreateCredentials(dir string) (*credentials, error) {
	c, err := loadCredentials(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if c, err = newCredentials(); err == nil {
			err = c.save(dir)
		}
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

func loadCredentials(dir string) (*credentials, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	unusable := func(err error) error {
		return fmt.Errorf("credentials in %s are unusable: %w; remove that directory to have new ones made "+
			"(kubeconfigs written so far then stop working)", dir, err)
	}
	read := map[string][]byte{}
	for name := range new(credentials).files() {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			// Not wrapped as "does not exist", or half a directory would be
			// taken for none.
			return nil, unusable(errors.New(err.Error()))
		}
		read[name] = data
	}
	c := &credentials{ca: read["ca.crt"], cert: read["server.crt"], key: read["server.key"], token: string(read["token"])}
	if err := c.check(time.Now()); err != nil {
		return nil, unusable(err)
	}
	return c, nil
}

// check fails unless a client with the CA would trust the server at that time.
func (c *credentials) check(now time.Time) error {
	if raw, err := hex.DecodeString(c.token); err != nil || len(raw) < 16 {
		return errors.New("the token is not 128 bits in hex")
	}
	pair, err := tls.X509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(c.ca) {
		return errors.New("no certificate in ca.crt")
	}
	_, err = pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: loopback, CurrentTime: now})
	return err
}

// save writes the credentials so that dir is complete or not there at all.
func (c *credentials) save(dir string) (err error) {
	temp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".*.tmp") // mode 0700
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(temp)
		}
	}()
	for name, data := range c.files() {
		if err := os.WriteFile(filepath.Join(temp, name), data, 0o600); err != nil {
			return err
		}
	}
	return os.Rename(temp, dir)
}

func newCredentials() (*credentials, error) {
	notBefore := time.Now().Add(-time.Hour) // clocks differ
	template := func(serial int64, name string) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(serial),
			Subject:      pkix.Name{CommonName: name},
			NotBefore:    notBefore, NotAfter: notBefore.Add(credentialsLifetime),
			KeyUsage:              x509.KeyUsageDigitalSignature,
			BasicConstraintsValid: true,
		}
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	ca := template(1, "starwars-apiserver-ca")
	ca.IsCA, ca.KeyUsage = true, x509.KeyUsageCertSign
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, caKey.Public(), caKey)
	if err != nil {
		return nil, err
	}
	if ca, err = x509.ParseCertificate(caDER); err != nil { // with the key identifier filled in
		return nil, err
	}

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	server := template(2, "starwars-apiserver")
	server.DNSNames, server.IPAddresses = []string{"localhost"}, []net.IP{net.ParseIP(loopback)}
	server.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	serverDER, err := x509.CreateCertificate(rand.Reader, server, ca, key.Public(), caKey)
	if err != nil {
		return nil, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}

	return &credentials{
		ca:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER}),
		cert:  pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: serverDER}),
		key:   pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
		token: newToken(),
	}, nil
}

// newToken returns 128 random bits in hex.
func newToken() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
