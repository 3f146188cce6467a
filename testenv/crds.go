// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	apiextensionshelpers "k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

const crdResource = "customresourcedefinitions"

// InstallCRDs creates the CustomResourceDefinitions, or makes the existing
// ones' spec equal to the manifests, and returns when they are served, as
// Start does with [Options.CRDs], which says what a manifest is. The error for
// a manifest that the server refuses names the CRD and wraps the server's
// answer (a *errors.StatusError of k8s.io/apimachinery/pkg/api/errors).
// It gives up when ctx ends, and after a minute: some CRDs, for instance one
// whose names are taken, are never served.
func (e *Environment) InstallCRDs(ctx context.Context, manifests ...[]byte) error {
	var parsed []crdManifest
	for i, data := range manifests {
		m, err := parseCRDs(data)
		if err != nil {
			return fmt.Errorf("manifest %d: %w", i, err)
		}
		parsed = append(parsed, m...)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run == nil {
		return e.notRunning()
	}
	ctx, cancel := e.whileNotStopped(ctx)
	defer cancel()
	if err := e.run.api.installCRDs(ctx, parsed); err != nil {
		return withCause(ctx, err)
	}
	e.crds = append(e.crds, parsed...)
	return nil
}

// crdClient returns a client for CRDs that is allowed everything.
func (s *apiServer) crdClient() (rest.Interface, error) {
	config := rest.CopyConfig(s.loopback)
	config.APIPath = "/apis"
	config.GroupVersion = &apiextensionsv1.SchemeGroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("make a client for CustomResourceDefinitions: %w", err)
	}
	return client, nil
}

// installCRDs creates or updates the CRDs and returns when each is served.
func (s *apiServer) installCRDs(ctx context.Context, manifests []crdManifest) error {
	client, err := s.crdClient()
	if err != nil {
		return err
	}
	for _, m := range manifests {
		if err := applyCRD(ctx, client, m.object); err != nil {
			return fmt.Errorf("install CustomResourceDefinition %q: %w", m.crd.Name, err)
		}
	}
	for _, m := range manifests {
		if err := s.waitForCRD(ctx, client, m.crd); err != nil {
			return fmt.Errorf("CustomResourceDefinition %q is installed but not served: %w", m.crd.Name, err)
		}
	}
	return nil
}

// waitForStoredCRDs returns when the CRDs that the data directory has, whoever
// made them, are served as well as they can be: one that is not established,
// or whose LIST fails since a webhook is away, is none of ours.
func (s *apiServer) waitForStoredCRDs(ctx context.Context) error {
	client, err := s.crdClient()
	if err != nil {
		return err
	}
	list := &apiextensionsv1.CustomResourceDefinitionList{}
	if err := client.Get().Resource(crdResource).Do(ctx).Into(list); err != nil {
		return fmt.Errorf("list the CustomResourceDefinitions: %w", err)
	}
	for _, crd := range list.Items {
		if !apiextensionshelpers.IsCRDConditionTrue(&crd, apiextensionsv1.Established) {
			continue
		}
		err := s.waitForCRD(ctx, client, &crd)
		if ctx.Err() != nil {
			return fmt.Errorf("CustomResourceDefinition %q is not served: %w", crd.Name, err)
		}
		if err != nil {
			klog.FromContext(ctx).V(2).Info("CustomResourceDefinition is not served", "name", crd.Name, "err", err)
		}
	}
	return nil
}

// applyCRD creates the CRD, or makes the existing one's spec equal to it. An
// update and not a server-side apply, since fields that another client or an
// older version of the manifest set must not survive in a schema.
func applyCRD(ctx context.Context, client rest.Interface, desired *unstructured.Unstructured) error {
	for {
		body, err := json.Marshal(desired.Object)
		if err != nil {
			return err
		}
		err = client.Post().Resource(crdResource).
			VersionedParams(&metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}, scheme.ParameterCodec).
			Body(body).Do(ctx).Error()
		if !apierrors.IsAlreadyExists(err) {
			return err
		}
		raw, err := client.Get().Resource(crdResource).Name(desired.GetName()).Do(ctx).Raw()
		if apierrors.IsNotFound(err) {
			continue // deleted in between
		}
		if err != nil {
			return err
		}
		current := &unstructured.Unstructured{}
		if err := json.Unmarshal(raw, &current.Object); err != nil {
			return err
		}
		current.Object["spec"] = desired.Object["spec"]
		current.SetLabels(merge(current.GetLabels(), desired.GetLabels()))
		current.SetAnnotations(merge(current.GetAnnotations(), desired.GetAnnotations()))
		if body, err = json.Marshal(current.Object); err != nil {
			return err
		}
		err = client.Put().Resource(crdResource).Name(desired.GetName()).
			VersionedParams(&metav1.UpdateOptions{FieldValidation: metav1.FieldValidationStrict}, scheme.ParameterCodec).
			Body(body).Do(ctx).Error()
		if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return err
		}
	}
}

// merge returns current with the entries of desired, nil if that is empty.
func merge(current, desired map[string]string) map[string]string {
	if len(desired) == 0 {
		return current
	}
	merged := maps.Clone(current)
	if merged == nil {
		merged = map[string]string{}
	}
	maps.Copy(merged, desired)
	return merged
}

// waitForCRD returns when the CRD is established, and when every served
// version is in discovery and answers a LIST. A LIST before that gets 404, or
// 429 "storage is (re)initializing", upon which a client sleeps a second.
func (s *apiServer) waitForCRD(ctx context.Context, client rest.Interface, crd *apiextensionsv1.CustomResourceDefinition) error {
	if err := poll(ctx, s.establishedCheck(client, crd.Name)); err != nil {
		return err
	}
	for _, version := range crd.Spec.Versions {
		if !version.Served {
			continue
		}
		groupVersion := "/apis/" + crd.Spec.Group + "/" + version.Name
		if err := poll(ctx, func(ctx context.Context) (bool, error) {
			return isDiscovered(ctx, client, groupVersion, crd.Spec.Names.Plural)
		}); err != nil {
			return err
		}
		if err := poll(ctx, func(ctx context.Context) (bool, error) {
			// A selector that nothing matches, and not a limit: with a limit the
			// answer comes from etcd, and says nothing about the watch cache.
			err := client.Get().AbsPath(groupVersion, crd.Spec.Names.Plural).Param("labelSelector", "x,!x").MaxRetries(0).Do(ctx).Error()
			return err == nil, notYet(err)
		}); err != nil {
			return err
		}
	}
	return nil
}

// establishedCheck returns a check for whether the CRD is established, and
// known as such to the handler of custom resources.
func (s *apiServer) establishedCheck(client rest.Interface, name string) func(context.Context) (bool, error) {
	// The controller that accepts names takes a moment, in which an updated
	// CRD shows the verdict about its old names.
	const patience = time.Second
	var refused time.Time
	return func(ctx context.Context) (bool, error) {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := client.Get().Resource(crdResource).Name(name).Do(ctx).Into(crd); err != nil {
			return false, err
		}
		if c := apiextensionshelpers.FindCRDCondition(crd, apiextensionsv1.NamesAccepted); c != nil && c.Status == apiextensionsv1.ConditionFalse {
			if refused.IsZero() {
				refused = time.Now()
			}
			err := fmt.Errorf("its names are not accepted (%s): %s", c.Reason, c.Message)
			if time.Since(refused) < patience {
				err = retryError{err}
			}
			return false, err
		}
		if !apiextensionshelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established) {
			return false, retryError{errors.New("it is not established yet")}
		}
		if backdate(crd, time.Now()) {
			err := client.Put().Resource(crdResource).Name(name).SubResource("status").Body(crd).Do(ctx).Error()
			if err != nil && !apierrors.IsConflict(err) {
				return false, err
			}
			return false, retryError{errors.New("it is not old enough yet")}
		}
		// The handler learns of a changed CRD at the same time as the lister,
		// and until then serves the old one.
		cached, err := s.crds.Get(name)
		if err != nil || cached.ResourceVersion != crd.ResourceVersion {
			return false, retryError{errors.New("the handler of custom resources does not know it yet")}
		}
		return true, nil
	}
}

// backdate makes a CRD that was established just now seem older, and tells
// whether that was necessary. For two seconds after the time in the condition
// the server holds every request to create a custom resource for two seconds,
// lest another server of the cluster does not know the CRD yet. Here there is
// no other.
func backdate(crd *apiextensionsv1.CustomResourceDefinition, now time.Time) bool {
	established := apiextensionshelpers.FindCRDCondition(crd, apiextensionsv1.Established)
	if now.Sub(established.LastTransitionTime.Time) > 5*time.Second {
		return false
	}
	established.LastTransitionTime = metav1.NewTime(now.Add(-time.Minute))
	return true
}

func isDiscovered(ctx context.Context, client rest.Interface, groupVersion, plural string) (bool, error) {
	list := &metav1.APIResourceList{}
	if err := client.Get().AbsPath(groupVersion).MaxRetries(0).Do(ctx).Into(list); err != nil {
		return false, notYet(err)
	}
	for _, resource := range list.APIResources {
		if resource.Name == plural {
			return true, nil
		}
	}
	return false, retryError{fmt.Errorf("%s does not list %s yet", groupVersion, plural)}
}
