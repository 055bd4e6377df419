// Says where the focus is, and whether it was there before; begin forgets where it was.
(begin) => {
  const key = Symbol.for('browser.seen');
  if (begin) window[key] = [];
  const seen = window[key], e = document.activeElement;
  if (!e || e === document.body || e === document.documentElement) return {none: true};
  const before = seen.indexOf(e), style = getComputedStyle(e);
  const others = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
    .some((o) => o !== e && o.tabIndex >= 0 && !o.disabled && o.checkVisibility({visibilityProperty: true}));
  if (before < 0) seen.push(e);
  const words = (e.getAttribute('aria-label') || e.innerText || e.value || '').trim().replace(/\s+/g, ' ').slice(0, 40);
  return {
    name: e.id ? '#' + e.id : e.localName + (words ? ' "' + words + '"' : ''),
    first: before === 0 && (seen.length > 1 || !others), again: before >= 0,
    visible: (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none',
  };
}
