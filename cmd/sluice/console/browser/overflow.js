// Measures the page, and names what sticks out of the window on its right: elements that no
// element around them cuts off or scrolls.
(() => {
  const root = document.documentElement, width = root.clientWidth;
  const named = (e) => e.localName + (e.id ? '#' + e.id : '') + [...e.classList].map((c) => '.' + c).join('');
  const held = (e) => {
    for (let up = e.parentElement; up && up !== document.body && up !== root; up = up.parentElement) {
      if (getComputedStyle(up).overflowX !== 'visible') return true;
    }
    return false;
  };
  const elements = [...document.querySelectorAll('body *')].filter((e) => {
    const box = e.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && box.right > width + 1 && e.checkVisibility({visibilityProperty: true}) && !held(e);
  });
  return {window: width, page: root.scrollWidth, elements: elements.slice(0, 10).map(named)};
})()
