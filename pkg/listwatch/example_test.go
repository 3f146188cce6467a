// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned"
	"github.com/okontajneroch/starwars/pkg/listwatch"
)

// An informer of client-go's that decodes in one pass and shares strings.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(fleet))
	defer server.Close()
	client := versioned.NewForConfigOrDie(&rest.Config{Host: server.URL})

	ships := client.StarwarsV1().Starfighters(metav1.NamespaceAll)
	lw, err := listwatch.New[v1.Starfighter](listwatch.Config{
		Client:   client.StarwarsV1().RESTClient(),
		Resource: "starfighters",
		Fallback: &cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				return ships.List(ctx, options)
			},
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				return ships.Watch(ctx, options)
			},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	informer := cache.NewSharedIndexInformer(lw, &v1.Starfighter{}, 0, cache.Indexers{})
	report := func(obj any, err error) { fmt.Println(err) }
	if err := informer.SetTransform(listwatch.Chain(report, listwatch.Intern[*v1.Starfighter](nil))); err != nil {
		fmt.Println(err)
		return
	}

	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.RunWithContext(ctx)
	}()
	cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
	for _, obj := range informer.GetStore().List() {
		fmt.Println(obj.(*v1.Starfighter).Spec.Pilot)
	}
	cancel()
	<-done
	// Output: Luke
}

// fleet answers a watch-list as an API server does.
func fleet(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, frameJSON(watch.Added, named("x-wing", "1")), bookmark("5"))
	flush(w)
	<-r.Context().Done()
}
