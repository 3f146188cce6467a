// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// source is the ListerWatcher as the reflector sees it. It notes what goes wrong,
// of which the reflector tells others little, and heals what the reflector does
// not:
//
//   - A watch-list that is cut before its end, again and again: the reflector would
//     try for ever (kubernetes#140890). After maxCuts times it is made to list.
//   - A watch that is silent for too long, though the server sends bookmarks: it is
//     ended, and the reflector makes another.
//   - resourceVersions that run backwards, as of a server that lost its data: the
//     reflector is made to list anew (kubernetes#107457).
//   - A server that is away: the reflector would wait for its next attempt up to a
//     minute, and with a watch-list even after it was told to stop.
//   - A server to which each watch-list is expired: the reflector would ask again
//     at once, for ever. It counts as cut.
type source struct {
	name      string // the informer's
	namespace string // "" for all
	lw        cache.ListerWatcherWithContext
	unwrapped cache.ListerWatcher
	idle      time.Duration // without a limit if negative
	health    *health
	streams   sync.WaitGroup

	mu        sync.Mutex
	failing   map[string]bool // by verb
	bookmarks bool            // the server sends them
	cuts      int             // of watch-lists, one after the other
	listUntil time.Time       // no watch-lists before that
	newest    string          // the resourceVersion that was seen last
	rewound   bool            // what the reflector knows as the newest is none
	doubtful  bool            // since the last list, whether it still is the same server
	delay     wait.Backoff    // between attempts at a watch-list
}

const (
	verbList  = "list"
	verbWatch = "watch"

	// maxCuts watch-lists in a row may be cut before it is a list's turn, and
	// remains so for watchListPause.
	maxCuts        = 4
	watchListPause = 5 * time.Minute

	// maxRefusedDelay is how long a server may be back before it is noticed.
	maxRefusedDelay = 4 * time.Second
)

// The reflector's own pace of attempts.
var backoff = wait.Backoff{Duration: 800 * time.Millisecond, Factor: 2, Jitter: 1, Steps: 6, Cap: 30 * time.Second}

var (
	errCut    = errors.New("the stream ended before the initial list was complete")
	errSilent = errors.New("the stream was silent for too long")
	errPaused = errors.New("watch-lists are cut: listing instead")
)

func newSource(name, namespace string, lw cache.ListerWatcher, idle time.Duration, h *health) *source {
	return &source{
		name: name, namespace: namespace, lw: cache.ToListerWatcherWithContext(lw), unwrapped: lw,
		idle: idle, health: h, failing: map[string]bool{}, delay: backoff,
	}
}

// IsWatchListSemanticsUnSupported is asked by the reflector.
func (s *source) IsWatchListSemanticsUnSupported() bool {
	u, ok := s.unwrapped.(interface{ IsWatchListSemanticsUnSupported() bool })
	return ok && u.IsWatchListSemanticsUnSupported()
}

// List implements cache.ListerWatcher.
func (s *source) List(options metav1.ListOptions) (runtime.Object, error) {
	return s.ListWithContext(context.Background(), options)
}

// Watch implements cache.ListerWatcher.
func (s *source) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return s.WatchWithContext(context.Background(), options)
}

// ListWithContext implements cache.ListerWatcherWithContext.
func (s *source) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	if options.Continue == "" {
		s.forget(&options)
	}
	for {
		list, err := s.lw.ListWithContext(ctx, options)
		if err == nil {
			s.recovered(verbList)
			if m, err := meta.ListAccessor(list); err == nil && m.GetContinue() == "" {
				s.restart(m.GetResourceVersion())
			}
			return list, nil
		}
		again := s.failed(ctx, verbList, err)
		if !again || !utilnet.IsConnectionRefused(err) { // of the first, the WatchErrorHandler hears
			return nil, err
		}
		if err := pause(ctx, min(s.nextDelay(), maxRefusedDelay)); err != nil {
			return nil, err
		}
	}
}

// WatchWithContext implements cache.ListerWatcherWithContext.
func (s *source) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	initial := options.SendInitialEvents != nil && *options.SendInitialEvents
	if initial {
		if err := s.mayWatchList(ctx); err != nil {
			return nil, err
		}
		s.forget(&options)
	}
	for {
		began := time.Now()
		w, err := s.lw.WatchWithContext(ctx, options)
		if err == nil {
			if doubtful := s.answered(); doubtful && !initial {
				if err := s.verify(ctx, options.ResourceVersion); err != nil {
					w.Stop()
					return nil, err
				}
			}
			return s.observe(ctx, w, began, options), nil
		}
		s.failed(ctx, verbWatch, err)
		delay := s.nextDelay()
		switch {
		case utilnet.IsConnectionRefused(err): // which costs nobody anything
			delay = min(delay, maxRefusedDelay)
		case initial && apierrors.IsTooManyRequests(err):
			if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
				delay = max(delay, time.Duration(seconds)*time.Second)
			}
		case initial && isExpired(err):
			s.cut(ctx, err)
			return nil, err
		default:
			return nil, err
		}
		if err := pause(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// isExpired tells of errors at which the reflector makes its watch-list again at
// once.
func isExpired(err error) bool {
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge)
}

// answered notes that a watch was. It returns true if that may be by another
// server than the one before.
func (s *source) answered() (doubtful bool) {
	s.recovered(verbWatch)
	s.mu.Lock()
	defer s.mu.Unlock()
	doubtful, s.doubtful = s.doubtful, false
	return doubtful
}

// doubt makes the next watch be verified, unless there is a list before.
func (s *source) doubt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doubtful = true
}

// mayWatchList waits before a watch-list that follows one that was cut, and says
// when it is a list's turn.
func (s *source) mayWatchList(ctx context.Context) error {
	s.mu.Lock()
	cuts, paused := s.cuts, time.Now().Before(s.listUntil)
	if cuts >= maxCuts && !paused { // one more try, after a pause
		s.cuts = maxCuts - 1
	}
	s.mu.Unlock()
	if paused {
		return errPaused
	}
	if cuts == 0 {
		return nil
	}
	return pause(ctx, 50*time.Millisecond<<cuts)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *source) nextDelay() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.delay.Step()
}

// verify tells whether a server that was away, or ended a watch before its time,
// still has the data that it had. One
// that has lost it would let the watch wait in silence, until it has got to a
// resourceVersion that is years ahead.
func (s *source) verify(ctx context.Context, resourceVersion string) error {
	list, err := s.lw.ListWithContext(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		s.doubt()
		return nil //nolint:nilerr // Whoever may not list, or cannot just now, is no worse off with the watch.
	}
	m, err := meta.ListAccessor(list)
	if err != nil {
		return nil //nolint:nilerr // as above
	}
	now := m.GetResourceVersion()
	if order, err := resourceversion.CompareResourceVersion(now, resourceVersion); err != nil || order >= 0 {
		return nil //nolint:nilerr // What is not a number cannot be compared.
	}
	s.mu.Lock()
	s.rewound = true
	s.mu.Unlock()
	return wentBack(ctx, s, resourceVersion, now)
}

// wentBack is what the reflector is told, which makes it list anew.
func wentBack(ctx context.Context, s *source, before, now string) *apierrors.StatusError {
	err := apierrors.NewResourceExpired(fmt.Sprintf("resourceVersions went back from %s to %s: the API server has other data than before", before, now))
	klog.FromContext(ctx).Info("Warning: listing anew", "informer", s.name, "namespace", s.namespace, "reason", err)
	return err
}

// forget makes a request ask for the newest there is, after a server was found to
// have gone back.
func (s *source) forget(options *metav1.ListOptions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rewound {
		options.ResourceVersion = ""
		if options.SendInitialEvents == nil {
			options.ResourceVersionMatch = ""
		}
	}
}

// restart notes from where events follow.
func (s *source) restart(resourceVersion string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest, s.rewound, s.doubtful = resourceVersion, false, false
}

// failed notes that a request was not answered as it should. It returns true if
// that was so of the one before too.
func (s *source) failed(ctx context.Context, verb string, err error) (again bool) {
	if ctx.Err() != nil { // nobody's fault
		return false
	}
	s.mu.Lock()
	again = s.failing[verb]
	s.failing[verb] = true
	s.doubtful = s.doubtful || verb == verbWatch
	s.mu.Unlock()
	s.health.fail(&RequestError{Informer: s.name, Namespace: s.namespace, Verb: verb, Err: err})
	return again
}

// recovered notes that a request was answered.
func (s *source) recovered(verb string) {
	s.mu.Lock()
	was := s.failing[verb]
	s.failing[verb] = false
	s.delay = backoff
	s.mu.Unlock()
	if was {
		s.health.recovered(s.namespace, verb)
	}
}

// cut notes that a watch-list ended too early, and why.
func (s *source) cut(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	if s.cuts++; s.cuts >= maxCuts {
		s.listUntil = time.Now().Add(watchListPause)
		klog.FromContext(ctx).Info("Warning: watch-lists are cut before they are complete: listing instead", "informer", s.name, "times", s.cuts, "for", watchListPause)
	}
	s.mu.Unlock()
	s.failed(ctx, verbWatch, err)
}

// complete notes that a watch-list did not.
func (s *source) complete(resourceVersion string) {
	s.mu.Lock()
	s.cuts = 0
	s.mu.Unlock()
	s.restart(resourceVersion)
	s.recovered(verbList)
	s.recovered(verbWatch)
}
