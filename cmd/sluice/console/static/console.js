// What the pages do more in a browser with JavaScript: they follow changes, and their tables can be
// sorted. Without it every page works by loading it again.
"use strict";

const main = document.getElementById("main");
const lost = document.getElementById("lost");

// busy says that a person is about to act: what he sees must not change under his hands.
function busy() {
  const at = document.activeElement;
  if (at && main.contains(at) && at.matches("input, select, textarea, button")) return true;
  return String(getSelection()) !== "" || main.querySelector("details.ask[open]") !== null;
}

// show replaces the middle of the page, and keeps what was unfolded, sorted, scrolled and focused.
function show(html) {
  const open = [...main.querySelectorAll("details")].map((d) => d.open);
  const scrolled = [...main.querySelectorAll(".wide")].map((d) => d.scrollLeft);
  const focused = [...main.querySelectorAll("a, summary, .wide")].indexOf(document.activeElement);
  main.innerHTML = html;
  [...main.querySelectorAll("details")].forEach((d, i) => { if (open[i]) d.open = true; });
  [...main.querySelectorAll(".wide")].forEach((d, i) => { d.scrollLeft = scrolled[i] || 0; });
  if (focused >= 0) [...main.querySelectorAll("a, summary, .wide")][focused]?.focus({ preventScroll: true });
  sortable();
  if (sorted) sort(sorted.table, sorted.column, sorted.down);
}

let waiting = null, again = 0, leave = () => {};
function follow() {
  const events = new EventSource(main.dataset.live + "&hash=" + encodeURIComponent(main.dataset.hash));
  events.addEventListener("open", () => { lost.hidden = true; });
  events.addEventListener("error", () => {
    lost.hidden = false;
    // A browser gives up where a proxy answers for a console that is gone.
    if (events.readyState === EventSource.CLOSED) again = setTimeout(follow, 3000);
  });
  events.addEventListener("main", (event) => {
    if (busy()) { waiting = event.data; return; }
    waiting = null;
    show(event.data);
  });
  leave = () => { events.close(); clearTimeout(again); };
}
document.addEventListener("focusout", () => setTimeout(() => {
  if (waiting === null || busy()) return;
  show(waiting);
  waiting = null;
}, 0));
addEventListener("pagehide", () => leave());

// Tables are sorted by a button in their header.
let sorted = null;
function sortable() {
  main.querySelectorAll("table").forEach((table, number) => {
    table.querySelectorAll("thead th").forEach((th, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.textContent = th.textContent;
      button.addEventListener("click", () => sort(number, column, th.getAttribute("aria-sort") === "ascending"));
      th.replaceChildren(button);
    });
  });
}

// value is what a cell is sorted by: an instant, a number, or its text.
function value(row, column) {
  const cell = row.cells[column];
  if (!cell) return "";
  const at = cell.querySelector("time");
  if (at) return at.getAttribute("datetime");
  const text = cell.textContent.trim();
  const number = Number(text.replaceAll(",", ""));
  return cell.classList.contains("number") && text !== "" && !Number.isNaN(number) ? number : text;
}

function sort(number, column, down) {
  const table = main.querySelectorAll("table")[number];
  if (!table) return;
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => {
    const x = value(a, column), y = value(b, column);
    const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
    return down ? -order : order;
  });
  table.tBodies[0].append(...rows);
  table.querySelectorAll("thead th").forEach((th, i) => {
    if (i === column) th.setAttribute("aria-sort", down ? "descending" : "ascending");
    else th.removeAttribute("aria-sort");
  });
  sorted = { table: number, column, down };
}

// On a wide screen the menu is always open.
const menu = document.querySelector("details.menu");
const wide = matchMedia("(min-width: 60rem)");
function unfold() { menu.open = wide.matches; }
wide.addEventListener("change", unfold);
unfold();

sortable();
follow();
