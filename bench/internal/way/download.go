// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package way

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	"github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/scheme"
)

// downloads read what the others read, and do nothing with it: below their
// figures there is no way.
func downloads() []Way {
	return []Way{
		{
			Name: "download", About: "no cache: reads the bytes of the watch-list", Plain: true,
			start: download{
				query: "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan",
				end:   []byte(metav1.InitialEventsAnnotationKey),
			}.start,
		},
		{Name: "download-list", About: "no cache: reads the bytes of the LIST", Plain: true, start: download{query: "?resourceVersion=0"}.start},
	}
}

// download reads an answer up to its end, or to what is in its last piece.
type download struct {
	query string
	end   []byte
}

func (d download) start(ctx context.Context, config *rest.Config, _ Handler) (Cache, error) {
	config = rest.CopyConfig(config)
	config.APIPath = "/apis"
	version := schema.GroupVersion(starwarsv1.GroupVersion)
	config.GroupVersion = &version
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	base, path, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("make the address: %w", err)
	}
	url := base.JoinPath(path, "starfighters").String() + d.query
	done := make(chan error, 1)
	go func() { done <- d.read(ctx, client, url) }()
	return &reading{done: done}, nil
}

func (d download) read(ctx context.Context, client *http.Client, url string) error {
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	// The end may lie across two pieces.
	buffer := make([]byte, 64<<10)
	kept := 0
	for {
		n, err := response.Body.Read(buffer[kept:])
		if d.end != nil && bytes.Contains(buffer[:kept+n], d.end) {
			return nil
		}
		if err != nil {
			if d.end == nil && errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		kept = copy(buffer, buffer[max(0, kept+n-len(d.end)):kept+n])
	}
}

// reading is a download that goes on.
type reading struct{ done chan error }

func (r *reading) WaitForSync(ctx context.Context) error {
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (*reading) Each(context.Context, func(*starwarsv1.Starfighter)) error { return nil }
func (*reading) Wait()                                                     {}
