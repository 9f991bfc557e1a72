// Everything that is drawn: SVG from plain data. A cell is CELL units wide; the page scales the whole.

export const CELL = 40;
const SPACE = "http://www.w3.org/2000/svg";

export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// --- colours -------------------------------------------------------------------------------------------------

const channels = (colour) => [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));

export function mixed(first, second, share) {
  const other = channels(second);
  return `#${channels(first).map((a, k) => Math.round(a + (other[k] - a) * share).toString(16).padStart(2, "0")).join("")}`;
}

export function luminance(colour) {
  const [red, green, blue] = channels(colour);
  return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
}

export const readableOn = (colour) => (luminance(colour) < 0.55 ? "#FFFFFF" : "#1B1814");

export function usePalette(palette) {
  const style = document.documentElement.style;
  for (const [name, value] of Object.entries(palette)) {
    if (typeof value === "string") style.setProperty(`--${name}`, value);
  }
  palette.players.forEach((colour, k) => {
    style.setProperty(`--player-${k}`, colour);
    style.setProperty(`--on-player-${k}`, readableOn(colour));
  });
  document.documentElement.style.colorScheme = luminance(palette.background) < 0.4 ? "dark" : "light";
}

// --- cloth ---------------------------------------------------------------------------------------------------

const WEAVES = {
  plain: () => [],
  dots: (thread) =>
    [[10, 10], [30, 10], [10, 30], [30, 30]].map(([cx, cy]) => svg("circle", { cx, cy, r: 3.4, fill: thread })),
  stripes: (thread) => [
    svg("path", { d: "M0 5 5 0H15L0 15ZM0 25 25 0H35L0 35ZM5 40 40 5V15L15 40ZM25 40 40 25V35L35 40Z", fill: thread }),
  ],
  checks: (thread) => [svg("path", { d: "M0 0H20V20H0ZM20 20H40V40H20Z", fill: thread })],
  crosses: (thread) => [
    svg("path", { d: "M5 10H15M10 5V15M25 30H35M30 25V35", stroke: thread, "stroke-width": 2.4, "stroke-linecap": "round" }),
  ],
  bars: (thread) => [svg("path", { d: "M5 0H15V40H5ZM25 0H35V40H25Z", fill: thread })],
  rings: (thread) => [svg("circle", { cx: 20, cy: 20, r: 11, fill: "none", stroke: thread, "stroke-width": 2.8 })],
  lattice: (thread) => [svg("path", { d: "M20 0 40 20 20 40 0 20Z", fill: "none", stroke: thread, "stroke-width": 2.4 })],
};

export function defineCloth(edition) {
  const defs = document.getElementById("defs");
  const patterns = edition.patches.map((patch, number) => {
    const thread = luminance(patch.colour) > 0.55 ? mixed(patch.colour, "#000000", 0.2) : mixed(patch.colour, "#FFFFFF", 0.3);
    return svg(
      "pattern",
      { id: `cloth-${number}`, width: CELL, height: CELL, patternUnits: "userSpaceOnUse" },
      svg("rect", { width: CELL, height: CELL, fill: patch.colour }),
      ...WEAVES[patch.weave](thread),
    );
  });
  const hatch = svg(
    "pattern",
    { id: "hatch", width: 10, height: 10, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("rect", { width: 4, height: 10, fill: "#C62828", opacity: 0.55 }),
  );
  defs.replaceChildren(svg("defs", {}, ...patterns, hatch));
}

// The closed loops around cells, as in the pictures that the package draws: cloth lies to the right of each stroke.
export function outlines(cells) {
  const cloth = new Set(cells.map(([row, column]) => `${row},${column}`));
  const strokes = new Map();
  for (const [row, column] of cells) {
    const corners = [[column, row], [column + 1, row], [column + 1, row + 1], [column, row + 1]];
    const neighbours = [[row - 1, column], [row, column + 1], [row + 1, column], [row, column - 1]];
    neighbours.forEach(([r, c], side) => {
      if (cloth.has(`${r},${c}`)) return;
      const key = corners[side].join();
      if (!strokes.has(key)) strokes.set(key, []);
      strokes.get(key).push(corners[(side + 1) % 4]);
    });
  }
  const loops = [];
  while (strokes.size) {
    let key = [...strokes.keys()][0];
    const start = key;
    const loop = [];
    let direction = [1, 0];
    do {
      const here = key.split(",").map(Number);
      const choices = strokes.get(key);
      const right = [here[0] - direction[1], here[1] + direction[0]];
      let pick = choices.findIndex((choice) => choice[0] === right[0] && choice[1] === right[1]);
      if (pick < 0) pick = 0;
      const [there] = choices.splice(pick, 1);
      if (!choices.length) strokes.delete(key);
      const turned = [there[0] - here[0], there[1] - here[1]];
      if (!loop.length || turned[0] !== direction[0] || turned[1] !== direction[1]) loop.push(here);
      direction = turned;
      key = there.join();
    } while (key !== start);
    loops.push(loop);
  }
  return loops;
}

function inset(loop, distance) {
  return loop.map(([x, y], k) => {
    let [dx, dy] = [0, 0];
    for (const [[x0, y0], [x1, y1]] of [[loop.at(k - 1), [x, y]], [[x, y], loop[(k + 1) % loop.length]]]) {
      const length = Math.abs(x1 - x0) + Math.abs(y1 - y0);
      dx -= ((y1 - y0) / length) * distance;
      dy += ((x1 - x0) / length) * distance;
    }
    return [x + dx, y + dy];
  });
}

const path = (loops) =>
  loops.map((loop) => `M${loop.map(([x, y]) => `${(x * CELL).toFixed(1)} ${(y * CELL).toFixed(1)}`).join("L")}Z`).join("");

export function patchShape(edition, placed, options = {}) {
  const { cells, patch, kind } = placed;
  const colour = patch === null ? (kind === "special" ? edition.palette.special : edition.palette.cloth[0]) : edition.patches[patch].colour;
  const loops = outlines(cells);
  const group = svg("g", { class: options.class ?? "patch" });
  group.append(
    svg("path", { d: path(loops), fill: patch === null ? colour : `url(#cloth-${patch})` }),
    svg("path", {
      d: path(loops.map((loop) => inset(loop, 0.1))),
      class: "stitch",
      stroke: mixed(colour, "#FFFFFF", 0.65),
    }),
    svg("path", { d: path(loops), class: "seam" }),
  );
  if (patch !== null) {
    for (const [row, column] of cells.slice(0, edition.patches[patch].income)) {
      group.append(coin(edition, (column + 0.5) * CELL, (row + 0.5) * CELL, 9.5));
    }
  }
  if (placed.fresh) group.append(svg("path", { d: path(loops), class: "fresh" }));
  return group;
}

export function ghostShape(edition, cells, patch, legal) {
  const loops = outlines(cells);
  return svg(
    "g",
    { class: `ghost ${legal ? "legal" : "illegal"}` },
    svg("path", { d: path(loops), fill: patch === null ? edition.palette.special : `url(#cloth-${patch})`, opacity: 0.8 }),
    legal ? null : svg("path", { d: path(loops), fill: "url(#hatch)" }),
    svg("path", { d: path(loops), class: "ghost-edge" }),
  );
}

export function hintShape(cells, number, text) {
  const loops = outlines(cells);
  const [row, column] = cells[Math.min(number, cells.length - 1)]; // so that the numbers of similar placements differ
  return svg(
    "g",
    { class: `hint hint-${number}` },
    svg("path", { d: path(loops), class: "hint-edge" }),
    svg("circle", { cx: (column + 0.5) * CELL, cy: (row + 0.5) * CELL, r: 12, class: "hint-disc" }),
    svg("text", { x: (column + 0.5) * CELL, y: (row + 0.5) * CELL, class: "hint-text" }, text),
  );
}

// --- pieces --------------------------------------------------------------------------------------------------

const PIECES = {
  button: (x, y, r, colour, light) => [
    svg("circle", { cx: x, cy: y, r, fill: colour, stroke: mixed(colour, "#000000", 0.45), "stroke-width": r * 0.14 }),
    ...[[-1, -1], [1, -1], [-1, 1], [1, 1]].map(([a, b]) =>
      svg("circle", { cx: x + a * r * 0.27, cy: y + b * r * 0.27, r: r * 0.15, fill: light })),
  ],
  eyeball: (x, y, r, colour) => [
    svg("circle", { cx: x, cy: y, r, fill: "#FDFBF5", stroke: mixed(colour, "#000000", 0.45), "stroke-width": r * 0.14 }),
    svg("circle", { cx: x, cy: y, r: r * 0.56, fill: colour }),
    svg("circle", { cx: x, cy: y, r: r * 0.26, fill: "#15121C" }),
  ],
};
const plainCoin = (x, y, r, colour, light) => [
  svg("circle", { cx: x, cy: y, r, fill: colour, stroke: mixed(colour, "#000000", 0.45), "stroke-width": r * 0.14 }),
  svg("circle", { cx: x, cy: y, r: r * 0.55, fill: "none", stroke: light, "stroke-width": r * 0.14 }),
];

export function coin(edition, x, y, r) {
  const piece = PIECES[edition.currency[0]] ?? plainCoin;
  return svg("g", {}, ...piece(x, y, r, edition.palette.money, mixed(edition.palette.money, "#FFFFFF", 0.8)));
}

export function coinIcon(edition) {
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, coin(edition, 12, 12, 10));
}

export function timeIcon() {
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" },
    svg("path", { d: "M5 3H19M5 21H19", stroke: "currentColor", "stroke-width": 3, "stroke-linecap": "round" }),
    svg("path", { d: "M6 5H18L12 12ZM6 19H18L12 12Z", fill: "currentColor" }));
}

export function token(player, x, y, r) {
  return svg("g", { class: `token player-${player}` },
    svg("circle", { cx: x, cy: y, r }),
    svg("text", { x, y, "font-size": r * 1.3 }, String(player)));
}

export function tokenIcon(player) {
  return svg("svg", { viewBox: "0 0 24 24", class: "icon token-icon", "aria-hidden": "true" }, token(player, 12, 12, 11));
}

// --- boards --------------------------------------------------------------------------------------------------

export function quiltBoard(edition, quilt, label) {
  const [width, height] = [edition.columns * CELL, edition.rows * CELL];
  const board = svg("svg", { viewBox: `-3 -3 ${width + 6} ${height + 6}`, class: "quilt", role: "img", "aria-label": label });
  board.append(svg("rect", { x: -3, y: -3, width: width + 6, height: height + 6, rx: 5, class: "frame" }));
  board.append(svg("rect", { width, height, class: "board" }));
  let grid = "";
  for (let k = 1; k < edition.columns; k++) grid += `M${k * CELL} 0V${height}`;
  for (let k = 1; k < edition.rows; k++) grid += `M0 ${k * CELL}H${width}`;
  board.append(svg("path", { d: grid, class: "grid" }));
  board.append(svg("g", { class: "places" }));
  for (const placed of [...quilt].sort((a, b) => a.fresh - b.fresh)) board.append(patchShape(edition, placed));
  board.append(svg("g", { class: "hints" }), svg("g", { class: "ghosts" }));
  return board;
}

export function patchPicture(edition, patch, cells, pad = 4) {
  const height = Math.max(...cells.map(([row]) => row)) + 1;
  const width = Math.max(...cells.map(([, column]) => column)) + 1;
  const side = [width * CELL + 2 * pad, height * CELL + 2 * pad];
  const picture = svg("svg", { viewBox: `${-pad} ${-pad} ${side[0]} ${side[1]}`, "aria-hidden": "true", class: "patch-picture" });
  picture.style.setProperty("--cells-wide", width);
  picture.append(patchShape(edition, { patch, kind: "patch", cells }));
  return picture;
}

export function trackBoard(edition, position) {
  const side = edition.track_side * CELL;
  const middles = edition.spots.map(([row, column]) => [(column + 0.5) * CELL, (row + 0.5) * CELL]);
  const last = edition.spots.length - 1;
  const places = position.players.map((player, k) => `player ${k} on space ${player.position}`).join(", ");
  const label = `Time track of ${last} spaces: ${places}; special patches left on ${position.specials_left.join(", ") || "no space"}`;
  const board = svg("svg", { viewBox: `-4 -4 ${side + 8} ${side + 8}`, class: "track", role: "img", "aria-label": label });
  board.append(svg("rect", { x: -4, y: -4, width: side + 8, height: side + 8, rx: 8, class: "frame" }));
  board.append(svg("polyline", { points: middles.map((m) => m.join()).join(" "), class: "road" }));
  const passed = new Set(position.passed);
  edition.spots.forEach((_, number) => {
    const [x, y] = middles[number];
    board.append(svg("rect", { x: x - 17, y: y - 17, width: 34, height: 34, rx: 6,
      class: `space ${number % 2 ? "odd" : ""} ${passed.has(number) ? "passed" : ""}` }));
    board.append(svg("text", { x: x - 14, y: y - 9, class: "number" }, number === last ? "end" : number === 0 ? "start" : String(number)));
    if (edition.income_spaces.includes(number)) board.append(coin(edition, x + 9, y + 9, 7));
    if (edition.special_spaces.includes(number)) {
      const left = position.specials_left.includes(number);
      board.append(svg("rect", { x: x - 14, y: y - 1, width: 13, height: 13, rx: 1.5, class: left ? "special" : "special gone" }));
    }
  });
  if (passed.size) {
    const from = middles[Math.min(...passed) - 1];
    board.append(svg("polyline", { points: [from, ...position.passed.map((n) => middles[n])].map((m) => m.join()).join(" "), class: "trail" }));
  }
  bonusTile(edition, position, board);
  const order = [1 - position.to_play, position.to_play];
  const together = position.players[0].position === position.players[1].position;
  order.forEach((player, k) => {
    const [x, y] = middles[position.players[player].position];
    const shift = together ? (2 * k - 1) * 5 : 0;
    board.append(token(player, x + shift, y - shift, 11.5));
  });
  return board;
}

function bonusTile(edition, position, board) {
  if (!edition.bonus_square) return;
  const used = new Set(edition.spots.map((spot) => spot.join()));
  let best = null;
  for (let row = 0; row < edition.track_side; row++) {
    for (let column = 0; column < edition.track_side; column++) {
      let span = 0;
      const free = (size) => {
        for (let r = 0; r < size; r++) for (let c = 0; c < size; c++) {
          if (row + r >= edition.track_side || column + c >= edition.track_side || used.has([row + r, column + c].join())) return false;
        }
        return true;
      };
      while (free(span + 1)) span++;
      if (span && (!best || span > best[2])) best = [row, column, span];
    }
  }
  if (!best) return;
  const [x, y] = [(best[1] + best[2] / 2) * CELL, (best[0] + best[2] / 2) * CELL];
  const size = Math.min(best[2] * CELL * 0.8, 92);
  const held = position.bonus_holder !== null;
  board.append(svg("rect", { x: x - size / 2, y: y - size / 2, width: size, height: size, rx: 8, class: held ? "bonus gone" : "bonus" }));
  if (held) {
    board.append(svg("text", { x, y: y - 14, class: "bonus-note" }, "tile taken by"), token(position.bonus_holder, x, y + 10, 12));
  } else {
    board.append(
      svg("text", { x, y: y - size * 0.1, class: "bonus-points", "font-size": size * 0.42 }, `+${edition.bonus_points}`),
      svg("text", { x, y: y + size * 0.27, class: "bonus-side", "font-size": size * 0.2 }, `${edition.bonus_square}x${edition.bonus_square}`),
    );
  }
}
