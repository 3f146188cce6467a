// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// kubeconfigName is the name of the cluster, the user and the context in a
// kubeconfig.
const kubeconfigName = "starwars"

// Kubeconfig returns a kubeconfig file for the user "admin", as RESTConfig is
// for, with everything in it and one context, "starwars", whose namespace is
// "default". Who has it is admin of the API.
func (e *Environment) Kubeconfig() ([]byte, error) {
	config := clientcmdapi.NewConfig()
	config.Clusters[kubeconfigName] = &clientcmdapi.Cluster{Server: e.URL(), CertificateAuthorityData: e.creds.ca}
	config.AuthInfos[kubeconfigName] = &clientcmdapi.AuthInfo{Token: e.creds.token}
	config.Contexts[kubeconfigName] = &clientcmdapi.Context{Cluster: kubeconfigName, AuthInfo: kubeconfigName, Namespace: "default"}
	config.CurrentContext = kubeconfigName
	data, err := clientcmd.Write(*config)
	if err != nil {
		return nil, fmt.Errorf("make the kubeconfig: %w", err)
	}
	return data, nil
}

// WriteKubeconfig writes the kubeconfig to a file that only the owner can
// read. The file is complete or as it was before: it is written beside path,
// synced and renamed. It refuses the user's own kubeconfig and every path in
// ~/.kube, however it is spelled, so that no test can overwrite the way to a
// real cluster.
func (e *Environment) WriteKubeconfig(path string) error {
	data, err := e.Kubeconfig()
	if err != nil {
		return err
	}
	if err := refuseUserKubeconfig(path); err != nil {
		return fmt.Errorf("write the kubeconfig: %w", err)
	}
	if err := writeFile(path, data); err != nil {
		return fmt.Errorf("write the kubeconfig: %w", err)
	}
	return nil
}

// writeFile replaces the file at path in one step, readable by the owner only.
func writeFile(path string, data []byte) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = temp.Close()
			_ = os.Remove(temp.Name())
		}
	}()
	if _, err := temp.Write(data); err != nil {
		return err
	}
	if err := temp.Sync(); err != nil {
		return err
	}
	if err := temp.Close(); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// refuseUserKubeconfig fails if path is in ~/.kube, or is the file
// ~/.kube/config by another way.
func refuseUserKubeconfig(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	// The directory decides, as a rename replaces a symbolic link and does not
	// follow it.
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return err
	}
	for _, home := range homes() {
		kube := filepath.Join(home, ".kube")
		refusal := fmt.Errorf("%s is in %s, which belongs to the user's real clusters: choose another path", path, kube)
		for ancestor := dir; ; ancestor = filepath.Dir(ancestor) {
			if sameFile(ancestor, kube) {
				return refusal
			}
			if ancestor == filepath.Dir(ancestor) {
				break
			}
		}
		if sameFile(path, filepath.Join(kube, "config")) {
			return refusal
		}
	}
	return nil
}

// homes returns the directories that may be the user's home: HOME can be set
// to another one than the system knows.
func homes() []string {
	var homes []string
	if home, err := os.UserHomeDir(); err == nil {
		homes = append(homes, home)
	}
	if u, err := user.Current(); err == nil && u.HomeDir != "" {
		homes = append(homes, u.HomeDir)
	}
	return homes
}

// sameFile tells whether both names lead to one existing file; the system
// compares, so links, case and mounts make no difference. A name that leads
// nowhere is compared as text.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	return errors.Is(errB, fs.ErrNotExist) && strings.EqualFold(filepath.Clean(a), filepath.Clean(b))
}
