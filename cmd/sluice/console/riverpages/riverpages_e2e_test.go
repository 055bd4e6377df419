//go:build e2e

package riverpages_test

import (
	"strings"
	"testing"

	"sluice/cmd/sluice/console/browser"
)

// TestInABrowser: the pages work under their policy, and say nothing to the console. They list a
// job without its arguments, and show its error as text.
func TestInABrowser(t *testing.T) {
	t.Parallel()
	server, _ := serve(t)
	p := browser.Start(t).Page(t, 1280, 800, false)
	p.Open(server.URL + "/river/jobs?state=discarded")
	p.Wait("main a[href*='/river/jobs/']")
	if list := p.Text("main"); !strings.Contains(list, "stream") || strings.Contains(list, "nordwind") {
		t.Errorf("the list of jobs says\n%s", list)
	}
	p.Click("main a[href*='/river/jobs/']")
	p.Wait("main h1, main h2")
	if job := p.Text("main"); !strings.Contains(job, "upstream said <b>no</b>") {
		t.Errorf("the page of the job says\n%s", job)
	}
}
