// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

const width = 120; // samples, one a second
const height = 100;

function shape(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function prepare(svg) {
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("preserveAspectRatio", "none");
  return [shape("line", { class: "base", x1: 0, x2: width, y1: height, y2: height })];
}

// x puts the latest sample at the right edge.
const x = (samples, i) => width - samples.length + i;

// drawBars draws one value of each sample, and returns the largest.
export function drawBars(svg, samples, value) {
  const shapes = prepare(svg);
  const most = Math.max(1, ...samples.map(value));
  const path = samples.map((sample, i) => {
    const top = height * (1 - value(sample) / most);
    return value(sample) ? `M${x(samples, i) + 0.15} ${height}V${top}h.7V${height}z` : "";
  }).join("");
  shapes.push(shape("path", { class: "bars", d: path }));
  svg.replaceChildren(...shapes);
  return Math.max(0, ...samples.map(value));
}

// drawLines draws a line for each of the values of samples that is ever above
// zero, and returns the largest value.
export function drawLines(svg, samples, values) {
  const shapes = prepare(svg);
  const all = samples.map(values);
  const most = Math.max(0, ...all.flat());
  const scale = Math.max(1, most) * 1.05;
  for (let place = (all[0]?.length ?? 0) - 1; place >= 0; place--) {
    if (!all.some((row) => row[place])) continue;
    const points = all.map((row, i) => `${x(samples, i) + 1} ${height * (1 - row[place] / scale)}`);
    if (points.length === 1) points.unshift(`${width - 1} ${points[0].split(" ")[1]}`);
    shapes.push(shape("polyline", { class: `series place-${place}`, points: points.join(" ") }));
  }
  svg.replaceChildren(...shapes);
  return most;
}
