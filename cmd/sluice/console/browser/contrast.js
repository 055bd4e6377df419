// Computes the contrast of each text that can be seen to what is under it.
(() => {
  const pen = Object.assign(document.createElement('canvas'), {width: 1, height: 1}).getContext('2d', {willReadFrequently: true});
  const color = (css) => {
    const plain = css.match(/^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/);
    if (plain) return [+plain[1], +plain[2], +plain[3], plain[4] === undefined ? 1 : +plain[4]];
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = css;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const mix = (under, over, share) => [0, 1, 2].map((i) => under[i] * (1 - share) + over[i] * share);
  const luminance = (c) => {
    const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const hex = (c) => '#' + c.map((v) => Math.round(v).toString(16).padStart(2, '0')).join('');
  const named = (e) => e.localName + (e.id ? '#' + e.id : '') + [...e.classList].map((c) => '.' + c).join('');

  // What a page without a background lies on; dark pages have another one.
  const probe = document.documentElement.appendChild(document.createElement('span'));
  probe.style.color = 'Canvas';
  const canvas = color(getComputedStyle(probe).color);
  probe.remove();

  // Paints the elements from the outermost to the innermost, then the shapes, then the ink, if any.
  const paint = (chain, shapes, ink, under) => {
    if (chain.length === 0) {
      for (const s of shapes) under = mix(under, s, s[3]);
      return ink ? mix(under, ink, ink[3]) : under;
    }
    const style = getComputedStyle(chain[0]), ground = color(style.backgroundColor);
    const inside = paint(chain.slice(1), shapes, ink, mix(under, ground, ground[3]));
    return mix(under, inside, +style.opacity);
  };
  // Reports whether a picture is under the text, above the innermost opaque background.
  const pictured = (chain) => {
    for (const e of [...chain].reverse()) {
      const style = getComputedStyle(e);
      if (style.backgroundImage !== 'none') return true;
      if (color(style.backgroundColor)[3] === 1) return false;
    }
    return false;
  };
  // Returns the fills of the shapes of an SVG that are under the middle of a text.
  const shapesUnder = (text) => {
    const svg = text.ownerSVGElement, box = text.getBoundingClientRect(), fills = [];
    for (const shape of svg.querySelectorAll('rect, circle, ellipse, path, polygon')) {
      if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING) || shape.closest('defs, clipPath, mask')) continue;
      const style = getComputedStyle(shape);
      if (style.fill === 'none' || !shape.checkVisibility({visibilityProperty: true})) continue;
      const point = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2).matrixTransform(shape.getScreenCTM().inverse());
      if (!shape.isPointInFill(point)) continue;
      if (style.fill.startsWith('url')) return null;
      const fill = color(style.fill);
      fills.push([fill[0], fill[1], fill[2], fill[3] * style.fillOpacity * style.opacity]);
    }
    return fills;
  };

  const faint = [];
  let texts = 0;
  const judge = (element, text, style, css) => {
    text = text.trim().replace(/\s+/g, ' ').slice(0, 40);
    if (!text || element.closest(':disabled, [aria-disabled="true"]') || !element.checkVisibility({opacityProperty: true, visibilityProperty: true})) return;
    texts++;
    const chain = [];
    for (let e = element; e; e = e.parentElement) chain.unshift(e);
    const drawn = element.ownerSVGElement && element.namespaceURI.endsWith('svg');
    const shapes = drawn ? shapesUnder(element) : [];
    if (shapes === null || pictured(chain)) {
      faint.push({element: named(element), text, problem: 'it is on a picture or a gradient, which cannot be judged'});
      return;
    }
    const ink = color(css);
    if (drawn) ink[3] *= style.fillOpacity;
    const seen = paint(chain, shapes, ink, canvas), ground = paint(chain, shapes, null, canvas);
    const size = parseFloat(style.fontSize), need = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700) ? 3 : 4.5;
    const got = ratio(seen, ground);
    if (got < need) faint.push({element: named(element), text, ink: hex(seen), ground: hex(ground), ratio: got, need});
  };

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement, range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    if (![...range.getClientRects()].some((r) => r.width > 0 && r.height > 0)) continue;
    const style = getComputedStyle(element);
    judge(element, walker.currentNode.data, style, element.ownerSVGElement ? style.fill : style.color);
  }
  for (const element of document.querySelectorAll('input, textarea')) {
    if (/^(hidden|checkbox|radio|range|color|file|image)$/.test(element.type)) continue;
    const style = getComputedStyle(element, element.value ? null : '::placeholder');
    judge(element, element.value || element.placeholder, style, style.color);
  }
  for (const element of document.querySelectorAll('select')) {
    const style = getComputedStyle(element);
    judge(element, element.selectedOptions[0]?.text ?? '', style, style.color);
  }
  for (const element of document.querySelectorAll('body, body *')) {
    for (const where of ['::before', '::after']) {
      const style = getComputedStyle(element, where), words = style.content.match(/^"(.*)"/);
      if (words && style.display !== 'none') judge(element, words[1], style, style.color);
    }
  }
  return {texts, faint};
})()
