// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// Fleet is what the page knows of the ships, in the order of their keys.
export class Fleet {
  ships = new Map(); // by key
  order = []; // keys
  columns = []; // names of factions by place; null where there is none
  #coming = null; // the ships of a fleet that is being sent

  reset() {
    this.#coming = new Map();
  }

  // apply takes a "ships" event and returns what changed, as pairs of the ship
  // before and after; nothing while the whole fleet is being sent.
  apply({ columns, set = [], gone = [], more = false }) {
    if (columns) this.columns = columns;
    for (const ship of set) {
      ship.key = ship.namespace + "/" + ship.name;
      ship.needle = ship.pilot.toLowerCase();
    }
    if (this.#coming) {
      for (const ship of set) this.#coming.set(ship.key, ship);
      if (!more) {
        this.ships = this.#coming;
        this.order = [...this.ships.keys()].sort(compare);
        this.#coming = null;
      }
      return [];
    }
    const changes = [];
    for (const ship of set) {
      const before = this.ships.get(ship.key);
      if (!before) this.order.splice(this.#position(ship.key), 0, ship.key);
      this.ships.set(ship.key, ship);
      if (!before || differ(before, ship)) changes.push([before, ship]);
    }
    for (const key of gone) {
      const before = this.ships.get(key);
      if (!before) continue;
      this.ships.delete(key);
      this.order.splice(this.#position(key), 1);
      changes.push([before, null]);
    }
    return changes;
  }

  get settled() {
    return !this.#coming;
  }

  place(ship) {
    const place = this.columns.indexOf(ship.faction);
    return place < 0 ? this.columns.length : place;
  }

  // view groups the ships whose pilots match by place: how many there are, how
  // many match, and as many of these as limit says.
  view(text, limit) {
    const groups = Array.from({ length: this.columns.length + 1 }, () => ({ ships: 0, matches: 0, rows: [] }));
    const needle = text.toLowerCase();
    for (const key of this.order) {
      const ship = this.ships.get(key);
      const group = groups[this.place(ship)];
      group.ships++;
      if (needle && !ship.needle.includes(needle)) continue;
      group.matches++;
      if (group.rows.length < limit(this.place(ship))) group.rows.push(ship);
    }
    return groups;
  }

  #position(key) {
    let low = 0, high = this.order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.order[middle] < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

const fields = ["faction", "type", "pilot", "phase"];
const differ = (a, b) => fields.some((field) => a[field] !== b[field]);

// story says in words what happened to a ship.
export function story(before, after) {
  if (!after) return `${title(before)} was lost`;
  if (!before) return `${title(after)} joined ${faction(after.faction)}`;
  if (before.faction !== after.faction) return `${title(after)}: ${faction(before.faction)} → ${faction(after.faction)}`;
  if (before.pilot !== after.pilot) return `${after.name}: ${before.pilot || "nobody"} → ${after.pilot || "nobody"}`;
  if (before.phase !== after.phase) return `${title(after)}: ${after.phase || "no phase"}`;
  return `${after.name} is now a ${after.type}`;
}

const title = (ship) => (ship.pilot ? `${ship.pilot} in ${ship.name}` : ship.name);

export const faction = (name) => name || "No faction";
