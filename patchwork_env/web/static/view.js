// A position on the page: both sides, the track, the patches and the log.

import { coinIcon, html, patchPicture, quiltBoard, timeIcon, tokenIcon, trackBoard } from "./draw.js";

const byId = (id) => document.getElementById(id);

export function say(text) {
  const announcer = byId("announcer");
  announcer.textContent = "";
  announcer.textContent = text;
}

export function plural(edition, count) {
  return `${count} ${edition.currency[count === 1 ? 0 : 1]}`;
}

export function cellName(row, column) {
  return `${"abcdefghi"[column]}${row + 1}`;
}

// Shows a position; `left` is the player on the left side. Returns the two quilts by player.
export function showPosition(edition, position, names, left) {
  const quilts = [];
  [left, 1 - left].forEach((player, place) => {
    const section = byId(place === 0 ? "side-left" : "side-right");
    const side = position.players[player];
    const covered = edition.rows * edition.columns - side.empty;
    const label = `Quilt of ${names[player]}: ${covered} of ${edition.rows * edition.columns} cells covered`;
    const quilt = quiltBoard(edition, side.quilt, label);
    section.setAttribute("aria-label", names[player]);
    section.classList.toggle("active", !position.done && position.to_play === player);
    section.classList.toggle("won", position.winner === player);
    section.dataset.player = player;
    section.replaceChildren(playerBox(edition, position, names, player), quilt);
    quilts[player] = quilt;
  });
  byId("track").replaceChildren(trackBoard(edition, position));
  showCircle(edition, position);
  return quilts;
}

function playerBox(edition, position, names, player) {
  const side = position.players[player];
  const tag = position.winner === player ? "wins" : !position.done && position.to_play === player ? "to play" : "";
  return html("div", { class: "player-box" },
    html("p", { class: "who" }, tokenIcon(player), html("strong", {}, names[player]),
      tag ? html("span", { class: `tag player-${player}` }, tag) : null),
    html("dl", {},
      number(edition.currency[1], side.buttons, coinIcon(edition)),
      number("income", side.income),
      number("empty", side.empty),
      position.bonus_holder === player ? number(`${edition.bonus_square}x${edition.bonus_square} tile`, `+${edition.bonus_points}`) : null,
      number("score", side.score)));
}

function number(name, value, icon = null) {
  return html("div", { class: `number-${name.replaceAll(" ", "-")}` }, html("dt", {}, name), html("dd", {}, icon, String(value)));
}

export function patchNumbers(edition, patch) {
  const { cost, time, income } = edition.patches[patch];
  return html("span", { class: "patch-numbers" },
    html("span", { title: "cost" }, coinIcon(edition), String(cost)),
    html("span", { title: "time" }, timeIcon(), String(time)),
    income ? html("span", { title: "income", class: "income" }, `+${income}`, coinIcon(edition)) : null);
}

export function patchLabel(edition, patch) {
  const { cost, time, income, orientations } = edition.patches[patch];
  return `patch ${patch}, ${orientations[0].length} cells, costs ${plural(edition, cost)} and ${time} time, income ${income}`;
}

function showCircle(edition, position) {
  const rest = position.circle.slice(3);
  byId("circle-box").querySelector("summary").textContent = rest.length ? `Then, in order (${rest.length} more)` : "No more patches";
  byId("circle").replaceChildren(...rest.map((patch) => {
    const { cost, time, income } = edition.patches[patch];
    const cells = lying(edition.patches[patch].orientations[0]);
    return html("li", { "aria-label": patchLabel(edition, patch) }, patchPicture(edition, patch, cells, 2),
      html("span", { "aria-hidden": "true" }, `${cost}/${time}${income ? ` +${income}` : ""}`));
  }));
}

function lying(cells) {
  const height = Math.max(...cells.map(([row]) => row));
  const width = Math.max(...cells.map(([, column]) => column));
  return width >= height ? cells : cells.map(([row, column]) => [column, row]);
}

export function showLog(lines, current = lines.length) {
  const log = byId("log");
  log.replaceChildren(...lines.map((line, number) =>
    html("li", { class: `player-${line.player}${number + 1 === current ? " current" : ""}`, "aria-current": number + 1 === current ? "step" : null }, line.text)));
  const entry = log.children[current - 1];
  if (entry) log.scrollTop = entry.offsetTop - log.clientHeight / 2;
}

export function showSummary(edition, summary, names, winner) {
  const rows = [
    [`${edition.currency[1]} in hand`, (side) => side.buttons],
    edition.bonus_square ? [`${edition.bonus_square}x${edition.bonus_square} tile`, (side) => side.bonus] : null,
    ["empty cells, -2 each", (side) => `${side.empty_points} (${side.empty})`],
    ["score", (side) => side.total, "total"],
    ["at the start", (side) => side.start, "group"],
    ["from advancing", (side) => `+${side.advanced}`],
    ["from income", (side) => `+${side.income}`],
    ["spent", (side) => `-${side.spent}`],
    ["patches bought", (side) => side.patches],
    ["special patches", (side) => side.specials],
  ].filter(Boolean);
  byId("summary-title").textContent = names[winner] === "you" ? "You win" : `${names[winner]} wins`;
  byId("summary-body").replaceChildren(html("table", {},
    html("thead", {}, html("tr", {}, html("td", {}), ...names.map((name, k) => html("th", { scope: "col", class: k === winner ? "won" : "" }, name)))),
    html("tbody", {}, ...rows.map(([name, value, kind]) => html("tr", { class: kind ?? "" },
      html("th", { scope: "row" }, name), ...summary.map((side) => html("td", {}, String(value(side)))))))));
  if (summary[0].total === summary[1].total) {
    byId("summary-body").append(html("p", { class: "small" }, "A tie goes to the player who reached the last space first."));
  }
}
