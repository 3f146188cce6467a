// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestCredentials(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	first, err := loadOrCreateCredentials(dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := loadOrCreateCredentials(dir)
	if err != nil {
		t.Fatal(err)
	}
	if first.token != second.token || string(first.ca) != string(second.ca) || string(first.key) != string(second.key) {
		t.Error("loading gives other credentials than were saved")
	}
	if err := first.check(time.Now().Add(9 * 365 * 24 * time.Hour)); err != nil {
		t.Errorf("in nine years: %v", err)
	}
	if err := first.check(time.Now().Add(11 * 365 * 24 * time.Hour)); err == nil {
		t.Error("good for more than ten years")
	}
	other, err := newCredentials()
	if err != nil {
		t.Fatal(err)
	}
	if other.token == first.token {
		t.Error("two tokens are equal")
	}
	other.ca = first.ca
	if err := other.check(time.Now()); err == nil {
		t.Error("a server certificate of another CA passes")
	}

	if err := os.Remove(filepath.Join(dir, "server.key")); err != nil {
		t.Fatal(err)
	}
	if _, err := loadOrCreateCredentials(dir); err == nil || !strings.Contains(err.Error(), "remove that directory") {
		t.Errorf("half of the credentials: %v", err)
	}
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("files are left: %v", entries)
	}
}
