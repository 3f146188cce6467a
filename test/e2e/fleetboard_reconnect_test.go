// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/okontajneroch/starwars/test/e2e/internal/server"
)

// TestFleetBoardOutlivesTheServer loses the API server, and then the board itself,
// under a page that nobody loads again.
func TestFleetBoardOutlivesTheServer(t *testing.T) {
	t.Parallel()
	browser := openBrowser(t)
	s := server.New(t)
	ships := clientFor(t, configFor(t, s)).StarwarsV1().Starfighters("default")
	create(t, ships, boardFleet()...)
	b := launchBoard(t, "--kubeconfig", s.Kubeconfig)
	page := browser.tab(t, 1280, 800)
	page.open(b.url)
	page.until(pilotsShown + ".length === 8")

	noError(t, s.Kill())
	page.until(`document.getElementById("status-text").textContent === "API server away"`)
	page.until(`document.getElementById("trouble").checkVisibility() && document.getElementById("trouble").textContent.includes("refused")`)
	if got := eval[[]string](page, pilotsShown); len(got) != 8 {
		t.Errorf("without the API server it shows %q", got)
	}
	if status, body := b.get(t, "/readyz"); status != http.StatusOK || !strings.Contains(body, "refused") {
		t.Errorf("without the API server: status %d, %s", status, body)
	}

	noError(t, s.Restart())
	create(t, ships, ship("x-wing-9", flownBy("Jek Porkins")))
	page.until(shows("Jek Porkins"))
	page.until(`document.getElementById("status").dataset.state === "live" && !document.getElementById("trouble").checkVisibility()`)

	// Another API server at the same place, with another fleet.
	noError(t, s.Stop())
	noError(t, s.RestartWithFreshData())
	create(t, ships, ship("n-1", flownBy("Ric Olié"), flyingFor("republic")))
	page.until(pilotsShown + `.join() === "Ric Olié"`)

	// Another board at the same place.
	page.expect("net::ERR_") // browsers say so of every connection that is lost
	noError(t, b.Kill())
	page.until(`document.getElementById("status-text").textContent === "Connecting…"`)
	change(t, ships, "n-1", flownBy("Anakin Skywalker"))
	launch(t, "fleet-board", "--kubeconfig", s.Kubeconfig, "--listen", strings.TrimPrefix(b.url, "http://"))
	page.until(shows("Anakin Skywalker"))
	page.until(`document.getElementById("status").dataset.state === "live"`)
}
