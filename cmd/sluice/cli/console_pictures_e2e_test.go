//go:build e2e

package cli

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sluice/cmd/sluice/console/browser"
	"sluice/sandbox"
)

// pictures is where TestPictures writes: make screenshots names docs/images.
var pictures = flag.String("pictures", "", "folder for the pictures of the console (default: one that is removed)")

// mostPicture is what a picture may weigh, in bytes.
const mostPicture = 120 << 10

// TestPictures takes the pictures that the documents show: the company of the demo, with what needs
// a person. Without the flag it only tries whether they can be taken and are small.
func TestPictures(t *testing.T) {
	t.Parallel()
	m := newDemoCompany(t)
	must(t, m.stage.Trouble(t.Context()))
	m.hold()
	folder := cmp.Or(*pictures, t.TempDir())
	p := browser.Start(t).Page(t, 1280, 1100, false)
	for _, picture := range []struct {
		name, page string
		follow     []string
	}{
		{"console-streams", "/", nil},
		{"console-budget", "/budget?org=" + sandbox.DefaultOrganizationID + "&service=inventory", nil},
		{"console-quarantine", "/quarantine", []string{"main a[href^='/quarantine/entries']", "main td a[href^='/quarantine/']"}},
		{"console-record", "/r/inventory.bills/" + m.value(`SELECT bill_id FROM inventory.bills WHERE notes LIKE 'Changed%' ORDER BY 1 LIMIT 1`), nil},
	} {
		p.Open(m.url + picture.page)
		for _, link := range picture.follow {
			p.Follow(link)
		}
		judge(p)
		small := palette(t, p.Picture())
		if len(small) > mostPicture {
			t.Errorf("%s weighs %d bytes, at most %d are allowed", picture.name, len(small), mostPicture)
		}
		must(t, os.WriteFile(filepath.Join(folder, picture.name+".png"), small, 0o644))
	}
}

// palette gives a picture with its 256 most frequent colors, which weighs a third.
func palette(t *testing.T, picture []byte) []byte {
	t.Helper()
	whole := sure(png.Decode(bytes.NewReader(picture)))(t)
	counts := map[color.RGBA]int{}
	bounds := whole.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[color.RGBAModel.Convert(whole.At(x, y)).(color.RGBA)]++
		}
	}
	frequent := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int { return counts[b] - counts[a] })
	var colors color.Palette
	for _, one := range frequent[:min(len(frequent), 256)] {
		colors = append(colors, one)
	}
	few := image.NewPaletted(bounds, colors)
	draw.Draw(few, bounds, whole, bounds.Min, draw.Src)
	var out bytes.Buffer
	must(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, few))
	return out.Bytes()
}
