// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	"k8s.io/klog/v2"
)

// gates guards the feature gates of the process, which all its environments
// share: how many use them, and what they were before the first.
var gates struct {
	sync.Mutex
	users  int
	before map[string]*bool // nil: was not set
}

// acquireFeatureGates sets the gates for one environment, until release.
func acquireFeatureGates(logger klog.Logger, settings map[string]bool) (release func(), err error) {
	if err := checkFeatureGates(logger, settings); err != nil {
		return nil, err
	}
	gates.Lock()
	defer gates.Unlock()
	shared := utilfeature.DefaultMutableFeatureGate
	if gates.users > 0 {
		for _, name := range slices.Sorted(maps.Keys(settings)) {
			if now := shared.Enabled(featuregate.Feature(name)); now != settings[name] {
				return nil, fmt.Errorf("feature gate %s=%t: feature gates are shared by the process, "+
					"and another API server in it runs with %s=%t: stop that one first, or use its setting", name, settings[name], name, now)
			}
		}
	} else {
		gates.before = map[string]*bool{}
		for name := range settings {
			gates.before[name] = nil
			if feature := featuregate.Feature(name); shared.ExplicitlySet(feature) {
				enabled := shared.Enabled(feature)
				gates.before[name] = &enabled
			}
		}
		if err := setFeatureGates(logger, shared, settings); err != nil {
			return nil, err
		}
	}
	gates.users++
	return sync.OnceFunc(func() { releaseFeatureGates(logger) }), nil
}

// checkFeatureGates fails if the gates cannot be set so.
func checkFeatureGates(logger klog.Logger, settings map[string]bool) error {
	for _, group := range []string{"AllAlpha", "AllBeta"} {
		if _, ok := settings[group]; ok {
			return fmt.Errorf("feature gate %s: name the features instead of the group", group)
		}
	}
	// On a copy, as the real one keeps what it refuses.
	return setFeatureGates(logger, utilfeature.DefaultMutableFeatureGate.DeepCopy(), settings)
}

func setFeatureGates(logger klog.Logger, gate featuregate.MutableFeatureGate, settings map[string]bool) error {
	if len(settings) == 0 {
		return nil
	}
	set := gate.SetFromMap
	if contextual, ok := gate.(featuregate.MutableFeatureGateWithLogger); ok {
		set = func(m map[string]bool) error { return contextual.SetFromMapWithLogger(logger, m) }
	}
	if err := set(settings); err != nil {
		return fmt.Errorf("feature gates: %w", err)
	}
	return nil
}

func releaseFeatureGates(logger klog.Logger) {
	gates.Lock()
	defer gates.Unlock()
	if gates.users--; gates.users > 0 {
		return
	}
	restore := map[string]bool{}
	for name, enabled := range gates.before {
		if enabled != nil {
			restore[name] = *enabled
		} else if err := utilfeature.DefaultMutableFeatureGate.ResetFeatureValueToDefault(featuregate.Feature(name)); err != nil {
			logger.Error(err, "Cannot reset a feature gate", "gate", name)
		}
	}
	if err := setFeatureGates(logger, utilfeature.DefaultMutableFeatureGate, restore); err != nil {
		logger.Error(err, "Cannot restore the feature gates", "gates", restore)
	}
	gates.before = nil
}
