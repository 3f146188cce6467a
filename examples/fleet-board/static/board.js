// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// The page shows text that anybody who may write to the API chose. It becomes
// part of the page as textContent and in no other way; the server's content
// policy leaves browsers no other.

import { drawBars, drawLines } from "./chart.js";
import { Fleet, faction, story } from "./fleet.js";
import { follow } from "./stream.js";

const page = (id) => document.getElementById(id);
const pageRows = 30; // as in the server's page
const logRows = 5;
const drawPause = 200; // milliseconds; what changes meanwhile is drawn together

const fleet = new Fleet();
const search = page("pilot");
const limits = new Map(); // rows of a column, where the reader asked for more
const fresh = new Set(); // keys of ships that changed since the last drawing
let samples = [];
let latestChanges = []; // the latest changes, newest first
let open = false, paused = false, trouble = "";

// Ships

const limit = (place) => limits.get(place) ?? pageRows;
const text = () => search.value.trim();

let planned = 0;
function plan() {
  if (!planned && !paused && fleet.settled) planned = setTimeout(draw, drawPause);
}

function draw() {
  clearTimeout(planned);
  planned = 0;
  if (!fleet.settled) return;
  const main = page("factions");
  const groups = fleet.view(text(), limit);
  const columns = new Map([...main.querySelectorAll(".faction")].map((column) => [Number(column.dataset.place), column]));
  const wanted = [];
  groups.forEach((group, place) => {
    if (!group.ships) return;
    let column = columns.get(place);
    if (!column?.querySelector("button.more")) column = newColumn(place); // the server's has none
    drawColumn(column, group, place);
    wanted.push(column);
  });
  if (wanted.length === 0) {
    const empty = document.createElement("p");
    empty.className = "empty";
    empty.textContent = "There are no ships.";
    wanted.push(empty);
  }
  arrange(main, wanted);
  const matches = groups.reduce((sum, group) => sum + group.matches, 0);
  // Read out what a search finds, but not every ship that comes or goes.
  page("found").setAttribute("aria-live", document.activeElement === search ? "polite" : "off");
  setText(page("found"), (text() ? `${matches} of ` : "") + `${fleet.ships.size} ship${fleet.ships.size === 1 ? "" : "s"}`);
  setText(page("ships-now"), String(fleet.ships.size));
  fresh.clear();
}

function newColumn(place) {
  const column = page("column").content.firstElementChild.cloneNode(true);
  column.classList.add(`place-${place}`);
  column.dataset.place = place;
  column.querySelector("button.more").addEventListener("click", () => {
    limits.set(place, limit(place) + 100);
    draw();
  });
  return column;
}

function drawColumn(column, group, place) {
  const others = place === fleet.columns.length;
  setText(column.querySelector("h2"), others ? "Other factions" : faction(fleet.columns[place]));
  setText(column.querySelector(".count"), String(group.matches));
  const list = column.querySelector("ul");
  const rows = new Map([...list.children].map((row) => [row.dataset.key, row]));
  arrange(list, group.rows.map((ship) => drawShip(rows.get(ship.key), ship, others)));
  const more = column.querySelector("button.more");
  const hidden = group.matches - group.rows.length;
  more.hidden = hidden === 0;
  setText(more, `Show more of the other ${hidden}`);
}

function drawShip(row, ship, others) {
  if (!row) {
    row = page("ship").content.firstElementChild.cloneNode(true);
    row.dataset.key = ship.key;
    row.addEventListener("animationend", () => row.classList.remove("changed"));
  }
  setText(row.querySelector(".pilot"), ship.pilot);
  setText(row.querySelector(".phase"), others ? faction(ship.faction) : ship.phase ?? "");
  setText(row.querySelector(".type"), ship.type);
  setText(row.querySelector(".name bdi"), ship.key);
  row.title = `${ship.pilot}\n${ship.type} ${ship.key}`;
  if (fresh.has(ship.key)) row.classList.add("changed");
  return row;
}

// arrange makes the wanted elements the children of a parent, and moves only
// those that are out of place, so that focus and animations stay.
function arrange(parent, wanted) {
  const keep = new Set(wanted);
  for (const child of [...parent.children]) if (!keep.has(child)) child.remove();
  let next = parent.firstElementChild;
  for (const child of wanted) {
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
}

function setText(element, value) {
  if (element.textContent !== value) element.textContent = value;
}

// Latest changes

function tell(changes) {
  const time = new Date();
  for (const [before, after] of changes) latestChanges.unshift({ time, text: story(before, after) });
  latestChanges = latestChanges.slice(0, logRows);
}

function drawLog() {
  if (paused || latestChanges.length === 0) return;
  page("log").replaceChildren(...latestChanges.map(({ time, text }) => {
    const item = document.createElement("li");
    const when = document.createElement("time");
    when.dateTime = time.toISOString();
    when.textContent = time.toLocaleTimeString([], { hour12: false });
    const what = document.createElement("span");
    what.className = "what";
    what.textContent = what.title = text;
    item.append(when, what);
    return item;
  }));
}

// Charts

function drawCharts() {
  if (paused || samples.length === 0) return;
  const latest = samples.at(-1);
  const recent = samples.slice(-10);
  const rate = recent.reduce((sum, sample) => sum + sample.n, 0) / recent.length;
  const mostChanges = drawBars(page("rate"), samples, (sample) => sample.n);
  const mostShips = drawLines(page("fleet"), samples, (sample) => sample.s);
  setText(page("rate-now"), rate < 10 ? rate.toFixed(1) : rate.toFixed(0));
  setText(page("rate-most"), `peak ${mostChanges}`);
  setText(page("fleet-most"), `peak ${mostShips}`);
  page("rate").setAttribute("aria-label", `Changes a second in the last two minutes: now ${rate.toFixed(1)}, at most ${mostChanges}`);
  const shares = latest.s.map((ships, place) => ships && `${faction(fleet.columns[place] ?? "other factions")} ${ships}`).filter(Boolean);
  page("fleet").setAttribute("aria-label", `Ships by faction in the last two minutes: now ${shares.join(", ")}`);
}

// What the page says of itself

function drawStatus() {
  const [state, words] = paused ? ["paused", "Paused"]
    : !open ? ["waiting", "Connecting…"]
    : trouble ? ["trouble", "API server away"]
    : ["live", "Live"];
  page("status").dataset.state = state;
  setText(page("status-text"), words);
  page("trouble").hidden = !trouble;
  setText(page("trouble"), trouble && `This may be out of date: ${trouble}`);
}

// Controls

search.form.addEventListener("submit", (event) => event.preventDefault());
search.addEventListener("input", () => {
  const query = text() ? "?" + new URLSearchParams({ pilot: text() }) : location.pathname;
  history.replaceState(null, "", query);
  draw();
});
search.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  search.value = "";
  search.dispatchEvent(new Event("input"));
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  event.preventDefault();
  search.focus();
  search.select();
});
page("pause").addEventListener("click", () => {
  paused = !paused;
  page("pause").setAttribute("aria-pressed", String(paused));
  setText(page("pause"), paused ? "Continue" : "Pause");
  drawStatus();
  if (paused) return;
  draw();
  drawLog();
  drawCharts();
});

page("overview").hidden = page("pause").hidden = false;
page("submit").hidden = true;
drawStatus();

follow({
  onReset: () => fleet.reset(),
  onShips: (data) => {
    const changes = fleet.apply(data);
    for (const [, after] of changes) if (after) fresh.add(after.key);
    if (changes.length) {
      tell(changes);
      drawLog();
    }
    plan();
  },
  onSamples: (data) => {
    samples = [...samples, ...data.samples].slice(-120);
    trouble = data.trouble ?? "";
    drawCharts();
    drawStatus();
  },
  onState: (isOpen) => {
    open = isOpen;
    if (open) samples = []; // a new stream begins with those there were
    drawStatus();
  },
});
